/* Jobs of the graph of skills: the scan for conflicts by night, proposals past their deadline by the hour. */
#include "skillgraph_job.h"

#include "skill.h"
#include "skill_conflict.h"
#include "skill_proposal.h"

static err skill_conflict_scan_step(struct ctx *c, struct slice *s)
{
    struct skill_scan done;

    TRY(skill_scan_all(c, &done));
    s->scanned = done.skills;
    s->changed = done.raised;
    slice_count(s, "found", done.found);
    if (done.known)
        slice_count(s, "known", done.known);
    if (done.is_full)
        slice_count(s, "not_kept", 1);
    return ERR_OK;
}

const struct job skill_conflict_scan_job = {
    .name = "skill_conflict_scan", .description = "finds overlaps, contradictions, cycles and other conflicts between skills",
    .schedule = "15 4 * * *", .slice_box_s = 600, .flags = JOB_OUTSIDE, .due = skill_accounts, .step = skill_conflict_scan_step,
};

static err skill_proposal_expiry_step(struct ctx *c, struct slice *s)
{
    int64_t n;

    TRY(skill_proposal_expire(c, s->limit, &n));
    s->scanned = s->changed = n;
    s->more = n == s->limit;
    return ERR_OK;
}

const struct job skill_proposal_expiry_job = {
    .name = "skill_proposal_expiry", .description = "ends proposals of skills whose time for a review is over",
    .schedule = "35 * * * *", .bound = 10000, .batch = 100, .flags = JOB_DRY_RUN, .due = skill_proposal_due,
    .step = skill_proposal_expiry_step,
};
