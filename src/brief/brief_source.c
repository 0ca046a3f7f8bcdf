/* Where the parts of a brief come from: one row for each room, one recall for all that is found by the query. */
#include <string.h>

#include "access.h"
#include "archival.h"
#include "brief_impl.h"
#include "brief_store.h"
#include "inert.h"
#include "policy.h"
#include "scratchpad.h"
#include "space.h"
#include "work.h"

#define CORE_MAX 20
#define POLICIES_MAX 20
#define ARCHIVAL_MAX 200
#define RECENT_MAX 12
#define GOALS_MAX 5
#define CHARS 300

/* ---- stable: the same whatever is asked */

static err brief_core(struct ctx *c, struct briefing *b, size_t section)
{
    const struct brief_row *v;
    struct list all;

    TRY(brief_store_kind(c, "core_block", access_spaces(c), CORE_MAX, &all));
    v = all.v;
    for (size_t i = 0; i < all.n; i++) {
        const char *what = json_get_str(json_opened(c->arena, json_raw(c->arena, v[i].attrs)), "block_kind");
        const char *attrs = arena_printf(c->arena, " kind=\"%s\"", inert_text(c->arena, what ? what : "core"));
        struct brief_item *item = brief_add(c, b, section, v[i].id, "core_block",
                                            brief_line(c->arena, "core", v[i].id, attrs, *v[i].body ? v[i].body : v[i].title, 4000));

        if (item)
            item->stable = true, item->must = what && str_eq(what, "redline");
    }
    return ERR_OK;
}

static err brief_policies(struct ctx *c, struct briefing *b, size_t section)
{
    const struct policy *v;
    struct list all;

    TRY(policy_in_force(c, b->query, POLICIES_MAX, &all));
    v = all.v;
    for (size_t i = 0; i < all.n; i++) {
        const char *attrs = arena_printf(c->arena, " domain=\"%s\"", inert_text(c->arena, v[i].domain));
        struct brief_item *item = brief_add(c, b, section, v[i].id, "policy",
                                            brief_line(c->arena, "policy", v[i].id, attrs, v[i].rule, POLICY_RULE));

        if (item)
            item->stable = v[i].always;
    }
    return ERR_OK;
}

static const char *brief_day(struct ctx *c, struct instant t)
{
    char text[INSTANT_TEXT];

    return t.us ? arena_printf(c->arena, " since=\"%.10s\"", instant_text(t, text)) : "";
}

/* Of the subject of a workspace: at most as much as its share of the budget. */
static err brief_subject(struct ctx *c, struct briefing *b, size_t section)
{
    const struct archival *v;
    struct list texts;

    TRY(archival_published(c, b->in->subject_id, &texts));
    v = texts.v;
    for (size_t i = 0; i < texts.n; i++) {
        const char *attrs = arena_printf(c->arena, " section=\"%s\"", enumx_name(&archival_section_enumx, (int)v[i].section));
        const struct archival_line *lines = v[i].lines.v;

        for (size_t k = 0; k < v[i].lines.n; k++) {
            struct brief_item *item = brief_add(c, b, section, lines[k].source_id, "archival",
                                                brief_line(c->arena, "archival", v[i].id, attrs, lines[k].text, CHARS));

            if (item)
                item->stable = true;
        }
    }
    return ERR_OK;
}

/* What is known for longest, in the order in which it was learned: a new fact comes behind the others. */
static err brief_archival(struct ctx *c, struct briefing *b, size_t section)
{
    const struct brief_fact *v;
    struct list all;

    if (!uuid_is_nil(b->in->subject_id))
        TRY(brief_subject(c, b, section));
    TRY(brief_store_facts(c, access_spaces(c), ARCHIVAL_MAX, &all));
    v = all.v;
    for (size_t i = 0; i < all.n; i++) {
        struct brief_item *item = brief_add(c, b, section, v[i].id, "fact",
                                            brief_line(c->arena, "memory", v[i].id, brief_day(c, v[i].since), v[i].statement, CHARS));

        if (item)
            item->stable = true;
    }
    return ERR_OK;
}

