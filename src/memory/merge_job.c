/* memory_dedup: what is new since the last run against all of its space and kind. */
#include "merge_job.h"

#include "dedup.h"

#define OVERLAP_US (120 * SECOND_US)     /* a vector may become visible so long after its instant */
#define ROUNDS 4                         /* of a portion: what took over from others may be near to more */

static err due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return dedup_due(c, memory_dedup_job.name, above, ids, max, n);
}

/* Its id, "merged into" or "held against" the other's. */
static void would(struct ctx *c, struct slice *s, const struct dedup_pair *p)
{
    const char *what = p->verdict == DEDUP_SAME ? "be merged with" : "be put up for review with";

    slice_would(s, UUID_STR(p->a), arena_printf(c->arena, "%s %s", what, UUID_STR(p->b)));
}

static err one(struct ctx *c, struct slice *s, const struct dedup_pair *p, bool *done)
{
    const char *count = p->verdict == DEDUP_SAME ? "merged" : "review";

    if (s->dry) {
        would(c, s, p);
        *done = true;
    } else {
        TRY(dedup_settle(c, p, done));
    }
    s->skipped += !*done;
    s->changed += *done;
    if (*done)
        slice_count(s, count, 1);
    return ERR_OK;
}

/* *again: something was merged. What no longer is as it was, or failed by itself, does not stop the others. */
static err all(struct ctx *c, struct slice *s, const struct dedup_pair *pairs, size_t n, bool *again)
{
    *again = false;
    for (size_t i = 0; i < n; i++) {
        bool done = false;
        err e = one(c, s, &pairs[i], &done);

        if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
            return e;
        if (e != ERR_OK) {
            s->failed++;
            ctx_forgive(c);
        }
        *again |= done && pairs[i].verdict == DEDUP_SAME;
    }
    return ERR_OK;
}

static err step(struct ctx *c, struct slice *s)
{
    struct dedup_portion d;
    bool again = true;

    for (int round = 0; again && round < ROUNDS; round++) {
        d = (struct dedup_portion){.since = s->watermark, .position = s->cursor, .limit = s->limit};
        TRY(dedup_find(c, &d));
        if (!round && d.looked)
            slice_count(s, "compared", d.looked);
        if (!round)
            s->scanned = d.looked;
        TRY(all(c, s, d.pairs, d.n, &again));
        again &= !s->dry;
    }
    s->more = d.more;
    s->cursor = d.position;
    if (!s->more)
        s->watermark.us = d.began.us - OVERLAP_US;
    return ERR_OK;
}

const struct job memory_dedup_job = {
    .name = "memory_dedup", .description = "merges memories that say the same, and lists those that nearly do", .schedule = "0 4 * * *",
    .after = "memory_consolidation", .after_policy = AFTER_ANY, .bound = 5000, .batch = 500,
    .flags = JOB_OUTSIDE | JOB_STATE | JOB_DRY_RUN, .due = due, .step = step,
};
