/* The jobs: proposals past their deadline by the hour, suggestions of policies by the week. */
#include "steer_job.h"

#include "proposal.h"
#include "recommendation.h"
#include "tuning.h"

static err proposal_expiry_step(struct ctx *c, struct slice *s)
{
    struct proposals_kept kept;
    int64_t stale = 0, n;

    TRY(proposal_keep(c, s->limit, &kept));
    n = kept.expired + kept.reminded;
    if (n < s->limit)
        TRY(recommendation_expire(c, s->limit - n, &stale));
    s->scanned = s->changed = n + stale;
    s->more = n + stale == s->limit;
    slice_count(s, "expired", kept.expired);
    slice_count(s, "reminded", kept.reminded);
    slice_count(s, "dismissed", stale);
    return ERR_OK;
}

const struct job proposal_expiry_job = {
    .name = "proposal_expiry", .description = "ends proposals of agents whose time for a review is over, and reminds of them a day before; "
                                              "dismisses recommendations that were not decided for 90 days",
    .schedule = "0 * * * *", .bound = 5000, .batch = 100, .flags = JOB_DRY_RUN, .due = proposal_due, .step = proposal_expiry_step,
};

static err policy_tuning_select(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct tuning *v;
    struct list list;

    TRY(tuning_list(c, slice_behind(s), s->limit, &list));
    v = list.v;
    for (size_t i = 0; i < list.n; i++)
        rows[i] = slice_row_of(c, &v[i].agent_id, &v[i]);
    *n = list.n;
    return ERR_OK;
}

static err policy_tuning_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool made;

        TRY(tuning_suggest(c, rows[i].data, &made));
        s->changed += made;
        slice_count(s, "analysed", 1);
        if (made)
            slice_count(s, "suggested", 1);
    }
    return ERR_OK;
}

const struct job intervention_policy_tuning_job = {
    .name = "intervention_policy_tuning", .description = "suggests policies for agents by what became of their proposals; changes none",
    .schedule = "0 6 * * 0", .bound = 1000, .batch = 100, .flags = JOB_DRY_RUN, .due = tuning_due, .select = policy_tuning_select,
    .apply = policy_tuning_apply,
};
