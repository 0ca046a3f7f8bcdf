/* The jobs that delete what is old: audit events, outbox events, states of nodes. */
#include <string.h>

#include "app.h"
#include "audit.h"
#include "config.h"
#include "expiry.h"
#include "graph_job.h"
#include "outbox.h"
#include "versions.h"

static struct instant retention_job_days_ago(const struct ctx *c, int64_t days)
{
    return (struct instant){c->now.us - days * DAY_US};
}

/* ---- retention */

static err retention_job_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    const struct config *conf = c->app->conf;

    return retention_due(c, retention_job_days_ago(c, conf->audit_days), retention_job_days_ago(c, conf->outbox_days), above, ids, max, n);
}

static err retention_job_purge(struct ctx *c, struct slice *s)
{
    const struct config *conf = c->app->conf;
    int64_t audit, outbox;

    TRY(audit_purge(c, retention_job_days_ago(c, conf->audit_days), s->limit, &audit));
    TRY(outbox_purge(c, retention_job_days_ago(c, conf->outbox_days), s->limit, &outbox));
    s->scanned = s->changed = audit + outbox;
    s->more = audit == s->limit || outbox == s->limit;
    if (audit)
        slice_count(s, "audit", audit);
    if (outbox)
        slice_count(s, "outbox", outbox);
    return ERR_OK;
}

const struct job retention_job = {
    .name = "retention", .description = "deletes audit and outbox events after retention.audit_days and retention.outbox_days",
    .schedule = "0 1 * * *", .bound = 500000, .batch = 5000, .flags = JOB_SUSPENDED_TOO | JOB_DRY_RUN, .due = retention_job_due,
    .purge = retention_job_purge,
};

/* ---- version_cleanup */

#define NODES 50                     /* locked in one batch */
#define OVERLAP_US (120 * SECOND_US) /* a state may become visible so long after its instant */

/* Where a run stands, as the bytes of its cursor. */
struct position {
    int64_t began;
    struct uuid above;
};

static struct position retention_job_read_position(const struct ctx *c, const struct slice *s)
{
    struct position p = {.began = c->now.us};

    if (s->cursor.p && s->cursor.n == sizeof p)
        memcpy(&p, s->cursor.p, sizeof p);
    return p;
}

static err prune(struct ctx *c, struct slice *s, struct uuid id, bool *done)
{
    int64_t n;
    bool more;

    TRY(versions_prune(c, id, &n, &more));
    s->changed += n;
    s->scanned++;
    if (n)
        slice_would(s, UUID_STR(id), "lose its oldest versions");
    *done = !more || s->dry;
    return ERR_OK;
}

static err versions_purge(struct ctx *c, struct slice *s)
{
    struct position p = retention_job_read_position(c, s);
    struct uuid ids[NODES];
    bool done = true;
    size_t n, i = 0;

    TRY(versions_grown(c, s->watermark, p.above, ids, NODES, &n));
    for (; i < n && done && s->changed < s->limit; i++) {
        TRY(prune(c, s, ids[i], &done));
        if (done)
            p.above = ids[i];
    }
    s->more = i < n || !done || n == NODES;
    s->cursor = s->more ? (struct bytes){arena_memdup(c->arena, &p, sizeof p), sizeof p} : (struct bytes){0};
    if (!s->more)
        s->watermark.us = p.began - OVERLAP_US;
    return ERR_OK;
}

static err versions_due_now(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return versions_due(c, version_cleanup_job.name, above, ids, max, n);
}

const struct job version_cleanup_job = {
    .name = "version_cleanup", .description = "deletes node versions beyond the newest 100",
    .schedule = "20 1 * * *", .bound = 100000, .batch = 2000, .flags = JOB_STATE | JOB_DRY_RUN, .due = versions_due_now,
    .purge = versions_purge,
};
