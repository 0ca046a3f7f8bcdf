/* Idempotency keys: held while the request runs, joined to its transaction, kept with its answer; see replay.h. */
#include "replay.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "db.h"
#include "json.h"
#include "limit.h"
#include "log.h"
#include "principal.h"
#include "replay_store.h"

#define GRACE_US (2 * SECOND_US)
#define LEASE_S 10 /* one that is over is taken up by a repetition; the late first one cannot commit then */
#define LATE_MAX 3

static void hash_key(const char *method, const char *path, const char *key, uint8_t out[REPLAY_HASH])
{
    const char *parts[] = {method, path, key};
    crypto_hash_sha256_state h;

    crypto_hash_sha256_init(&h);
    for (size_t i = 0; i < 3; i++) /* with the NUL, so that no two triples run together */
        crypto_hash_sha256_update(&h, (const unsigned char *)parts[i], strlen(parts[i]) + 1);
    crypto_hash_sha256_final(&h, out);
}

static err check_key(struct ctx *c, const char *key)
{
    size_t n = strlen(key);

    if (n == 0 || n > LIMIT_IDEMPOTENCY_KEY)
        return fail_field(c, "/Idempotency-Key", "an Idempotency-Key must be 1 to %d characters long", LIMIT_IDEMPOTENCY_KEY);
    for (size_t i = 0; i < n; i++)
        if (key[i] < 0x20 || key[i] > 0x7e)
            return fail_field(c, "/Idempotency-Key", "an Idempotency-Key must be visible ASCII");
    return ERR_OK;
}

static struct replay_answer *stored_answer(struct ctx *c, const struct replay_row *row)
{
    struct replay_answer *a = ARENA_NEW(c->arena, struct replay_answer);
    struct json *headers = NULL;
    const char *why;

    *a = (struct replay_answer){.status = row->status, .body = row->body};
    if (row->headers && json_parse(c->arena, row->headers, strlen(row->headers), &headers, &why) == JSON_OK) {
        a->etag = json_get_str(headers, "etag");
        a->location = json_get_str(headers, "location");
    }
    return a;
}

static err still_running(struct ctx *c)
{
    err e;

    ctx_forgive(c);
    e = fail(c, ERR_CONFLICT, "a request with this Idempotency-Key is still running");
    c->fault.retry_after_s = 1;
    return e;
}

static err not_kept(struct ctx *c, const struct replay_answer *a)
{
    if (a->location)
        return fail(c, ERR_CONFLICT, "a request with this Idempotency-Key created %s; its answer contained a secret that is shown only once: "
                                     "delete it and repeat the request with a new key", a->location);
    return fail(c, ERR_CONFLICT, "a request with this Idempotency-Key was carried out, but its answer was not kept: check its result before "
                                 "you repeat it with a new key");
}

static bool is_old(const struct ctx *c, const struct replay_row *row)
{
    return row->expires_at.us <= c->now.us || (str_eq(row->state, "running") && row->lease_until.us <= c->now.us);
}

/* What a row that is there already means, and is not old. */
static err replay_judge(struct ctx *c, const struct replay *own, const struct replay_row *row, struct replay_answer **found)
{
    if (row->request_hash.n != REPLAY_HASH || memcmp(row->request_hash.p, own->request_hash, REPLAY_HASH) != 0)
        return fail_field(c, "/Idempotency-Key", "this Idempotency-Key was used with another body");
    if (str_eq(row->state, "running"))
        return still_running(c);
    if (str_eq(row->state, "committed"))
        return not_kept(c, stored_answer(c, row));
    *found = stored_answer(c, row);
    return ERR_OK;
}

static err name_key(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body, struct replay *own)
{
    *own = (struct replay){0};
    TRY(check_key(c, key));
    hash_key(method, path, key, own->key_hash);
    /* Keyed, since a body may hold a password, which a plain hash would let one guess at. */
    crypto_generichash(own->request_hash, REPLAY_HASH, body.p, body.n, c->app->secret, SECRET_BYTES);
    return ERR_OK;
}

/* Would the same request get the same answer again? */
static bool worth_keeping(int status)
{
    if (status < 400)
        return true;
    return status < 500 && status != 401 && status != 408 && status != 425 && status != 429;
}

/* The caller has its answer, and its fault if there was one; neither changes here. */
static void quietly(struct ctx *c, struct fault kept, err e, const char *what)
{
    if (e != ERR_OK && c->app->log)
        log_say(c->app->log, LOG_WARN, "an idempotency key could not be %s: %s", what, err_info(e)->slug);
    c->fault = kept;
}

/* A request that took all of its time has some more for this: else its key would look taken until the lease is over. */
static void take_time(struct ctx *c)
{
    int64_t until = clock_monotonic_us() + GRACE_US;

    if (c->deadline_us && c->deadline_us < until)
        c->deadline_us = until;
}

/* ETag and Location, or NULL. */
static const char *replay_headers_of(struct ctx *c, const struct replay_answer *a)
{
    struct json *headers = json_obj(c->arena);

    json_set_str(c->arena, headers, "etag", a->etag);
    json_set_str(c->arena, headers, "location", a->location);
    return a->etag || a->location ? json_text(c->arena, headers) : NULL;
}

static bool holds_secret(const struct replay_answer *a)
{
    return a->is_secret && a->status < 400;
}

/* ---- with the change, in one transaction */

