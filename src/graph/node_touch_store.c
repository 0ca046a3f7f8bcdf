/* SQL of settled uses: one statement reads a batch, one writes it. */
#include "node_touch_store.h"

#include "db.h"

err node_touch_store_lock(struct ctx *c, struct uuid account_id, const struct uuid *ids, size_t n, struct touched *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;
    bool more;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, kind, importance, decay_rate, decayed_at, last_access_at, is_pinned FROM node WHERE account_id = ?",
            IN(account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " ORDER BY id FOR UPDATE");
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        struct touched t = {0};

        TRY(db_row(&q, c, &more, OUT(&t.id), OUT(&t.kind), OUT(&t.life.score), OUT(&t.life.decay_rate), OUT(&t.life.decayed_at),
                   OUT_OPT(&t.life.last_access_at), OUT(&t.life.is_pinned)));
        if (!more)
            break;
        rows[k] = t;
    }
    *found = k;
    return ERR_OK;
}

err node_touch_store_named(struct ctx *c, struct uuid account_id, const struct touched *rows, size_t n)
{
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO node_use (account_id, node_id, uses, last_used_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].named)
            continue;
        if (k++)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?)", IN(account_id), IN(rows[i].id), IN(rows[i].named), IN(rows[i].life.last_access_at));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE uses = uses + VALUES(uses), last_used_at = GREATEST(last_used_at, VALUES(last_used_at))");
    return k ? sql_exec(c, NULL, &s) : ERR_OK;
}

err node_touch_store_uses(struct ctx *c, struct uuid id, int64_t *uses)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COALESCE(SUM(uses), 0) FROM node_use WHERE account_id = ? AND node_id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT(uses));
}

err node_touch_store_add(struct ctx *c, struct uuid id, int64_t uses)
{
    return db_exec(c, NULL,
                   "INSERT INTO node_use (account_id, node_id, uses, last_used_at) VALUES (?, ?, GREATEST(?, 0), ?) "
                   "ON DUPLICATE KEY UPDATE uses = GREATEST(uses + ?, 0)",
                   IN(c->account_id), IN(id), IN(uses), IN(c->now), IN(uses));
}
