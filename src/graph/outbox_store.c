/* SQL of the outbox. */
#include "outbox_store.h"

#include "db.h"

err outbox_store_insert(struct ctx *c, const char *kind, struct uuid subject_id, struct uuid space_id, const struct json *payload)
{
    return db_exec(c, NULL, "INSERT INTO outbox (account_id, id, at, kind, subject_id, space_id, payload) VALUES (?,?,?,?,?,?,?)",
                   IN(c->account_id), IN(uuid_new(c->now.us)), IN(c->now), IN(kind), IN_OPT(subject_id), IN_OPT(space_id),
                   IN(payload ? json_text(c->arena, payload) : "{}"));
}

err outbox_store_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM outbox WHERE account_id = ? AND at < ? ORDER BY id LIMIT ?",
                   IN(c->account_id), IN(older_than), IN(limit));
}
