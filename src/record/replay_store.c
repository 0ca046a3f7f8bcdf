/* SQL of idempotency keys. */
#include "replay_store.h"

#include "db.h"
#include "principal.h"

#define WHERE_KEY " WHERE account_id = ? AND principal_id = ? AND key_hash = ?"
#define KEY(r) IN(c->account_id), IN(c->who->id), IN(((struct bytes){(r)->key_hash, REPLAY_HASH}))
#define HASH(h) IN(((struct bytes){(h), REPLAY_HASH}))

static struct instant replay_store_expiry(const struct ctx *c)
{
    return (struct instant){c->now.us + REPLAY_HOURS * 3600 * SECOND_US};
}

err replay_store_insert(struct ctx *c, const struct replay *r, bool *mine)
{
    int64_t n;

    TRY(db_exec(c, &n,
        "INSERT IGNORE INTO idempotency_key (account_id, principal_id, key_hash, request_hash, state, lease_until,"
        " created_at, expires_at) VALUES (?, ?, ?, ?, 'running', ?, ?, ?)",
        KEY(r), HASH(r->request_hash), IN(r->lease_until), IN(c->now), IN(replay_store_expiry(c))));
    *mine = n == 1;
    return ERR_OK;
}

err replay_store_insert_done(struct ctx *c, const struct replay *r, int status, struct bytes body, const char *headers)
{
    return db_exec(c, NULL,
        "INSERT IGNORE INTO idempotency_key (account_id, principal_id, key_hash, request_hash, state, status, body, headers,"
        " lease_until, created_at, expires_at) VALUES (?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, ?)",
        KEY(r), HASH(r->request_hash), IN(status), IN_OPT(body), IN_OPT(headers), IN(r->lease_until), IN(c->now), IN(replay_store_expiry(c)));
}

err replay_store_answer(struct ctx *c, const struct replay *r, const char *state, int status, struct bytes body,
                        const char *headers)
{
    return db_exec(c, NULL,
        "UPDATE idempotency_key SET state = ?, status = ?, body = ?, headers = ?" WHERE_KEY,
        IN(state), IN(status), IN_OPT(body), IN_OPT(headers), KEY(r));
}

err replay_store_drop_old(struct ctx *c, const struct replay *r)
{
    return db_exec(c, NULL,
        "DELETE FROM idempotency_key" WHERE_KEY " AND (expires_at <= ? OR (state = 'running' AND lease_until <= ?))", KEY(r),
        IN(c->now), IN(c->now));
}

#define SELECT_ROW \
    "SELECT state, request_hash, status, body, headers, lease_until, expires_at FROM idempotency_key" WHERE_KEY

static err replay_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct replay_row *out)
{
    return db_row(q, c, found, OUT(&out->state), OUT(&out->request_hash), OUT(&out->status), OUT_OPT(&out->body),
                  OUT_OPT(&out->headers), OUT(&out->lease_until), OUT(&out->expires_at));
}

err replay_store_get(struct ctx *c, const struct replay *r, bool *found, struct replay_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, SELECT_ROW, KEY(r)));
    return replay_store_read_row(c, &q, found, out);
}

err replay_store_look(struct ctx *c, const struct replay *r, bool *found, struct replay_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, SELECT_ROW " LOCK IN SHARE MODE NOWAIT", KEY(r)));
    return replay_store_read_row(c, &q, found, out);
}

err replay_store_take(struct ctx *c, const struct replay *r, const struct replay_row *old, bool *mine)
{
    int64_t n;

    TRY(db_exec(c, &n,
        "UPDATE idempotency_key SET request_hash = ?, state = 'running', status = 0, body = NULL, headers = NULL,"
        " lease_until = ?, created_at = ?, expires_at = ?" WHERE_KEY " AND state = ? AND lease_until = ?",
        HASH(r->request_hash), IN(r->lease_until), IN(c->now), IN(replay_store_expiry(c)), KEY(r), IN(old->state),
        IN(old->lease_until)));
    *mine = n == 1;
    return ERR_OK;
}

err replay_store_committed(struct ctx *c, const struct replay *r, bool *mine)
{
    int64_t n;

    TRY(db_exec(c, &n,
        "UPDATE idempotency_key SET state = 'committed'" WHERE_KEY
        " AND state IN ('running', 'committed') AND lease_until = ?", KEY(r), IN(r->lease_until)));
    *mine = n == 1;
    return ERR_OK;
}

err replay_store_done(struct ctx *c, const struct replay *r, int status, struct bytes body, const char *headers)
{
    return db_exec(c, NULL,
        "UPDATE idempotency_key SET state = 'done', status = ?, body = ?, headers = ?" WHERE_KEY " AND lease_until = ?",
        IN(status), IN_OPT(body), IN_OPT(headers), KEY(r), IN(r->lease_until));
}

err replay_store_free(struct ctx *c, const struct replay *r)
{
    return db_exec(c, NULL, "DELETE FROM idempotency_key" WHERE_KEY " AND state = 'running' AND lease_until = ?", KEY(r),
                   IN(r->lease_until));
}

err replay_store_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM idempotency_key WHERE expires_at < ? ORDER BY expires_at LIMIT ?", IN(c->now),
                   IN(limit));
}
