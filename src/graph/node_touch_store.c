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
