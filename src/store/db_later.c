/* Reads that are asked now and answered later; see db_later in db.h. */
#include <assert.h>
#include <poll.h>

#include "db_impl.h"

/* The server gives up in time; who still hears nothing hangs up. */
static int patience_ms(const struct ctx *c)
{
    int64_t left;

    if (!c->deadline_us)
        return DB_PATIENT_S * 1000;
    left = (c->deadline_us - clock_monotonic_us() + 999) / 1000; /* a little less, and it would be tried again for nothing */
    return left < 1 ? 1 : (int)left;
}

/* status: what the library waits for, and what came of it. */
static int wait_for(const struct ctx *c, int status)
{
    struct pollfd p = {.fd = (int)mysql_get_socket(c->db->on->my)};

    p.events = (short)((status & MYSQL_WAIT_READ ? POLLIN : 0) | (status & MYSQL_WAIT_WRITE ? POLLOUT : 0));
    if (poll(&p, 1, patience_ms(c)) <= 0)
        return MYSQL_WAIT_TIMEOUT;
    return (p.revents & ~POLLOUT ? MYSQL_WAIT_READ : 0) | (p.revents & POLLOUT ? MYSQL_WAIT_WRITE : 0);
}

/* Without a word to the server; one that died with its connection is freed like any other. */
void db_unask(struct db *db)
{
    struct stmt *s = db->on->asked.stmt;

    db->on->asked = (struct asked){0};
    if (!s)
        return;
    s->busy = false;
    stmt_forget(db->on, s);
}

void db_hear(struct ctx *c)
{
    struct asked *a = &c->db->on->asked;

    if (!a->stmt || a->is_heard)
        return;
    while (a->waits)
        a->waits = mysql_stmt_execute_cont(&a->failed, a->stmt->st, wait_for(c, a->waits));
    if (!a->failed) {
        stmt_count_cols(a->stmt);
        stmt_bind_out(a->stmt);
        a->failed = mysql_stmt_store_result(a->stmt->st);
    }
    a->is_heard = true;
    if (!a->failed)
        return;
    db_note(c->db, a->stmt->st);
    db_unask(c->db);
    db_aftermath(c);
}

static struct stmt *db_later_get(struct ctx *c, const char *sql)
{
    struct db *db = c->db;
    struct stmt *s;

    if (db->tx != TX_NONE || db_ready(c) != ERR_OK)
        return NULL;
    if (db->on->asked.stmt) { /* nobody came for its rows */
        stmt_release(db->on->asked.stmt);
        db->on->asked = (struct asked){0};
    }
    s = stmt_get(db, (struct sql_text){.s = sql});
    if (s && db_call_begins(db))
        return s;
    db_aftermath(c);
    return NULL;
}

void db_ask_(struct ctx *c, struct db_later *l, const char *sql, const struct db_in *in, size_t n_in)
{
    struct fault before = c->fault;
    struct db *db = c->db;
    struct stmt *s = db_later_get(c, sql);

    c->fault = before;
    *l = (struct db_later){.sql = sql, .in = arena_memdup(c->arena, in, n_in * sizeof *in), .n_in = n_in};
    if (!s)
        return;
    assert(s->is_read);
    stmt_bind_in(s, in, n_in);
    s->busy = true;
    db->on->asked = (struct asked){.stmt = s, .number = l->number = ++db->asks};
    db->on->asked.waits = mysql_stmt_execute_start(&db->on->asked.failed, s->st);
}

err db_answer(struct ctx *c, const struct db_later *l, struct db_cursor *q)
{
    struct asked *a = &c->db->on->asked;

    db_cursor_begin(c, q);
    if (l->number && a->number == l->number)
        db_hear(c);
    if (!l->number || a->number != l->number)
        return db_run(c, q, NULL, (struct sql_text){.s = l->sql}, l->in, l->n_in);
    q->stmt = a->stmt;
    *a = (struct asked){0};
    return ERR_OK;
}
