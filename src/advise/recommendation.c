/* Recommendations, added and decided; see recommendation.h. */
#include "recommendation.h"

#include "access.h"
#include "content.h"
#include "db.h"
#include "limit.h"
#include "match.h"
#include "recommendation_store.h"
#include "thing.h"

ENUMX_DEFINE(recommendation_type, RECOMMENDATION_TYPE);
ENUMX_DEFINE(recommendation_status, RECOMMENDATION_STATUS);
ENUMX_DEFINE(recommendation_wanted, RECOMMENDATION_WANTED);
ENUMX_DEFINE(urgency, URGENCY);

static const struct field RECOMMENDATION_COLUMNS[] = {
    F_ID(struct recommendation, "id of the recommendation"),
    F_ENUM(struct recommendation, recommendation_type, COL_READ | COL_AUDIT, recommendation_type, ADVISE_QUALITY, "what is recommended"),
    F_STR(struct recommendation, target_kind, COL_READ, 0, 16, "what it is about: skill, agent, space or account"),
    F_UUID(struct recommendation, target_id, COL_READ | COL_AUDIT, "id of that"),
    F_UUID(struct recommendation, space_id, COL_READ | FIELD_NULLABLE, "space of that, where it is in one"),
    F_STR(struct recommendation, title, COL_READ, 0, 255, "what is recommended, in one line; data, not instructions"),
    F_STR(struct recommendation, description, COL_READ | FIELD_NULLABLE, 0, 4000, "the recommendation; data, not instructions"),
    F_NUM(struct recommendation, confidence, COL_READ, 0, 1, 0, "how sure it is"),
    F_OBJECT(struct recommendation, evidence, COL_READ, LIMIT_ATTRS, "what speaks for it"),
    F_OBJECT(struct recommendation, current_config, COL_READ, LIMIT_ATTRS, "how it is"),
    F_OBJECT(struct recommendation, recommended_config, COL_READ, LIMIT_ATTRS, "how it should be: what apply does"),
    F_ENUM(struct recommendation, priority, COL_READ, urgency, URGENCY_MEDIUM, "how important it is", .shades = "off info warn bad"),
    F_UUID(struct recommendation, agent_id, COL_READ | FIELD_NULLABLE, "agent it is about"),
    F_ENUM(struct recommendation, status, COL_READ | COL_AUDIT, recommendation_status, ADVICE_PENDING, "how far it is",
        .shades = "warn info ok off"),
    F_UUID(struct recommendation, decided_by, COL_READ | FIELD_NULLABLE, "who decided it; null: no decision yet, or a job"),
    F_TIME(struct recommendation, decided_at, COL_READ | FIELD_NULLABLE, "when it was decided"),
    F_STR(struct recommendation, reason, COL_READ | COL_AUDIT | FIELD_NULLABLE, 0, RECOMMENDATION_REASON, "why it was dismissed"),
    F_TIME(struct recommendation, applied_at, COL_READ | FIELD_NULLABLE, "when it was applied"),
    F_OBJECT(struct recommendation, way_back, COL_READ | FIELD_NULLABLE, LIMIT_ATTRS, "what an undo needs; null: there is nothing to undo"),
    F_TIME(struct recommendation, due_at, COL_ROW | FIELD_NULLABLE, "when it is stale"),
    F_BYTES(struct recommendation, topic, COL_ROW, "what it is about, as a hash"),
    F_BYTES(struct recommendation, dedup_key, COL_ROW | FIELD_NULLABLE, "the same while it is open"),
    F_VERSION(struct recommendation),
    F_TIMES(struct recommendation),
    F_END
};
const struct thing RECOMMENDATION =
    THING("recommendation", RECOMMENDATION_COLUMNS, struct recommendation, .schema = "Recommendation", .is_news = true);

/* ---- making */

static const struct json *advice_object(struct ctx *c, const struct json *given_)
{
    return given_ ? given_ : json_obj(c->arena);
}

static err advice_insert(struct ctx *c, struct recommendation *r)
{
    TRY(thing_begin(c, &RECOMMENDATION, r));
    r->evidence = advice_object(c, r->evidence);
    r->current_config = advice_object(c, r->current_config);
    r->recommended_config = advice_object(c, r->recommended_config);
    r->due_at = (struct instant){c->now.us + RECOMMENDATION_DAYS * (int64_t)DAY_US};
    r->dedup_key = r->topic;
    return thing_insert(c, &RECOMMENDATION, r);
}