/* What the agent said and heard last before this session, or before today: the same turns until the session is over. */
static err brief_recent(struct ctx *c, struct briefing *b, size_t section)
{
    struct instant before = {b->in->session_id ? c->now.us : c->now.us - c->now.us % DAY_US};
    const struct brief_turn *v;
    struct uuid own;
    struct list all;

    if (c->who->kind != PRINCIPAL_AGENT || b->in->as_of.us || b->in->as_known_at.us)
        return ERR_OK;
    if (b->in->session_id)
        TRY(brief_store_began(c, c->who->id, b->in->session_id, &before));
    TRY(space_own(c, &own));
    TRY(brief_store_turns(c, own, before, RECENT_MAX, &all));
    v = all.v;
    for (size_t i = all.n; i-- > 0;) {
        const char *attrs = arena_printf(c->arena, " kind=\"episode\" role=\"%s\"%s", v[i].role, brief_day(c, v[i].at));
        struct brief_item *item = brief_add(c, b, section, v[i].id, "episode", brief_line(c->arena, "memory", v[i].id, attrs, v[i].body,
                                                                                          CHARS));

        if (item)
            item->stable = true;
    }
    return ERR_OK;
}

/* ---- the agent's own */

static err brief_working(struct ctx *c, struct briefing *b, size_t section)
{
    struct uuid who = c->who->id, none = {{0}};
    struct scratchpad pad;

    if (c->who->kind != PRINCIPAL_AGENT)
        return ERR_OK;
    TRY(scratchpad_get(c, who, &pad));
    if (*pad.body)
        brief_add(c, b, section, none, "scratchpad", inert_text(c->arena, pad.body));
    return ERR_OK;
}

static err brief_goals(struct ctx *c, struct briefing *b, size_t section)
{
    struct list work, goals;
    const struct brief_row *g;
    const struct work_node *w;

    TRY(work_of_caller(c, c->who->id, GOALS_MAX, &work));
    w = work.v;
    for (size_t i = 0; i < work.n; i++) {
        const char *attrs = arena_printf(c->arena, " kind=\"work_item\" status=\"%s\"",
                                         enumx_name(&work_status_enumx, (int)w[i].work_status));

        brief_add(c, b, section, w[i].id, "work_item", brief_line(c->arena, "memory", w[i].id, attrs, w[i].title, CHARS));
    }
    TRY(brief_store_kind(c, "goal", access_spaces(c), GOALS_MAX, &goals));
    g = goals.v;
    for (size_t i = 0; i < goals.n; i++)
        brief_add(c, b, section, g[i].id, "goal", brief_line(c->arena, "memory", g[i].id, " kind=\"goal\"", g[i].title, CHARS));
    return ERR_OK;
}

/* ---- kinds of hits */

static bool brief_is_fact(const char *kind)
{
    return str_eq(kind, "fact");
}

static bool brief_is_note(const char *kind)
{
    return str_eq(kind, "note") || str_eq(kind, "entry") || str_eq(kind, "entity");
}

static bool brief_is_episode(const char *kind)
{
    return str_eq(kind, "episode");
}

static bool brief_is_skill(const char *kind)
{
    return str_eq(kind, "skill") || str_eq(kind, "bad_pattern");
}

static bool brief_is_learning(const char *kind)
{
    return str_eq(kind, "learning") || str_eq(kind, "pool_entry");
}

static bool brief_is_knowledge(const char *kind)
{
    return str_eq(kind, "knowledge") || str_eq(kind, "chunk") || str_eq(kind, "document");
}

static bool brief_is_page(const char *kind)
{
    return str_eq(kind, "page") || str_eq(kind, "article");
}

const struct brief_source BRIEF_SOURCES[] = {
    {"core", 8, CORE_MAX, ZONE_POLICY, NULL, brief_core},
    {"policies", 14, POLICIES_MAX, ZONE_POLICY, NULL, brief_policies},
    {"archival", 16, ARCHIVAL_MAX, ZONE_RECALLED, NULL, brief_archival},
    {"recent", 4, RECENT_MAX, ZONE_RECALLED, NULL, brief_recent},
    {"working_memory", 12, 1, ZONE_OWN, NULL, brief_working},
    {"facts", 20, 25, ZONE_RECALLED, brief_is_fact, NULL},
    {"notes", 4, 5, ZONE_RECALLED, brief_is_note, NULL},
    {"episodes", 6, 8, ZONE_RECALLED, brief_is_episode, NULL},
    {"skills", 10, 5, ZONE_RECALLED, brief_is_skill, NULL},
    {"learnings", 6, 8, ZONE_RECALLED, brief_is_learning, NULL},
    {"knowledge", 8, 8, ZONE_RECALLED, brief_is_knowledge, NULL},
    {"pages", 4, 4, ZONE_RECALLED, brief_is_page, NULL},
    {"goals_and_work", 4, 2 * GOALS_MAX, ZONE_RECALLED, NULL, brief_goals},
};
const size_t BRIEF_N_SOURCES = sizeof BRIEF_SOURCES / sizeof *BRIEF_SOURCES;
