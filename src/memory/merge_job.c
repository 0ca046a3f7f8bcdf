/* memory_dedup: what is new since the last run against all of its space and kind. */
#include "merge_job.h"

#include "dedup.h"

#define OVERLAP_US (120 * SECOND_US) /* a vector may become visible so long after its instant */
#define TRIES 3                      /* sweeps over the same memories, while some of them cannot be merged */
#define ROUNDS 4                     /* of a portion in which more was near than is kept of each */

static int64_t merge_job_count_of(const struct slice *s, const char *name)
{
    const struct json *m = s->extra ? json_get(s->extra, name) : NULL;

    return m && m->type == JSON_INT ? m->i : 0;
}

static err merge_job_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return dedup_due(c, memory_dedup_job.name, above, ids, max, n);
}

/* Its id, "merged into" or "held against" the other's. */
static void would(struct ctx *c, struct slice *s, const struct dedup_pair *p)
{
    const char *what = p->verdict == DEDUP_SAME ? "be merged with" : "be put up for review with";

    slice_would(s, UUID_STR(p->a), arena_printf(c->arena, "%s %s", what, UUID_STR(p->b)));
}

static err count_merge(struct ctx *c, void *slice)
{
    return slice_count_now(c, slice, 0, "merged");
}

/* What no longer is as it was, or failed by itself, does not stop the others. */
static err merge(struct ctx *c, struct slice *s, const struct dedup_pair *p, bool *done)
{
    err e;

    c->before_commit = count_merge;
    c->before_commit_arg = s;
    e = dedup_merge(c, p, done);
    c->before_commit = NULL;
    if (e == ERR_UNAVAILABLE || e == ERR_DEADLINE)
        return e;
    if (e != ERR_OK) {
        slice_failed(s, UUID_STR(p->a), c->fault.message);
        ctx_forgive(c);
    } else if (*done) {
        s->changed++;
        s->changed_told++;
    } else {
        s->skipped++;
    }
    return ERR_OK;
}

/* *merged: some were. */
static err merge_job_settle(struct ctx *c, struct slice *s, const struct dedup_pair *pairs, size_t n, bool *merged)
{
    int64_t doubts = 0;
    bool done;

    for (size_t i = 0; i < n; i++) {
        doubts += pairs[i].verdict == DEDUP_DOUBT;
        if (s->dry)
            would(c, s, &pairs[i]);
        else if (pairs[i].verdict == DEDUP_SAME) {
            TRY(merge(c, s, &pairs[i], &done));
            *merged |= done;
        }
    }
    if (s->dry && n - (size_t)doubts)
        slice_count(s, "merged", (int64_t)n - doubts);
    if (doubts)
        slice_count(s, "review", doubts);
    s->changed += s->dry ? (int64_t)n : doubts;
    return s->dry ? ERR_OK : dedup_note(c, pairs, n);
}

/* Few at once, in an arena of their own: texts may be long, and pairs many. */
static err settle_all(struct ctx *c, struct slice *s, const struct dedup_portion *d, bool *merged)
{
    struct dedup_pair pairs[DEDUP_AT_ONCE];
    struct ctx own = *c;
    err e = ERR_OK;

    own.arena = request_arena_new();
    for (size_t i = 0, n; e == ERR_OK && i < d->n; i += DEDUP_AT_ONCE) {
        e = dedup_judge(&own, d, i, pairs, &n);
        if (e == ERR_OK)
            e = merge_job_settle(&own, s, pairs, n, merged);
        if (e == ERR_OK)
            arena_reset(own.arena);
    }
    if (e != ERR_OK)
        e = fail(c, e, "%s", own.fault.message);
    arena_free(own.arena);
    return e;
}

/* After a sweep among whose memories some could not be merged the next one begins where it began, so that they are tried again;
 * but not for ever: what is new would be found later with every night. s->extra: {failed: in this sweep, tries: sweeps before}. */
static void end_sweep(struct ctx *c, struct slice *s, struct instant began)
{
    int64_t tries = merge_job_count_of(s, "tries") + 1;
    struct json *extra = json_obj(c->arena);

    if (merge_job_count_of(s, "failed") && tries < TRIES)
        json_set_int(c->arena, extra, "tries", tries);
    else
        s->watermark.us = began.us - OVERLAP_US;
    s->extra = extra;
}

static void remember_failed(struct ctx *c, struct slice *s)
{
    struct json *extra;

    if (!s->failed)
        return;
    extra = json_obj(c->arena);
    json_set_int(c->arena, extra, "failed", merge_job_count_of(s, "failed") + s->failed);
    json_set_int(c->arena, extra, "tries", merge_job_count_of(s, "tries"));
    s->extra = extra;
}

static err merge_job_step(struct ctx *c, struct slice *s)
{
    struct dedup_portion d;
    bool again = true;

    for (int round = 0; again && round < ROUNDS; round++) {
        bool merged = false;

        d = (struct dedup_portion){.since = s->watermark, .position = s->cursor, .limit = s->limit};
        TRY(dedup_find(c, &d));
        if (!round && d.looked)
            slice_count(s, "compared", d.looked);
        if (!round)
            s->scanned = d.looked;
        TRY(settle_all(c, s, &d, &merged));
        again = merged && d.crowded && !s->failed; /* what failed would fail again; the next sweep comes here once more */
    }
    s->more = d.more;
    s->cursor = d.position;
    remember_failed(c, s);
    if (!s->more)
        end_sweep(c, s, d.began);
    return ERR_OK;
}

const struct job memory_dedup_job = {
    .name = "memory_dedup", .description = "merges duplicate memories, and lists near duplicates for review", .schedule = "0 4 * * *",
    .after = "memory_consolidation", .after_policy = AFTER_ANY, .bound = 5000, .batch = 500,
    .flags = JOB_OUTSIDE | JOB_STATE | JOB_DRY_RUN, .due = merge_job_due, .step = merge_job_step,
};
