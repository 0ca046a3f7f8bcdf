/* The job of the access log; see access_log_job.h. */
#include "access_log_job.h"

#include "access_log.h"
#include "account.h"

static err step(struct ctx *c, struct slice *s)
{
    struct account account;
    int64_t n;

    TRY(account_get(c, &account));
    if (json_get_bool(account.settings, "legal_hold", false)) {      /* nothing of it is let go */
        slice_count(s, "held", 1);
        s->skipped = 1;
        return ERR_OK;
    }
    TRY(access_log_purge(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n == s->limit;
    return ERR_OK;
}

const struct job access_log_cleanup_job = {
    .name = "access_log_cleanup", .description = "removes what the access log of contexts holds for more than 90 days",
    .schedule = "10 3 * * *", .bound = 1000000, .batch = 2000, .flags = JOB_DRY_RUN, .due = access_log_due, .step = step,
};
