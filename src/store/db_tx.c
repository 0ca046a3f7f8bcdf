/* Transactions: begun, committed, and run again when the server could not let two of them pass at once. */
#include <assert.h>
#include <string.h>

#include "db_impl.h"

bool db_in_tx(const struct ctx *c)
{
    return c->db->tx != TX_NONE;
}

err db_tx_begin(struct ctx *c)
{
    static const char SQL[] = "START TRANSACTION";
    struct db *db = c->db;

    for (int n = 1; n <= 2; n++) {
        TRY(db_ready(c));
        if (db_send(db, SQL, sizeof SQL - 1)) {
            db->tx = TX_OPEN;
            return ERR_OK;
        }
        db_aftermath(c);
        if (!db_errno_lost(db->last_errno))
            break;
    }
    return db_fault(c, SQL);
}

/* A connection that cannot even roll back is of no more use; the server rolls back what it leaves. */
void db_tx_roll_back(struct db *db)
{
    if (db->on->my && mysql_real_query(db->on->my, "ROLLBACK", 8))
        db_drop(db);
}

err db_tx_commit(struct ctx *c)
{
    struct db *db = c->db;

    if (db_send(db, "COMMIT", 6))
        return ERR_OK;
    db_aftermath(c);
    if (db->tx != TX_LOST) {
        db_tx_roll_back(db);
        return db_fault(c, "COMMIT");
    }
    /* The outcome is unknown, so it must not run again. */
    db->tx = TX_OPEN;
    return db_fault_unknown(c);
}

/* What was left out of a text for lack of room must not be committed. */
static err run_body(struct ctx *c, err (*body)(struct ctx *c, void *arg), void *arg)
{
    TRY(body(c, arg));
    if (c->before_commit)
        TRY(c->before_commit(c, c->before_commit_arg));
    return ctx_check_size(c);
}

/* *again: the transaction is gone through nobody's fault, and may be run once more. */
static err db_tx_run_once(struct ctx *c, err (*body)(struct ctx *c, void *arg), void *arg, bool *again)
{
    struct db *db = c->db;
    err e;

    *again = false;
    e = db_tx_begin(c);
    if (e != ERR_OK)
        return e;
    e = run_body(c, body, arg);
    if (e == ERR_OK && db->tx == TX_OPEN)
        e = db_tx_commit(c);
    else
        db_tx_roll_back(db);
    *again = db->tx != TX_OPEN;
    if (e == ERR_OK && *again) /* body forgave what had ended its transaction */
        e = db_fault(c, "COMMIT");
    db->tx = TX_NONE;
    ctx_tx_is_over(c);
    return e;
}

err db_tx(struct ctx *c, err (*body)(struct ctx *c, void *arg), void *arg)
{
    struct arena_mark mark = arena_mark(c->arena);
    struct ctx before = *c;
    bool again;
    err e;

    if (c->hold && !c->db->in_body)
        return db_hold_tx(c, body, arg);
    if (db_in_tx(c))
        return body(c, arg);
    for (int n = 1;; n++) {
        e = db_tx_run_once(c, body, arg, &again);
        if (!again || ctx_seconds_left(c) == 0)
            return e;
        if (n > DB_TRIES)
            break;
        db_jitter(n);
        c->fault = before.fault;
        c->who = before.who; /* the body may have set them, in memory that goes back now */
        c->access = before.access;
        c->account_id = before.account_id;
        arena_rewind(c->arena, mark);
    }
    if (e == ERR_CONFLICT) {
        c->fault = before.fault;
        e = fail(c, ERR_UNAVAILABLE, "too many concurrent changes of the same row; try again");
        c->fault.retry_after_s = 1;
    }
    return e;
}

struct compound {
    const char *sql;
    const struct db_in *in;
    size_t n_in;
};

static err run_compound(struct ctx *c, void *arg)
{
    const struct compound *k = arg;

    return db_exec_(c, NULL, k->sql, k->in, k->n_in);
}

/* A failure in the middle leaves the server's transaction open: here it ends. (The statement itself begins with ROLLBACK,
 * because after a conflict it is run again where it stands.) */
err db_atomic_(struct ctx *c, const char *alone, const char *joining, const struct db_in *in, size_t n_in)
{
    struct compound k = {joining, in, n_in};
    struct fault before = c->fault;
    err e;

    if (db_in_tx(c) || c->before_commit || c->hold)
        return db_tx(c, run_compound, &k);
    e = db_exec_(c, NULL, alone, in, n_in);
    if (e == ERR_OK)
        return e;
    db_tx_roll_back(c->db);
    if (!db_errno_lost(c->db->last_errno))
        return e;
    c->fault = before;
    return db_fault_unknown(c); /* lost before or behind its COMMIT */
}
