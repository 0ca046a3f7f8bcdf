/* SQL of the outbox. */
#include "outbox_store.h"

#include "db.h"

#define INSERT "INSERT INTO outbox (account_id, id, at, kind, subject_id, space_id, payload) VALUES "
#define ROW "(?,?,?,?,?,?,?)"
#define VALUES(c, o) \
    IN((c)->account_id), IN(uuid_new((c)->now.us)), IN((c)->now), IN((o)->kind), IN_OPT((o)->subject_id), \
        IN_OPT((o)->space_id), IN((o)->payload ? json_text((c)->arena, (o)->payload) : "{}")

err outbox_store_insert(struct ctx *c, const struct outbox *o)
{
    return db_exec(c, NULL, INSERT ROW, VALUES(c, o));
}

err outbox_store_insert_many(struct ctx *c, const struct outbox *o, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, INSERT);
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, ROW, VALUES(c, &o[i]));
    }
    return sql_exec(c, NULL, &s);
}

err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM outbox WHERE account_id = ? AND at < ? ORDER BY id LIMIT ?",
                   IN(c->account_id), IN(older_than), IN(limit));
}
