/* Idempotency keys: held while the request runs, joined to its transaction, kept with its answer; see replay.h. */
#include "replay.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "json.h"
#include "limit.h"
#include "log.h"
#include "principal.h"
#include "replay_store.h"

#define GRACE_US (2 * SECOND_US)

static void hash_key(const char *method, const char *path, const char *key, uint8_t out[REPLAY_HASH])
{
    const char *parts[] = {method, path, key};
    crypto_hash_sha256_state h;

    crypto_hash_sha256_init(&h);
    for (size_t i = 0; i < 3; i++)       /* with the NUL, so that no two triples run together */
        crypto_hash_sha256_update(&h, (const unsigned char *)parts[i], strlen(parts[i]) + 1);
    crypto_hash_sha256_final(&h, out);
}

static err check_key(struct ctx *c, const char *key)
{
    size_t n = strlen(key);

    if (n == 0 || n > LIMIT_IDEMPOTENCY_KEY)
        return fail_field(c, "/Idempotency-Key", "an Idempotency-Key has 1 to %d characters", LIMIT_IDEMPOTENCY_KEY);
    for (size_t i = 0; i < n; i++)
        if (key[i] < 0x20 || key[i] > 0x7e)
            return fail_field(c, "/Idempotency-Key", "an Idempotency-Key is visible ASCII");
    return ERR_OK;
}

static err mark_committed(struct ctx *c, void *arg)
{
    bool mine;

    TRY(replay_store_committed(c, arg, &mine));
    if (mine)
        return ERR_OK;
    return fail(c, ERR_CONFLICT, "this request took so long that its Idempotency-Key was given to a repetition");
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

/* What a row that is there already means. */
static err judge(struct ctx *c, const struct replay *own, const uint8_t request_hash[REPLAY_HASH],
                 const struct replay_row *row, bool *mine, struct replay_answer **found)
{
    bool over = row->expires_at.us <= c->now.us;
    err e;

    if (over || (str_eq(row->state, "running") && row->lease_until.us <= c->now.us)) {
        TRY(replay_store_take(c, own, request_hash, row, mine));
        return *mine ? ERR_OK : fail(c, ERR_CONFLICT, "a request with this Idempotency-Key is still running");
    }
    if (row->request_hash.n != REPLAY_HASH || memcmp(row->request_hash.p, request_hash, REPLAY_HASH) != 0)
        return fail_field(c, "/Idempotency-Key", "this key was used with another body");
    if (str_eq(row->state, "running")) {
        e = fail(c, ERR_CONFLICT, "a request with this Idempotency-Key is still running");
        c->fault.retry_after_s = 1;
        return e;
    }
    if (str_eq(row->state, "committed"))
        return fail(c, ERR_CONFLICT, "a request with this Idempotency-Key was carried out, but its answer is not kept: "
                                     "read what it made before you repeat it under a new key");
    *found = stored_answer(c, row);
    return ERR_OK;
}

err replay_begin(struct ctx *c, const char *method, const char *path, const char *key, struct bytes body,
                 struct replay *own, struct replay_answer **found)
{
    uint8_t request_hash[REPLAY_HASH];
    struct replay_row row;
    bool mine = false, there = false;

    *found = NULL;
    TRY(check_key(c, key));
    hash_key(method, path, key, own->key_hash);
    /* Keyed, since a body may hold a password, which a plain hash would let one guess at. */
    crypto_generichash(request_hash, REPLAY_HASH, body.p, body.n, c->app->secret, SECRET_BYTES);
    own->lease_until.us = c->now.us + 2 * c->app->conf->http_deadline_s * SECOND_US;
    /* A row that another request frees between our insert and our look is asked for again. */
    for (int tries = 0; !mine && !there && tries < 3; tries++) {
        TRY(replay_store_insert(c, own, request_hash, &mine));
        if (!mine)
            TRY(replay_store_get(c, own, &there, &row));
    }
    if (!mine && !there)
        return fail(c, ERR_CONFLICT, "a request with this Idempotency-Key is still running");
    if (there)
        TRY(judge(c, own, request_hash, &row, &mine, found));
    if (mine) {
        c->before_commit = mark_committed;
        c->before_commit_arg = own;
    }
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

void replay_finish(struct ctx *c, const struct replay *own, const struct replay_answer *answer)
{
    struct fault kept = c->fault;
    struct json *headers = json_obj(c->arena);

    c->before_commit = NULL;
    if (!worth_keeping(answer->status)) {
        replay_abandon(c, own);
        return;
    }
    if (answer->is_secret && answer->status < 400)
        return;
    take_time(c);
    ctx_forgive(c);
    json_set_str(c->arena, headers, "etag", answer->etag);
    json_set_str(c->arena, headers, "location", answer->location);
    quietly(c, kept,
            replay_store_done(c, own, answer->status, answer->body,
                              answer->etag || answer->location ? json_text(c->arena, headers) : NULL), "kept");
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
