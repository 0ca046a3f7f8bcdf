/* The job that lets go of old audit events and outbox events. */
#include "account.h"
#include "app.h"
#include "audit.h"
#include "config.h"
#include "expiry.h"
#include "graph_job.h"
#include "outbox.h"

#define LEGAL_HOLD "legal_hold"      /* setting of an account: nothing of it is let go */

static struct instant days_ago(const struct ctx *c, int64_t days)
{
    return (struct instant){c->now.us - days * DAY_US};
}

static err due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    const struct config *conf = c->app->conf;

    return retention_due(c, days_ago(c, conf->audit_days), days_ago(c, conf->outbox_days), above, ids, max, n);
}

static err step(struct ctx *c, struct slice *s)
{
    const struct config *conf = c->app->conf;
    struct account account;
    int64_t audit, outbox;

    TRY(account_get(c, &account));
    if (json_get_bool(account.settings, LEGAL_HOLD, false)) {
        slice_count(s, "held", 1);
        s->skipped = 1;
        return ERR_OK;
    }
    TRY(audit_purge(c, days_ago(c, conf->audit_days), s->limit, &audit));
    TRY(outbox_purge(c, days_ago(c, conf->outbox_days), s->limit, &outbox));
    s->scanned = s->changed = audit + outbox;
    s->more = audit == s->limit || outbox == s->limit;
    if (audit)
        slice_count(s, "audit", audit);
    if (outbox)
        slice_count(s, "outbox", outbox);
    return ERR_OK;
}

const struct job retention_job = {
    .name = "retention", .description = "lets go of audit and outbox events older than their settings say",
    .schedule = "0 1 * * *", .bound = 500000, .batch = 5000, .flags = JOB_SUSPENDED_TOO | JOB_DRY_RUN, .due = due,
    .step = step,
};
