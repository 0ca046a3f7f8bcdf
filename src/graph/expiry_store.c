/* Finding and removing what has expired; see expiry_store.h. */
#include "expiry_store.h"

#include <string.h>

#include "db.h"

#define ACCOUNTS_ASKED 100 /* in one statement */

/* Of the nodes that came due first; the others' accounts have their turn when those are done. */
#define DUE_NODES "(SELECT account_id FROM node WHERE expires_at <= ? ORDER BY expires_at LIMIT 5000)"

err expiry_store_due(struct ctx *c, struct instant tokens_before, struct instant before, struct uuid above,
                     struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT account_id FROM (SELECT account_id FROM token WHERE account_id > ? GROUP BY account_id "
                 "HAVING MIN(expires_at) <= ? UNION SELECT account_id FROM space_grant WHERE account_id > ? "
                 "GROUP BY account_id HAVING MIN(expires_at) <= ? UNION SELECT account_id FROM " DUE_NODES " n "
                 "WHERE account_id > ?) d ORDER BY account_id LIMIT ?",
                 IN(above), IN(tokens_before), IN(above), IN(before), IN(before), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* One question per account, each answered by one look at an index; all in one statement. */
static err keep_old(struct ctx *c, struct uuid audit_before, struct uuid outbox_before, struct uuid *ids, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    for (size_t i = 0; i < *n; i++)
        sql_add(&s,
                "SELECT CAST(? AS UUID) FROM DUAL WHERE EXISTS (SELECT 1 FROM audit_event WHERE account_id = ? AND id < ?) "
                "OR EXISTS (SELECT 1 FROM outbox WHERE account_id = ? AND id < ?) UNION ALL ",
                IN(ids[i]), IN(ids[i]), IN(audit_before), IN(ids[i]), IN(outbox_before));
    s.text.len -= strlen(" UNION ALL ");
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, ids, *n, n);
}

err expiry_store_retention_due(struct ctx *c, struct uuid audit_before, struct uuid outbox_before, struct uuid above,
                               struct uuid *ids, size_t max, size_t *n)
{
    size_t page = max < ACCOUNTS_ASKED ? max : ACCOUNTS_ASKED;

    for (;;) {
        scoped_cursor q = {0};

        TRY(db_query(c, &q, "SELECT id FROM account WHERE id > ? ORDER BY id LIMIT ?", IN(above), IN((int64_t)page)));
        TRY(db_ids(c, &q, ids, page, n));
        db_cursor_done(&q);
        if (*n == 0)
            return ERR_OK;
        above = ids[*n - 1];
        TRY(keep_old(c, audit_before, outbox_before, ids, n));
        if (*n)
            return ERR_OK;
    }
}

/* ---- rows */

static err read_expired(struct ctx *c, struct db_cursor *q, struct expired *rows, size_t max, size_t *n)
{
    bool found = true;
    size_t got = 0;

    while (got < max) {
        TRY(db_row(q, c, &found, OUT(&rows[got].id), OUT_OPT(&rows[got].space_id), OUT_OPT(&rows[got].status)));
        if (!found)
            break;
        got++;
    }
    *n = got;
    return ERR_OK;
}

err expiry_store_tokens(struct ctx *c, struct instant before, struct expired *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT id, NULL, NULL FROM token WHERE account_id = ? AND expires_at <= ? ORDER BY expires_at LIMIT ? "
                 "FOR UPDATE",
                 IN(c->account_id), IN(before), IN((int64_t)max)));
    return read_expired(c, &q, rows, max, n);
}

err expiry_store_grants(struct ctx *c, struct instant before, struct expired *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT id, space_id, NULL FROM space_grant WHERE account_id = ? AND expires_at <= ? "
                 "ORDER BY expires_at LIMIT ? FOR UPDATE",
                 IN(c->account_id), IN(before), IN((int64_t)max)));
    return read_expired(c, &q, rows, max, n);
}

err expiry_store_nodes(struct ctx *c, struct instant before, struct expired *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT id, space_id, status FROM node WHERE account_id = ? AND expires_at <= ? "
                 "ORDER BY expires_at LIMIT ? FOR UPDATE",
                 IN(c->account_id), IN(before), IN((int64_t)max)));
    return read_expired(c, &q, rows, max, n);
}

err expiry_store_delete_tokens(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM token WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err expiry_store_delete_grants(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM space_grant WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}
