/* The registry of relations; see relation.h. */
#include "relation.h"

#include <string.h>
#include <strings.h>

#define MEMORIES "episode fact entity note skill bad_pattern core_block policy entry learning knowledge"
#define SCOPED MEMORIES " work_item goal page article document chunk pattern"
#define ENDS "fact skill work_item"

static const struct relation RELATIONS[] = {
    /* belief and memory */
    {"ABOUT", "fact", "entity", REL_OWNED, "a fact is about an entity; carries the fact's validity"},
    {"MENTIONS", "", "entity", REL_OWNED, "a text names an entity; a title weighs three times"},
    {"SUPPORTS", "episode fact", "fact", REL_OWNED, "evidence for a fact"},
    {"SUPERSEDED_BY", "fact policy", "fact policy", REL_OWNED, "a newer one took its place"},
    {"CONTRADICTS", "", "", 0, "the two cannot both hold"},
    {"DERIVED_FROM", "", "", 0, "made from it; erasing follows this relation"},
    {"VALID_AT", "fact", "validity_anchor", REL_OWNED, "holds at a named instant"},
    {"IN_SCOPE", SCOPED, "scope", 0, "belongs to a project, topic, task or tenant"},
    {"HAS_TAG", "", "tag", REL_PLASTIC, "carries a tag"},
    {"DEPENDS_ON", ENDS, ENDS, 0, "needs the other"},
    {"HAS_FAILURE", "skill", "bad_pattern", 0, "fails in this way"},
    {"ATTESTED_BY", "fact core_block", "agent", REL_OWNED, "an agent vouches for it"},
    {"PROMOTED_TO", "fact learning", "fact learning", REL_OWNED, "the same, for everyone"},
    {"DEMOTED_FROM", "fact", "fact", REL_OWNED, "was promoted, and is no longer"},
    {"RELATES_TO", "note", "note", 0, "metadata.relationship_label says how"},
    {"IN_SESSION", "episode fact", "session", REL_VIRTUAL, "computed from session ids"},
    {"RECENT_IN", "", "recency_window", REL_VIRTUAL, "computed from times"},
    {"HAS_PROVENANCE", "", "", REL_VIRTUAL, "computed from the provenance rows"},
    {"AUDIT", "", "", REL_VIRTUAL, "computed from the audit trail"},
    /* pages and knowledge */
    {"references", "page article work_item", "", REL_OWNED, "a page or a work item refers to it"},
    {"is_a", "", "", 0, "is one of"},
    {"has_a", "", "", 0, "has one"},
    {"part_of", "", "", 0, "belongs to the whole"},
    {"related_to", "", "", REL_SYMMETRIC, "has to do with"},
    {"created_by", "", "", 0, "was made by"},
    {"used_by", "", "", 0, "is used by"},
    {"uses", "", "", 0, "uses"},
    {"located_in", "", "", 0, "is found in"},
    {"similar_to", "", "", REL_SYMMETRIC, "is like"},
    {"causes", "", "", 0, "brings about"},
    {"precedes", "", "", 0, "comes before"},
    {"follows", "", "", 0, "comes after"},
    {"contains", "", "", 0, "holds"},
    {"implements", "", "", 0, "makes real"},
    {"imports", "", "", 0, "takes in"},
    {"calls", "", "", 0, "calls"},
    {"defines", "", "", 0, "defines"},
    {"inherits", "", "", 0, "inherits from"},
    {"custom", "", "", 0, "as its metadata says"},
    /* skills and taxonomy */
    {"requires", "skill", "skill", 0, "cannot work without"},
    {"enhances", "skill", "skill", 0, "makes better"},
    {"composes", "skill", "skill", 0, "is made of"},
    {"succeeds", "skill", "skill", 0, "replaces or comes after"},
    {"correlates_with", "skill", "skill", REL_SYMMETRIC | REL_OWNED, "is used together with"},
    {"in_category", "skill", "tag", REL_OWNED, "belongs to a category"},
    {"has_skill", "agent", "skill", REL_OWNED, "an agent can do it"},
    {"activates", "", "tag", REL_PLASTIC | REL_OWNED, "a subject lights up a tag"},
    {"HAS_CATEGORY", "", "tag", REL_OWNED, "belongs to a category of the taxonomy"},
    {"USES_TAG", "tag", "tag", REL_OWNED, "a category uses a tag"},
    {"CO_OCCURS", "tag", "tag", REL_PLASTIC | REL_SYMMETRIC | REL_OWNED, "are seen together"},
    {"MAPS_TO_CONCEPT", "tag", "super_concept", REL_PLASTIC | REL_OWNED, "belongs to a wider concept"},
    /* goals */
    {"serves", "skill learning fact", "goal", 0, "helps to reach a goal"},
};

const struct relation *relation_at(size_t i)
{
    return i < sizeof RELATIONS / sizeof *RELATIONS ? &RELATIONS[i] : NULL;
}

const struct relation *relation_find(const char *name)
{
    if (!name)
        return NULL;
    for (size_t i = 0; i < sizeof RELATIONS / sizeof *RELATIONS; i++)
        if (strcasecmp(RELATIONS[i].name, name) == 0)
            return &RELATIONS[i];
    return NULL;
}

/* Is word one of the words of list? An empty list holds every word. */
static bool takes(const char *list, const char *word)
{
    size_t n = word ? strlen(word) : 0;

    if (!*list)
        return true;
    for (const char *at = list; n; at += n) {
        at = strstr(at, word);
        if (!at)
            return false;
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == 0))
            return true;
    }
    return false;
}

bool relation_takes_from(const struct relation *r, const char *kind)
{
    return takes(r->from, kind);
}

bool relation_takes_to(const struct relation *r, const char *kind)
{
    return takes(r->to, kind);
}

bool relation_is_free(const char *name)
{
    size_t n = name ? strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") : 0;

    return n > 0 && n <= RELATION_MAX && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}
