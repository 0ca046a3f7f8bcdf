/* Beginning a request, and its deadline. */
#include "ctx.h"

#include "app.h"
#include "block.h"
#include "metrics.h"

static const struct metric REFUSED = {"loci_arena_refused_total", METRIC_COUNTER,
                                      "Requests and portions of work refused because they need too much memory."};

#define CROWDED_RETRY_S 1

void ctx_begin(struct ctx *c, int deadline_s)
{
    *c = (struct ctx){.arena = c->arena, .app = c->app, .db = c->db, .kv = c->kv};
    c->now = clock_now();
    c->deadline_us = deadline_s ? clock_monotonic_us() + deadline_s * SECOND_US : 0;
    c->request_id = "";
    c->ip = "";
}

void ctx_after_tx(struct ctx *c, void (*run)(struct ctx *c, void *arg), void *arg)
{
    struct tx_after *t = ARENA_NEW(c->arena, struct tx_after);
    struct ctx *to = c->held_by ? c->held_by : c;

    *t = (struct tx_after){run, arg, to->tx_after};
    to->tx_after = t;
}

void ctx_tx_is_over(struct ctx *c)
{
    struct fault kept = c->fault;
    bool refused = arena_refused(c->arena);
    struct db_hold *hold = c->hold;

    arena_excuse(c->arena);                        /* they say what has happened, and store nothing of what was being built */
    c->hold = NULL;                                /* what they write is no part of the request's transaction */
    for (struct tx_after *t; (t = c->tx_after);) { /* run may have a transaction of its own */
        c->tx_after = t->next;
        t->run(c, t->arg);
    }
    c->hold = hold;
    c->fault = kept;
    if (refused)
        arena_refuse(c->arena);
}

void ctx_forgive(struct ctx *c)
{
    c->fault = (struct fault){0};
}

struct arena *request_arena_new(void)
{
    return arena_new_soft(REQUEST_ARENA_SOFT, REQUEST_ARENA_CAP);
}

err ctx_check_size(struct ctx *c)
{
    size_t limit = block_memory().limit, most = limit && limit < REQUEST_ARENA_SOFT ? limit : REQUEST_ARENA_SOFT;

    if (arena_takes(c->arena, 0))
        return ERR_OK;
    if (c->app && c->app->metrics && c->fault.code != ERR_TOO_LARGE)
        metrics_add(c->app->metrics, &REFUSED, "", 1);
    if (arena_crowded(c->arena)) {
        err e = fail_reason(c, ERR_UNAVAILABLE, "memory", "not enough memory for this request right now (web.request_memory_mb); try again "
                                                          "in a moment");

        c->fault.retry_after_s = CROWDED_RETRY_S;
        return e;
    }
    return fail(c, ERR_TOO_LARGE, "the request needs more than %zu MiB of memory; request less at once", most >> 20);
}

err ctx_check_deadline(struct ctx *c)
{
    if (!c->deadline_us || clock_monotonic_us() < c->deadline_us)
        return ERR_OK;
    return fail(c, ERR_DEADLINE, "request timeout");
}

int ctx_seconds_left(const struct ctx *c)
{
    int64_t left;

    if (!c->deadline_us)
        return 3600;
    left = c->deadline_us - clock_monotonic_us();
    return left <= 0 ? 0 : (int)((left + SECOND_US - 1) / SECOND_US);
}
