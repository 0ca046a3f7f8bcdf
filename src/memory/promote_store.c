/* SQL of promotion. */
#include "promote_store.h"

#include "db.h"
#include "short_term_store.h"

#define USES "3"
_Static_assert(SHORT_TERM_USES == 3, "USES says the same");
#define IS_DUE "promote_state IN ('none', 'queued') AND access_count >= " USES

static void promote_store_add_filter(struct sql *s, const struct promote_filter *f)
{
    if (!uuid_is_nil(f->agent_id))
        sql_add(s, " AND agent_id = ?", IN(f->agent_id));
    if (f->session_id)
        sql_add(s, " AND session_id = ?", IN(f->session_id));
}

err promote_store_due(struct ctx *c, const struct promote_filter *f, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM short_term_memory WHERE " IS_DUE " AND account_id = ? AND id > ?", IN(c->account_id), IN(f->above));
    promote_store_add_filter(&s, f);
    sql_add(&s, " ORDER BY id LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, ids, max, n);
}

err promote_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT DISTINCT account_id FROM short_term_memory WHERE " IS_DUE " AND account_id > ? ORDER BY account_id LIMIT ?",
        IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err promote_store_expired_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT account_id FROM short_term_memory WHERE account_id > ? GROUP BY account_id HAVING MIN(expires_at) <= ?"
        " ORDER BY account_id LIMIT ?",
        IN(above), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err promote_store_waiting(struct ctx *c, const struct promote_filter *f, int64_t *queued, int64_t *expired)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COUNT(*), COUNT(IF(expires_at <= ?, 1, NULL)) FROM short_term_memory WHERE " IS_DUE " AND account_id = ?",
            IN(c->now), IN(c->account_id));
    promote_store_add_filter(&s, f);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(queued), OUT(expired));
}

err promote_store_get(struct ctx *c, struct uuid id, bool *found, struct short_term *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " SHORT_TERM_COLUMNS " FROM short_term_memory WHERE account_id = ? AND id = ? AND " IS_DUE,
                 IN(c->account_id), IN(id)));
    return short_term_store_row(c, &q, found, out);
}

err promote_store_lock(struct ctx *c, struct uuid id, bool *found, struct short_term *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT " SHORT_TERM_COLUMNS " FROM short_term_memory WHERE account_id = ? AND id = ? AND " IS_DUE " FOR UPDATE",
        IN(c->account_id), IN(id)));
    return short_term_store_row(c, &q, found, out);
}

err promote_store_done(struct ctx *c, struct uuid id, enum promote_state state, struct uuid node_id)
{
    return db_exec(c, NULL,
        "UPDATE short_term_memory SET promote_state = ?, promoted_node_id = ?, promote_error = NULL WHERE account_id = ? AND id = ?",
        IN(enumx_name(&promote_state_enumx, (int)state)), IN(node_id), IN(c->account_id), IN(id));
}

err promote_store_failed(struct ctx *c, struct uuid id, const char *error)
{
    return db_exec(c, NULL,
        "UPDATE short_term_memory SET promote_state = IF(promote_attempts + 1 >= ?, 'failed', 'none'),"
        " promote_attempts = promote_attempts + 1, promote_error = LEFT(?, 500) WHERE account_id = ? AND id = ? AND " IS_DUE,
        IN(PROMOTE_ATTEMPTS), IN(error), IN(c->account_id), IN(id));
}

/* ---- what has expired */

err promote_store_expired(struct ctx *c, struct instant failed_before, bool is_worth, struct promise *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;

    TRY(db_query(c, &q,
        "SELECT id, version FROM short_term_memory WHERE account_id = ? AND (promote_state = 'none' AND access_count >= " USES ") = ?"
        " AND expires_at <= ? AND (promote_state <> 'queued' OR access_count < " USES ")"
        " AND (promote_state <> 'failed' OR expires_at <= ?) ORDER BY expires_at LIMIT ? FOR UPDATE",
        IN(c->account_id), IN(is_worth), IN(c->now), IN(failed_before), IN((int64_t)max)));
    for (*n = 0; *n < max; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&rows[*n].id), OUT(&rows[*n].version)));
        if (!found)
            break;
    }
    return ERR_OK;
}

err promote_store_queue(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE short_term_memory SET promote_state = 'queued' WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err promote_store_delete(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM short_term_memory WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}
