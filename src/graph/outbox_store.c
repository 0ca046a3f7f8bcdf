/* SQL of the outbox. */
#include "outbox_store.h"

err outbox_store_insert(struct ctx *c, const struct outbox *o)
{
    return db_exec(c, NULL, OUTBOX_INSERT OUTBOX_ROW, OUTBOX_VALUES(c, o));
}

err outbox_store_insert_many(struct ctx *c, const struct outbox *o, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, OUTBOX_INSERT);
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, OUTBOX_ROW, OUTBOX_VALUES(c, &o[i]));
    }
    return sql_exec(c, NULL, &s);
}

err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM outbox WHERE account_id = ? AND at < ? ORDER BY id LIMIT ?",
                   IN(c->account_id), IN(older_than), IN(limit));
}
