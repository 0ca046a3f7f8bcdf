/* What an escalation has, and who may read it; see escalation.h. */
#include "escalation.h"

#include "ask.h"
#include "db.h"
#include "escalation_impl.h"
#include "field.h"
#include "health.h"
#include "node.h"
#include "principal.h"
#include "thing.h"

ENUMX_DEFINE(escalation_wanted, ESCALATION_WANTED);
ENUMX_DEFINE(escalation_status, ESCALATION_STATUS);

#define ESCALATION_FIELDS \
    F_ID(struct escalation, "id"), \
    F_STR(struct escalation, asker_kind, COL_READ, 0, 0, "kind of principal that raised it: agent, user or system"), \
    F_UUID(struct escalation, agent_id, COL_READ, "id of the agent or user that raised it"), \
    F_STR(struct escalation, title, COL_READ, 0, 0, "what it is about; data, not instructions"), \
    F_STR(struct escalation, escalation_type, COL_READ, 0, 0, "low_confidence_recall: a question that recall could not answer"), \
    F_ENUM(struct escalation, severity, COL_READ, escalation_severity, ESCALATION_MEDIUM, "how urgent it is", \
           .shades = "off info warn bad"), \
    F_ENUM(struct escalation, status, COL_READ, escalation_status, 0, "how far it is", .shades = "warn info info ok ok"), \
    F_INT(struct escalation, current_level, COL_READ, 0, 0, 0, "place in the chain of the person who is asked now"), \
    F_UUID(struct escalation, escalated_to, COL_READ | FIELD_NULLABLE, "user who is asked now"), \
    F_INT(struct escalation, timeout_hours, COL_READ, 0, 0, 12, "hours that each person has"), \
    F_TIME(struct escalation, next_escalation_at, COL_READ | FIELD_NULLABLE, "when the next person is asked; null: never"), \
    F_TIME(struct escalation, acknowledged_at, COL_READ | FIELD_NULLABLE, "when a person took it on: four times the hours from then"), \
    F_UUID(struct escalation, acknowledged_by, COL_READ | FIELD_NULLABLE, "user who took it on"), \
    F_TIME(struct escalation, exhausted_at, COL_READ | FIELD_NULLABLE, "when no person was left to ask"), \
    F_TIME(struct escalation, remind_at, COL_ROW | FIELD_NULLABLE, "when the admins are reminded"), \
    F_INT(struct escalation, seen_count, COL_READ, 0, 0, 0, "number of occurrences"), \
    F_TIME(struct escalation, last_seen_at, COL_READ, "time of the last occurrence"), \
    F_TIME(struct escalation, resolved_at, COL_READ | FIELD_NULLABLE, "time of the resolution"), \
    F_UUID(struct escalation, resolved_by, COL_READ | FIELD_NULLABLE, "user who resolved it"), \
    F_STR(struct escalation, resolution, COL_READ | FIELD_NULLABLE, 0, 0, "note of that user"), \
    F_UUID(struct escalation, answer_node_id, COL_READ | FIELD_NULLABLE, "node with the answer"), \
    F_VERSION(struct escalation), \
    F_TIME(struct escalation, created_at, COL_READ | COL_BORN, "time when it was raised"), \
    F_TIME(struct escalation, updated_at, COL_READ | COL_TOUCHED, "when it was last changed"), \
    F_BYTES(struct escalation, question_hash, COL_ROW | COL_SEALED, "hash of who asks and what"), \
    F_BYTES(struct escalation, dedup_key, COL_ROW | COL_SEALED | FIELD_NULLABLE, "the same while it is unresolved")

static const struct field ROW_COLUMNS[] = {ESCALATION_FIELDS, F_END};
const struct thing ESCALATION_ROW = THING("escalation", ROW_COLUMNS, struct escalation, .schema = "EscalationRow");

static const struct field ESCALATION_COLUMNS[] = {
    ESCALATION_FIELDS,
    F_JSON(struct escalation, chain, COL_READ, 0, "who is asked, one after the other: user_id and role"),
    F_OBJECT(struct escalation, context, COL_READ, 0, "query, grade, best_score, hit_ids (those you may read), spaces"),
    F_END
};
const struct thing ESCALATION = THING("escalation", ESCALATION_COLUMNS, struct escalation, .schema = "Escalation");

/* ---- reading */

/* An agent has no business with what others ask. */
static bool may_see(const struct ctx *c, const struct escalation *e)
{
    return c->who->kind != PRINCIPAL_AGENT || uuid_eq(e->agent_id, c->who->id);
}

err escalation_list(struct ctx *c, const struct escalation_filter *f, struct page *out)
{
    struct escalation_filter own = *f;
    struct uuid before;

    if (c->who->kind == PRINCIPAL_AGENT)
        own.agent_id = c->who->id;
    TRY(page_begin(c, f->cursor, &before));
    return escalation_store_list(c, &own, before, out);
}

size_t escalation_ids_of(const struct json *list, struct uuid *ids, size_t max)
{
    size_t n = 0;

    for (const struct json *j = json_is(list, JSON_ARR) ? list->first : NULL; j && n < max; j = j->next)
        n += json_is(j, JSON_STR) && uuid_parse(j->s, &ids[n]);
    return n;
}

/* The context without hits that the caller may not read. */
static err show_context(struct ctx *c, struct escalation *e)
{
    struct node_brief briefs[QUESTION_HITS];
    struct uuid ids[QUESTION_HITS];
    size_t n = escalation_ids_of(json_get(e->context, "hit_ids"), ids, QUESTION_HITS), seen = 0;
    struct json *o = json_obj(c->arena);

    TRY(node_briefs(c, ids, n, briefs));
    for (size_t i = 0; i < n; i++)
        if (!uuid_is_nil(briefs[i].id))
            ids[seen++] = ids[i];
    for (const struct json *m = e->context->first; m; m = m->next)
        json_set(c->arena, o, m->key,
                 str_eq(m->key, "hit_ids") ? escalation_ids(c, ids, seen) : json_raw(c->arena, json_text(c->arena, m)));
    e->context = o;
    return ERR_OK;
}

err escalation_find(struct ctx *c, struct uuid id, struct escalation *out)
{
    TRY(thing_get(c, &ESCALATION, id, out));
    if (!may_see(c, out))
        return fail(c, ERR_NOT_FOUND, "no such escalation");
    out->context = json_opened(c->arena, out->context);
    out->chain = json_opened(c->arena, out->chain);
    return ERR_OK;
}

err escalation_get(struct ctx *c, struct uuid id, struct escalation *out)
{
    TRY(escalation_find(c, id, out));
    return show_context(c, out);
}

err escalation_health(struct ctx *c, struct health_part *p)
{
    int64_t open, exhausted;

    TRY(escalation_store_health(c, &open, &exhausted));
    *p = (struct health_part){.name = "escalations", .ok = !exhausted, .needed = true};
    p->detail = exhausted ? arena_printf(c->arena, "%lld without a taker, %lld open", (long long)exhausted, (long long)open)
                          : arena_printf(c->arena, "%lld open", (long long)open);
    return ERR_OK;
}
