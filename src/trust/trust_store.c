/* SQL of trust and its history. */
#include "trust_store.h"

#include "db.h"
#include "principal.h"

static int trust_tier_named(const char *name)
{
    int tier = -1;

    return name && enumx_parse(&trust_tier_enumx, name, &tier) ? tier : -1;
}

err trust_store_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct agent_trust *t = row;
    const char *tier, *pinned;

    TRY(db_row(q, c, found, OUT(&t->agent_id), OUT_OPT(&t->parent_id), OUT(&t->name), OUT_OPT(&t->limited_at), OUT(&t->d[0]), OUT(&t->d[1]),
               OUT(&t->d[2]), OUT(&t->d[3]), OUT(&t->d[4]), OUT(&t->overall), OUT(&tier), OUT(&t->evaluation_count),
               OUT_OPT(&t->last_evaluated_at), OUT_OPT(&t->decayed_at), OUT(&t->tier_since), OUT_OPT(&t->last_demoted_at),
               OUT_OPT(&pinned), OUT_OPT(&t->pin_reason)));
    if (!*found)
        return ERR_OK;
    t->tier = (enum trust_tier)(trust_tier_named(tier) > 0 ? trust_tier_named(tier) : 0);
    t->pinned_tier = trust_tier_named(pinned);
    return ERR_OK;
}

err trust_store_get(struct ctx *c, struct uuid agent_id, bool lock, bool *found, struct agent_trust *out)
{
    scoped_cursor q = {0};

    *out = (struct agent_trust){.pinned_tier = -1};
    if (lock)
        TRY(db_query(c, &q, TRUST_SELECT " WHERE a.account_id = ? AND a.id = ? FOR UPDATE", IN(c->account_id), IN(agent_id)));
    else
        TRY(db_query(c, &q, TRUST_SELECT " WHERE a.account_id = ? AND a.id = ?", IN(c->account_id), IN(agent_id)));
    return trust_store_read(c, &q, found, out);
}

err trust_store_save(struct ctx *c, const struct agent_trust *t, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO agent_trust (account_id, agent_id, reliability, cost, safety, quality, speed, overall, tier, "
            "evaluation_count, last_evaluated_at, decayed_at, tier_since, last_demoted_at, pinned_tier, pin_reason, created_at, "
            "updated_at) VALUES ");
    for (size_t i = 0; i < n; i++, t++) {
        const char *pinned = t->pinned_tier >= 0 ? enumx_name(&trust_tier_enumx, t->pinned_tier) : NULL;

        ids[i] = t->agent_id;
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(t->agent_id), IN(t->d[0]), IN(t->d[1]), IN(t->d[2]),
                IN(t->d[3]), IN(t->d[4]), IN(t->overall), IN(enumx_name(&trust_tier_enumx, (int)t->tier)), IN(t->evaluation_count),
                IN_OPT(t->last_evaluated_at), IN_OPT(t->decayed_at), IN(t->tier_since), IN_OPT(t->last_demoted_at), IN_OPT(pinned),
                IN_OPT(t->pin_reason), IN(c->now), IN(c->now));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE reliability = VALUE(reliability), cost = VALUE(cost), safety = VALUE(safety), "
            "quality = VALUE(quality), speed = VALUE(speed), overall = VALUE(overall), tier = VALUE(tier), "
            "evaluation_count = VALUE(evaluation_count), last_evaluated_at = VALUE(last_evaluated_at), decayed_at = VALUE(decayed_at), "
            "tier_since = VALUE(tier_since), last_demoted_at = VALUE(last_demoted_at), pinned_tier = VALUE(pinned_tier), "
            "pin_reason = VALUE(pin_reason), updated_at = VALUE(updated_at)");
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE agent a JOIN agent_trust t ON t.account_id = a.account_id AND t.agent_id = a.id SET a.trust = t.overall WHERE "
            "a.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "a.id", ids, n);
    return sql_exec(c, NULL, &s);
}

/* ---- the history */

err trust_store_seen(struct ctx *c, struct uuid agent_id, const struct trust_item *items, size_t n, bool *seen)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1), id;
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    for (size_t i = 0; i < n; i++)
        ids[i] = items[i].execution_id, seen[i] = false;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT execution_id FROM trust_event WHERE account_id = ? AND agent_id = ? AND kind = ?", IN(c->account_id),
            IN(agent_id), IN(n ? items[0].kind : ""));
    sql_add_in_uuids(&s, "execution_id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&id)));
        if (!found)
            return ERR_OK;
        for (size_t i = 0; i < n; i++)
            seen[i] |= uuid_eq(ids[i], id);
    }
}

err trust_store_add(struct ctx *c, struct uuid agent_id, const struct trust_entry *entries, size_t n)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO trust_event (account_id, id, agent_id, kind, execution_id, by_id, inputs, `before`, `after`, at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct trust_item *item = entries[i].item;

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(uuid_new(c->now.us)), IN(agent_id), IN(item->kind),
                IN(item->execution_id), IN_OPT(c->who->id), IN(json_text(c->arena, item->inputs)),
                IN(json_text(c->arena, entries[i].before)), IN(json_text(c->arena, entries[i].after)), IN(c->now));
    }
    TRY(sql_exec(c, NULL, &s));
    return db_exec(c, NULL, "DELETE FROM trust_event WHERE account_id = ? AND agent_id = ? AND id <= (SELECT id FROM (SELECT id FROM "
                   "trust_event WHERE account_id = ? AND agent_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?) newer)", IN(c->account_id),
                   IN(agent_id), IN(c->account_id), IN(agent_id), IN((int64_t)TRUST_EVENTS));
}

/* ---- for the job */

/* Idle for more than a week, not looked at today, and not down at what stays. */
#define TRUST_DUE \
    "t.last_evaluated_at < ? AND (t.decayed_at IS NULL OR (t.decayed_at < ? AND t.decayed_at < t.last_evaluated_at + INTERVAL 113 DAY))"
#define TRUST_DUE_IN \
    IN((struct instant){c->now.us - TRUST_FRESH_DAYS * DAY_US}), IN((struct instant){c->now.us - 20 * 3600 * SECOND_US})

err trust_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT t.account_id FROM agent_trust t WHERE " TRUST_DUE " AND t.account_id > ? ORDER BY t.account_id "
                 "LIMIT ?", TRUST_DUE_IN, IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err trust_store_idle(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, TRUST_SELECT " WHERE " TRUST_DUE " AND a.account_id = ? ORDER BY a.id LIMIT ? FOR UPDATE", TRUST_DUE_IN,
            IN(c->account_id), IN(limit));
    TRY(sql_rows(c, &s, (size_t)limit, sizeof(struct agent_trust), trust_store_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}
