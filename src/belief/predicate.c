/* The table of predicates; see predicate.h. */
#include "predicate.h"

#include <string.h>

#define ONE true
#define MANY false
#define THING true
#define VALUE false

static const struct predicate PREDICATES[] = {
    {"is_a", "identity", MANY, VALUE}, {"name_is", "identity", ONE, VALUE}, {"also_known_as", "identity", MANY, VALUE},
    {"age_is", "identity", ONE, VALUE}, {"born_on", "identity", ONE, VALUE}, {"pronouns_are", "identity", ONE, VALUE},
    {"speaks", "identity", MANY, VALUE}, {"based_in", "place", ONE, THING}, {"located_in", "place", ONE, THING},
    {"lives_in", "place", ONE, THING}, {"from_place", "place", ONE, THING}, {"timezone_is", "place", ONE, VALUE},
    {"visited", "place", MANY, THING}, {"works_at", "work", ONE, THING}, {"works_on", "work", MANY, THING}, {"role_is", "work", ONE, VALUE},
    {"reports_to", "work", ONE, THING}, {"manages", "work", MANY, THING}, {"member_of", "work", MANY, THING}, {"founded", "work", MANY,
        THING},
    {"leads", "work", MANY, THING}, {"owner_is", "work", ONE, THING}, {"responsible_for", "work", MANY, THING},
    {"married_to", "people", ONE, THING}, {"partner_of", "people", ONE, THING}, {"parent_of", "people", MANY, THING},
    {"child_of", "people", MANY, THING}, {"sibling_of", "people", MANY, THING}, {"friend_of", "people", MANY, THING},
    {"knows", "people", MANY, THING}, {"has_pet", "people", MANY, VALUE}, {"prefers", "taste", MANY, VALUE}, {"likes", "taste", MANY,
        VALUE},
    {"avoids", "taste", MANY, VALUE}, {"allergic_to", "taste", MANY, VALUE}, {"diet_is", "taste", ONE, VALUE}, {"wants", "taste", MANY,
        VALUE},
    {"needs", "taste", MANY, VALUE}, {"interested_in", "taste", MANY, VALUE}, {"learning", "taste", MANY, VALUE}, {"uses", "use", MANY,
        THING},
    {"has", "use", MANY, VALUE}, {"owns", "use", MANY, VALUE}, {"bought", "use", MANY, VALUE}, {"written_in", "technical", MANY, THING},
    {"runs_on", "technical", MANY, THING}, {"depends_on", "technical", MANY, THING}, {"requires", "technical", MANY, VALUE},
    {"implements", "technical", MANY, VALUE}, {"replaces", "technical", MANY, THING}, {"compatible_with", "technical", MANY, THING},
    {"deployed_to", "technical", MANY, THING}, {"hosted_on", "technical", MANY, THING}, {"stored_in", "technical", MANY, THING},
    {"version_is", "technical", ONE, VALUE}, {"port_is", "technical", ONE, VALUE}, {"default_is", "technical", ONE, VALUE},
    {"url_is", "technical", ONE, VALUE}, {"path_is", "technical", ONE, VALUE}, {"status_is", "technical", ONE, VALUE},
    {"fixed_by", "technical", MANY, VALUE}, {"causes", "technical", MANY, VALUE}, {"decided", "plans", MANY, VALUE}, {"chose", "plans",
        MANY, VALUE},
    {"agreed_on", "plans", MANY, VALUE}, {"approved", "plans", MANY, VALUE}, {"rejected", "plans", MANY, VALUE}, {"goal_is", "plans",
        MANY, VALUE},
    {"deadline_is", "plans", ONE, VALUE}, {"due_on", "plans", ONE, VALUE}, {"scheduled_for", "plans", ONE, VALUE},
    {"priority_is", "plans", ONE, VALUE}, {"instruction", "plans", MANY, VALUE}, {"convention", "plans", MANY, VALUE},
    {"costs", "measure", ONE, VALUE}, {"count_is", "measure", ONE, VALUE}, {"weighs", "measure", ONE, VALUE}, {"met", "events", MANY,
        THING},
    {"attended", "events", MANY, VALUE}, {"started", "events", MANY, VALUE}, {"finished", "events", MANY, VALUE}, {"released", "events",
        MANY, VALUE},
    {"happened_on", "events", ONE, VALUE}, {"states", "notes", MANY, VALUE}, {"value", "notes", ONE, VALUE},
};

const struct predicate *predicate_at(size_t i)
{
    return i < sizeof PREDICATES / sizeof *PREDICATES ? &PREDICATES[i] : NULL;
}

const struct predicate *predicate_find(const char *name)
{
    static const struct predicate FAVORITE = {"favorite", "taste", ONE, VALUE}, ATTRIBUTE = {"attribute", "measure", ONE, VALUE},
                                  OTHER = {"other", "other", MANY, VALUE};

    for (size_t i = 0; i < sizeof PREDICATES / sizeof *PREDICATES; i++)
        if (strcmp(PREDICATES[i].name, name) == 0)
            return &PREDICATES[i];
    if (strncmp(name, "favorite_", 9) == 0)
        return &FAVORITE;
    return strncmp(name, "attribute_", 10) == 0 ? &ATTRIBUTE : &OTHER;
}

bool predicate_is_name(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return n > 0 && n <= PREDICATE_NAME && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}
