/* What one request or job run carries through the house: the first argument of all work. */
#ifndef LOCI_CTX_H
#define LOCI_CTX_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"
#include "err.h"
#include "uuid.h"

#define REQUEST_ARENA_SOFT (256u * 1024 * 1024)
#define REQUEST_ARENA_CAP (1024u * 1024 * 1024)
#define FIELD_ERRORS_MAX 16
#define REQUEST_ID_MAX 64
#define USER_AGENT_MAX 127

struct app;
struct db;
struct db_hold;
struct json;
struct kv;
struct principal;
struct access;

struct field_error {
    const char *pointer, *detail;
    struct field_error *next;
};

/* The first failure of the request: what the transport will tell and what the log will keep. */
struct fault {
    err code;
    const char *message; /* for the caller; an ERR_INTERNAL's text is only logged */
    const char *file;
    int line;
    struct field_error *fields, **fields_end;
    int n_fields;
    int retry_after_s;
    int64_t current_version;          /* with ERR_PRECONDITION, when known */
    const struct json *current_value; /* likewise, where it is small; with ERR_CONFLICT: what is in the way */
    const char *reason;               /* a word for programs, where one code has several causes */
};

/* Something to do once the outermost transaction is over. */
struct tx_after {
    void (*run)(struct ctx *c, void *arg);
    void *arg;
    struct tx_after *next;
};

struct ctx {
    struct arena *arena;
    const struct app *app;
    struct instant now;  /* the one reading of the clock */
    int64_t deadline_us; /* on the monotonic clock; 0: none */
    struct db *db;       /* this thread's connection; connects at first use */
    struct kv *kv;
    struct principal *who;  /* NULL before the gate */
    struct access *access;  /* spaces this request may read, write, manage */
    struct uuid account_id; /* who->account_id: in every statement */
    struct uuid model_id;   /* whose vectors a recall looks at; nil: those of the account's model */
    const char *request_id, *traceparent, *ip, *user_agent;
    int64_t if_match; /* version the caller wants to change; 0: not said */
    /* Runs inside the outermost transaction, just before its commit: the idempotency record joins the change. */
    err (*before_commit)(struct ctx *c, void *arg);
    void *before_commit_arg;
    struct db_hold *hold;      /* all changes of this request are one transaction (db.h), or NULL */
    struct ctx *held_by;       /* the context that it began with: this one, or the one this is a portion of */
    struct tx_after *tx_after; /* see ctx_after_tx */
    struct fault fault;
};

/* Begins a request: clears everything but arena, app, db and kv, which belong to the thread. */
void ctx_begin(struct ctx *c, int deadline_s);
/* run(c, arg) is called when the transaction that is open now is over, committed or not, also when it is about to be run
 * again; it may touch the network and cannot fail the request. */
void ctx_after_tx(struct ctx *c, void (*run)(struct ctx *c, void *arg), void *arg);
/* For db_tx: the transaction is over. */
void ctx_tx_is_over(struct ctx *c);
/* Forgets the failure, where the caller has handled it. */
void ctx_forgive(struct ctx *c);
/* The arena of a request, of a task, or of a portion of one. */
struct arena *request_arena_new(void);
/* ERR_TOO_LARGE when the arena is past its soft limit, or refused something. Everything that brings data in, stores it or sends
 * it asks first. */
err ctx_check_size(struct ctx *c);
/* ERR_DEADLINE once the time is over. */
err ctx_check_deadline(struct ctx *c);
/* Seconds left, at least 1 while the deadline has not passed; 0 when it has. */
int ctx_seconds_left(const struct ctx *c);

#endif
