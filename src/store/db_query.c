/* Running a statement, and running it again where that is harmless. */
#include <assert.h>
#include <mysqld_error.h>
#include <string.h>

#include "db_impl.h"

enum verdict { DONE, AGAIN, FAILED };

/* Outside a transaction: a conflict has rolled the statement back whole; a lost read has changed nothing;
 * a statement that the server does not know (any more) was not run. */
static enum verdict db_query_judge(struct db *db, bool is_read, int n)
{
    unsigned e = db->last_errno;

    if (e == ER_UNKNOWN_STMT_HANDLER || e == ER_NEED_REPREPARE)
        return n == 1 ? AGAIN : FAILED;
    if (db->tx != TX_NONE)
        return FAILED;
    if (db_errno_conflict(e) && n <= DB_TRIES) {
        db_jitter(n);
        return AGAIN;
    }
    return db_errno_lost(e) && is_read && n == 1 ? AGAIN : FAILED;
}

static bool execute(struct db *db, struct stmt *s)
{
    if (!db_call_begins(db))
        return false;
    if (mysql_stmt_execute(s->st))
        return db_note(db, s->st);
    stmt_count_cols(s);
    if (s->n_cols == 0)
        return true;
    stmt_bind_out(s);
    return mysql_stmt_store_result(s->st) == 0 || db_note(db, s->st);
}

/* The server hangs up on a packet that is too large for it, so we ask before we send one that may be. */
static bool may_send(struct db *db, const struct db_in *in, size_t n_in)
{
    int64_t total = 0;

    for (size_t i = 0; i < n_in; i++)
        total += in[i].type == DB_TEXT || in[i].type == DB_BLOB ? (int64_t)in[i].bytes.n : 0;
    if (total < DB_LARGE)
        return true;
    if (!db->on->max_packet && !db_ask_max_packet(db))
        return false;
    if (total + DB_LARGE / 2 < db->on->max_packet)
        return true;
    db->last_errno = ER_NET_PACKET_TOO_LARGE;
    return false;
}

static enum verdict db_query_try_once(struct ctx *c, struct stmt **out, struct sql_text text, const struct db_in *in,
                                      size_t n_in, int n)
{
    struct db *db = c->db;
    struct stmt *s = stmt_get(db, text);
    bool is_read;

    if (!s) {
        db_aftermath(c);
        return db_query_judge(db, true, n); /* only prepared: nothing was run */
    }
    stmt_bind_in(s, in, n_in);
    if (may_send(db, in, n_in) && execute(db, s)) {
        *out = s;
        return DONE;
    }
    is_read = s->is_read;
    if (db->last_errno == ER_UNKNOWN_STMT_HANDLER || db->last_errno == ER_NEED_REPREPARE || !s->kept)
        stmt_forget(db->on, s);
    db_aftermath(c);
    return db_query_judge(db, is_read, n);
}

err db_run(struct ctx *c, struct db_cursor *q, int64_t *changed, struct sql_text text, const struct db_in *in,
           size_t n_in)
{
    enum verdict v = AGAIN;
    struct stmt *s = NULL;

    if (c->hold && c->db->tx == TX_NONE && !stmt_is_read(text.s))
        TRY(db_hold_open(c));
    for (int n = 1; v == AGAIN; n++) {
        TRY(db_ready(c));
        v = db_query_try_once(c, &s, text, in, n_in, n);
    }
    if (v == FAILED)
        return db_fault(c, text.s);
    if ((s->n_cols != 0) != (q != NULL))
        stmt_bug(s, q ? "a statement without rows was queried" : "a statement with rows was executed",
                 s->n_cols);
    if (changed)
        *changed = (int64_t)mysql_stmt_affected_rows(s->st);
    if (q) {
        s->busy = true;
        q->stmt = s;
    } else if (!s->kept) {
        stmt_forget(c->db->on, s);
    }
    return ERR_OK;
}

err db_query_(struct ctx *c, struct db_cursor *q, const char *sql, const struct db_in *in, size_t n_in)
{
    db_cursor_begin(c, q);
    return db_run(c, q, NULL, (struct sql_text){.s = sql}, in, n_in);
}

err db_exec_(struct ctx *c, int64_t *changed, const char *sql, const struct db_in *in, size_t n_in)
{
    return db_run(c, NULL, changed, (struct sql_text){.s = sql}, in, n_in);
}
