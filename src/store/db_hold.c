/* One transaction for all that an operation changes; see db_hold in db.h. */
#include <assert.h>

#include "db_impl.h"

#define SAVEPOINT "SAVEPOINT part"
#define UNDO "ROLLBACK TO SAVEPOINT part"

void db_hold_begin(struct ctx *c, struct db_hold *h)
{
    assert(c->db->tx == TX_NONE && !c->hold);
    c->hold = h;
    c->held_by = c;
}

bool db_hold_is_open(const struct ctx *c)
{
    return c->hold && c->db->tx == TX_OPEN;
}

/* Nothing that matters is in it yet. */
static void close_it(struct ctx *c)
{
    db_tx_roll_back(c->db);
    c->db->tx = TX_NONE;
    ctx_tx_is_over(c->held_by);
}

err db_hold_open(struct ctx *c)
{
    struct db *db = c->db;
    bool in_body = db->in_body;
    err e;

    e = db_tx_begin(c);
    c->hold->unopened = e == ERR_CONFLICT;
    TRY(e);
    db->in_body = true;
    e = c->hold->opened(c, c->hold->arg);
    db->in_body = in_body;
    if (e == ERR_OK || db->tx != TX_OPEN) /* a lost one stays lost: the operation runs again */
        return e;
    close_it(c);
    return e;
}

static err db_hold_send(struct ctx *c, const char *sql, size_t n)
{
    TRY(db_ready(c));
    if (db_send(c->db, sql, n))
        return ERR_OK;
    db_aftermath(c);
    return db_fault(c, sql);
}

/* What the failed part wrote goes; its failure is kept. Where that cannot be done, the whole transaction is lost. */
static void undo_part(struct ctx *c)
{
    struct fault kept = c->fault;

    if (db_hold_send(c, UNDO, sizeof UNDO - 1) != ERR_OK && c->db->tx == TX_OPEN) {
        c->db->tx = TX_CONFLICT;
        c->db->tx_errno = c->db->last_errno;
    }
    c->fault = kept;
}

err db_hold_tx(struct ctx *c, err (*body)(struct ctx *c, void *arg), void *arg)
{
    struct db *db = c->db;
    bool is_first = db->tx == TX_NONE;
    err e;

    TRY(is_first ? db_hold_open(c) : db_hold_send(c, SAVEPOINT, sizeof SAVEPOINT - 1));
    db->in_body = true;
    e = body(c, arg);
    db->in_body = false;
    if (db->tx != TX_OPEN)
        return e != ERR_OK ? e : fail(c, ERR_CONFLICT, "the transaction was lost");
    if (e == ERR_OK)
        return ERR_OK;
    if (is_first)
        close_it(c);
    else
        undo_part(c);
    return e;
}

static err give_up(struct ctx *c, err e, bool *again)
{
    *again = false;
    if (e == ERR_UNAVAILABLE)
        return e;
    ctx_forgive(c);
    e = fail(c, ERR_UNAVAILABLE, "too many concurrent changes of the same row; try again");
    c->fault.retry_after_s = 1;
    return e;
}

err db_hold_end(struct ctx *c, bool save, bool *again)
{
    struct db *db = c->db;
    err e = ERR_OK;

    struct db_hold *h = c->hold;

    c->hold = NULL;
    c->held_by = NULL;
    *again = db->tx == TX_NONE ? h->unopened : db->tx != TX_OPEN;
    if (db->tx == TX_NONE && !*again)
        return ERR_OK;
    if (save && !*again) {
        e = db_tx_commit(c);
        *again = db->tx != TX_OPEN || (e != ERR_OK && !db->on->my);
    } else if (db->tx != TX_NONE) {
        db_tx_roll_back(db);
    }
    db->tx = TX_NONE;
    ctx_tx_is_over(c);
    if (!*again || h->tries >= DB_TRIES || ctx_seconds_left(c) == 0)
        return *again ? give_up(c, e, again) : e;
    db_jitter(++h->tries);
    return e;
}
