/* SQL of the outbox. */
#include "outbox_store.h"

#include "db.h"

err outbox_store_insert(struct ctx *c, const char *kind, struct uuid space_id, const struct outbox_event *events, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO outbox (account_id, id, at, kind, subject_id, space_id, payload) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?)", IN(c->account_id), IN(uuid_new(c->now.us)), IN(c->now), IN(kind), IN_OPT(events[i].subject_id),
                IN_OPT(space_id), IN(events[i].payload ? json_text(c->arena, events[i].payload) : "{}"));
    }
    return sql_exec(c, NULL, &s);
}

err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM outbox WHERE account_id = ? AND at < ? ORDER BY id LIMIT ?",
                   IN(c->account_id), IN(older_than), IN(limit));
}
