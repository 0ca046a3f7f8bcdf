/* The queue as a room sees it: kinds of task, promising one, and what a handler is given. */
#ifndef LOCI_TASK_H
#define LOCI_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"

#define TASK_STATUS(X) \
    X(TASK_READY, "ready") X(TASK_RUNNING, "running") X(TASK_DONE, "done") X(TASK_DEAD, "dead") \
    X(TASK_CANCELLED, "cancelled")
ENUMX_DECLARE(task_status, TASK_STATUS);

/* What somebody asked for goes before what comes due by itself: it is promised with one of these instead of its kind's. */
#define TASK_ASKED 2      /* its turns are short: also the threads that are kept for the urgent take it */
#define TASK_ASKED_LONG 4 /* it may hold its thread for minutes */

#define LIMIT_TASK_PAYLOAD (64 * 1024)
#define LIMIT_TASK_KEY 128
#define LIMIT_TASK_READY 200000 /* waiting tasks of one kind and account */
#define LIMIT_TASK_BULK 10000   /* tasks that one call retries or discards */

struct task {
    struct uuid id, account_id, run_id;
    const char *idem_key;
    const struct json *payload;
    int attempts;      /* this one included */
    err result;        /* a batch handler may set it per task; ERR_OK: as the handler returned */
    const char *error; /* with a result: what to tell */
    int retry_after_s; /* with a result: the provider asked for this much patience */
};

/* How the engine goes on when the handler has returned. */
enum task_outcome {
    TASK_BY_RESULT,                  /* done, tried again or dead, as the results say */
    TASK_FINISHED,                   /* task_finish_in_tx has done it */
    TASK_BEHIND                      /* not at its end: once more, behind the others' work */
};

/* What a handler works on: up to `batch` tasks of one account and kind. */
struct task_work {
    const struct task_kind *kind;
    struct task *tasks;
    size_t n;
    enum task_outcome outcome;
    struct lease *lease; /* the engine's */
    struct engine *engine;
};

#define TASK_SWEPT 1u    /* a sweep finds the work from the data itself: a full queue may drop the task */
#define TASK_FORGET 2u   /* the row goes when it is done: its history is kept elsewhere */
#define TASK_OWN_NAME 4u /* the handler says itself who it works as */

struct task_kind {
    const char *name;
    int priority; /* 0 to 9; 0 goes first */
    int lease_s, max_attempts;
    int retry_cap_s;     /* longest wait between tries; 0: an hour */
    int parallel, batch; /* per account; at once and together. parallel 0: one of each lane at once */
    unsigned flags;
    /* Runs as the system principal of the account. ERR_UNAVAILABLE, ERR_PROVIDER, ERR_DEADLINE, ERR_CONFLICT and
     * ERR_INTERNAL are tried again; with c->fault.retry_after_s of ERR_RATE, ERR_PROVIDER and ERR_UNAVAILABLE after
     * that long, without counting; anything else is dead at once. */
    err (*run)(struct ctx *c, struct task_work *w);
    /* Inside the transaction that declares it dead; may be NULL. */
    err (*died)(struct ctx *c, const struct task *t, const char *why);
};

struct task_new {
    const char *kind;
    struct uuid account_id;     /* nil: c->account_id */
    const char *idem_key;       /* carries the version of what it is about */
    const struct json *payload; /* NULL: {} */
    int delay_s;
    int priority;     /* TASK_ASKED…; 0: the kind's */
    const char *lane; /* tasks of one lane are done one at a time; NULL: the kind's parallel holds */
    struct uuid run_id;
};

/* In the transaction of the change that needs it. The same key while ready or dead: nothing; while running: it runs once
 * more after; done within 24 h: nothing. ERR_RATE naming the queue when it is full, unless a sweep will find the work.
 * Schedulers are woken when the transaction is over. */
err task_enqueue(struct ctx *c, const struct task_new *t);
/* n of them in one statement for each 500. */
err task_enqueue_many(struct ctx *c, const struct task_new *t, size_t n);

/* For handlers. Inside the transaction of the work: counts the task as done with it, or fails with ERR_CONFLICT, so that
 * nothing is changed, when the lease was lost meanwhile. */
err task_finish_in_tx(struct ctx *c, struct task_work *w);
/* The scheduler stops, or the lease is lost: leave at the next boundary and return ERR_UNAVAILABLE. */
bool task_should_stop(const struct task_work *w);

#endif
