/* Jobs that tidy up what has expired: tokens, grants, nodes, idempotency keys, and lists of sessions. */

#include "expiry.h"
#include "graph_job.h"
#include "replay.h"
#include "session.h"

/* ---- expired_cleanup */

static err expired_step(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, expiry_nodes, "nodes");
}

static err expired_purge(struct ctx *c, struct slice *s)
{
    TRY(slice_batch(c, s, expiry_tokens, "tokens"));
    return slice_batch(c, s, expiry_grants, "grants");
}

const struct job expired_cleanup_job = {
    .name = "expired_cleanup", .description = "deletes expired tokens and grants, archives expired nodes",
    .schedule = "@every 10s", .bound = 3000, .batch = 1000, .flags = JOB_DRY_RUN, .due = expiry_due,
    .step = expired_step, .purge = expired_purge,
};

/* ---- replay_cleanup */

static err replay_step(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, replay_purge, "idempotency_keys");
}

const struct job replay_cleanup_job = {
    .name = "replay_cleanup", .description = "deletes idempotency keys after 24 hours", .schedule = "@every 1m",
    .bound = 50000, .batch = 1000, .flags = JOB_INSTALLATION, .step = replay_step,
};

/* ---- session_cleanup: an account after the other, in one slice, because most of them have nothing to tidy up */

#define SESSION_USERS 1000 /* people of an account per run */

static err next_account(struct ctx *c, struct slice *s, struct uuid *id, bool *found)
{
    size_t n;

    TRY(job_accounts(c, slice_behind(s), id, 1, &n));
    *found = n == 1;
    return ERR_OK;
}

static err session_step(struct ctx *c, struct slice *s)
{
    struct uuid own = c->account_id;

    for (int64_t i = 0; i < s->limit; i++) {
        struct uuid *id = ARENA_NEW(c->arena, struct uuid);
        int64_t n = 0;
        err e;

        TRY(next_account(c, s, id, &s->more));
        if (!s->more)
            return ERR_OK;
        c->account_id = *id; /* the lists are keyed by account; nothing else of it is touched */
        e = session_prune(c, SESSION_USERS, &n);
        c->account_id = own;
        TRY(e);
        s->cursor = (struct bytes){id, sizeof *id};
        s->scanned++;
        s->changed += n;
    }
    return ERR_OK;
}

const struct job session_cleanup_job = {
    .name = "session_cleanup", .description = "removes ended browser sessions from the session lists",
    .schedule = "@hourly", .batch = 100, .flags = JOB_INSTALLATION | JOB_OUTSIDE | JOB_STATE, .step = session_step,
};