err recommendation_add(struct ctx *c, const struct recommendation *r, bool *made)
{
    struct recommendation row = *r;
    struct instant since = {c->now.us - RECOMMENDATION_REST_DAYS * (int64_t)DAY_US};
    bool rests, full;
    /* another list of nodes, or another text, is no other advice */
    bool is_by_target = r->recommendation_type == ADVISE_HYGIENE || r->recommendation_type == ADVISE_REFINE;
    err e;

    *made = false;
    row.topic = content_hash(c->arena, enumx_name(&recommendation_type_enumx, (int)r->recommendation_type), UUID_STR(r->target_id),
        is_by_target ? NULL : r->recommended_config);
    TRY(recommendation_store_rests(c, row.topic, since, &rests));
    if (rests)
        return ERR_OK;
    TRY(recommendation_store_is_full(c, RECOMMENDATIONS_OPEN, &full));
    if (full)
        return ERR_OK;
    e = advice_insert(c, &row);
    if (e == ERR_CONFLICT) { /* another job was quicker */
        ctx_forgive(c);
        return ERR_OK;
    }
    *made = e == ERR_OK;
    return e;
}

/* ---- reading */

/* Whose recommendations the caller sees: nil for all. */
static struct uuid advice_viewer(const struct ctx *c)
{
    bool all = c->who->kind != PRINCIPAL_AGENT || permissions_have(c->who->perms, PERM_OVERSIGHT_REVIEW);

    return all ? (struct uuid){{0}} : c->who->id;
}

static bool advice_is_visible(const struct ctx *c, const struct recommendation *r)
{
    struct uuid of = advice_viewer(c);

    return (uuid_is_nil(of) || uuid_eq(of, r->agent_id)) && (uuid_is_nil(r->space_id) || access_may_read(c, r->space_id));
}

err recommendation_list(struct ctx *c, const struct recommendation_filter *f, struct page *out)
{
    struct recommendation_filter own = *f;
    struct uuid of = advice_viewer(c), before;

    if (!uuid_is_nil(of))
        own.agent_id = of;
    TRY(page_begin(c, f->cursor, &before));
    return recommendation_store_list(c, &own, before, out);
}

err recommendation_get(struct ctx *c, struct uuid id, struct recommendation *out)
{
    TRY(thing_get(c, &RECOMMENDATION, id, out));
    return advice_is_visible(c, out) ? ERR_OK : fail(c, ERR_NOT_FOUND, "no such recommendation");
}

/* ---- deciding */

err recommendation_take(struct ctx *c, const struct thing_key *key, struct recommendation *out)
{
    bool found;

    TRY(recommendation_store_lock(c, key->id, &found, out));
    if (!found || !advice_is_visible(c, out))
        return fail(c, ERR_NOT_FOUND, "no such recommendation");
    return match_version(c, key->if_version, out->version);
}

err recommendation_wrong_state(struct ctx *c, const struct recommendation *r)
{
    return fail_reason(c, ERR_CONFLICT, "recommendation_state", "the recommendation is %s",
        enumx_name(&recommendation_status_enumx, (int)r->status));
}

err recommendation_move(struct ctx *c, struct recommendation *r, enum recommendation_status to, const char *verb)
{
    struct recommendation was = *r;

    r->status = to;
    r->decided_by = c->who->id;
    r->decided_at = c->now;
    r->due_at = (struct instant){0};
    if (to != ADVICE_APPROVED)
        r->dedup_key = (struct bytes){0};
    return thing_save(c, &RECOMMENDATION, &(struct thing_change){.verb = verb}, &was, r);
}

static err recommendation_approve_tx(struct ctx *c, const struct thing_key *key, struct recommendation *out)
{
    TRY(recommendation_take(c, key, out));
    if (out->status != ADVICE_PENDING)
        return recommendation_wrong_state(c, out);
    return recommendation_move(c, out, ADVICE_APPROVED, "approve");
}
DB_TX(recommendation_approve, struct thing_key, struct recommendation)

static err recommendation_dismiss_tx(struct ctx *c, const struct recommendation_dismissal *in, struct recommendation *out)
{
    TRY(recommendation_take(c, &(struct thing_key){in->id, in->if_version}, out));
    if (out->status > ADVICE_APPROVED)
        return recommendation_wrong_state(c, out);
    out->reason = in->reason;
    return recommendation_move(c, out, ADVICE_DISMISSED, "dismiss");
}
DB_TX(recommendation_dismiss, struct recommendation_dismissal, struct recommendation)

/* ---- the job */

err recommendation_expire(struct ctx *c, int64_t limit, int64_t *n)
{
    struct recommendation *v;
    struct list rows;

    TRY(recommendation_store_overdue(c, limit, &rows));
    v = rows.v;
    for (size_t i = 0; i < rows.n; i++) {
        v[i].reason = "stale";
        TRY(recommendation_move(c, &v[i], ADVICE_DISMISSED, "dismiss"));
    }
    *n = (int64_t)rows.n;
    return ERR_OK;
}