/* Others see the row when it is committed, with the change and its answer; until then it is locked. */
static err replay_claim(struct ctx *c, void *arg)
{
    struct replay *own = arg;
    bool mine;

    if (own->is_old)
        TRY(replay_store_drop_old(c, own));
    TRY(replay_store_insert(c, own, &mine));
    own->is_late = !mine;
    return mine ? ERR_OK : still_running(c);
}

err replay_hold(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body, struct replay *own,
                struct replay_answer **found)
{
    struct replay_row row;
    struct db_hold *hold = own->hold ? own->hold : ARENA_NEW(c->arena, struct db_hold);
    bool there;
    err e;

    *found = NULL;
    TRY(name_key(c, method, path, key, body, own));
    own->lease_until = c->now; /* there is none */
    e = replay_store_look(c, own, &there, &row);
    if (e == ERR_CONFLICT)
        return still_running(c);
    TRY(e);
    own->is_old = there && is_old(c, &row);
    if (there && !own->is_old)
        return replay_judge(c, own, &row, found);
    *hold = (struct db_hold){.opened = replay_claim, .arg = own, .tries = hold->tries};
    own->hold = hold;
    db_hold_begin(c, hold);
    return ERR_OK;
}

/* Nothing was changed, so nothing has to go with it. */
static err keep_alone(struct ctx *c, const struct replay *own, const struct replay_answer *a)
{
    if (!worth_keeping(a->status) || holds_secret(a))
        return ERR_OK;
    return replay_store_insert_done(c, own, a->status, a->body, replay_headers_of(c, a));
}

static err keep_with(struct ctx *c, const struct replay *own, const struct replay_answer *a)
{
    struct bytes none = {0};

    return replay_store_answer(c, own, holds_secret(a) ? "committed" : "done", a->status, holds_secret(a) ? none : a->body,
                               replay_headers_of(c, a));
}

/* *again: nothing is saved, or nobody knows whether it is. */
static err end_hold(struct ctx *c, struct replay *own, const struct replay_answer *a, bool *again)
{
    bool save = worth_keeping(a->status) && !own->is_late && db_hold_is_open(c);
    err e = save ? keep_with(c, own, a) : ERR_OK, end;

    end = db_hold_end(c, save && e == ERR_OK, again);
    return e == ERR_OK || *again ? end : e;
}

err replay_settle(struct ctx *c, struct replay *own, const struct replay_answer *answer, bool *again)
{
    struct fault kept = c->fault;
    bool nothing = !db_in_tx(c);
    err e;

    take_time(c);
    ctx_forgive(c);
    e = end_hold(c, own, answer, again);
    if (own->is_late && own->hold->tries++ < LATE_MAX)
        *again = true; /* somebody was quicker: his answer is there now */
    if (*again || e != ERR_OK)
        return e;
    if (own->is_late)
        return still_running(c);
    if (nothing)
        quietly(c, kept, keep_alone(c, own, answer), "kept");
    c->fault = kept;
    return ERR_OK;
}

/* ---- operations of several transactions, or of none */

static err mark_committed(struct ctx *c, void *arg)
{
    bool mine;

    TRY(replay_store_committed(c, arg, &mine));
    if (mine)
        return ERR_OK;
    return fail(c, ERR_CONFLICT, "this request took too long; a repetition took over its Idempotency-Key");
}

/* A row that is there already. One that was carried out in part is gone on with where that is harmless. */
static err replay_take(struct ctx *c, const struct replay *own, const struct replay_row *row, bool may_repeat, bool *mine,
                       struct replay_answer **found)
{
    bool in_part = may_repeat && str_eq(row->state, "committed");

    if (in_part && row->lease_until.us > c->now.us)
        return still_running(c);
    if (!in_part && !is_old(c, row))
        return replay_judge(c, own, row, found);
    TRY(replay_store_take(c, own, row, mine));
    return *mine ? ERR_OK : still_running(c);
}

err replay_begin(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body,
                 bool may_repeat, struct replay *own, struct replay_answer **found)
{
    struct replay_row row;
    bool mine = false, there = false;

    *found = NULL;
    TRY(name_key(c, method, path, key, body, own));
    own->lease_until.us = c->now.us + LEASE_S * SECOND_US;
    /* A row that another request frees between our insert and our look is asked for again. */
    for (int tries = 0; !mine && !there && tries < 3; tries++) {
        TRY(replay_store_insert(c, own, &mine));
        if (!mine)
            TRY(replay_store_get(c, own, &there, &row));
    }
    if (!mine && !there)
        return still_running(c);
    if (there)
        TRY(replay_take(c, own, &row, may_repeat, &mine, found));
    if (mine) {
        c->before_commit = mark_committed;
        c->before_commit_arg = own;
    }
    return ERR_OK;
}

void replay_finish(struct ctx *c, const struct replay *own, const struct replay_answer *answer)
{
    struct fault kept = c->fault;

    c->before_commit = NULL;
    if (!worth_keeping(answer->status)) {
        replay_abandon(c, own);
        return;
    }
    if (holds_secret(answer))
        return;
    take_time(c);
    ctx_forgive(c);
    quietly(c, kept, replay_store_done(c, own, answer->status, answer->body, replay_headers_of(c, answer)), "kept");
}

void replay_abandon(struct ctx *c, const struct replay *own)
{
    struct fault kept = c->fault;

    c->before_commit = NULL;
    take_time(c);
    ctx_forgive(c);
    quietly(c, kept, replay_store_free(c, own), "freed");
}

err replay_purge(struct ctx *c, int64_t limit, int64_t *n)
{
    return replay_store_purge(c, limit, n);
}
