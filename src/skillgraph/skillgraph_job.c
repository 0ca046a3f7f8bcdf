/* Jobs of the graph of skills: the scan for conflicts by night, proposals past their deadline by the hour. */
#include "skillgraph_job.h"

#include "skill.h"
#include "skill_bridge.h"
#include "skill_conflict.h"
#include "skill_proposal.h"
#include "skill_upkeep.h"

static err skill_conflict_scan_step(struct ctx *c, struct slice *s)
{
    struct skill_scan done;
    int64_t joined;

    TRY(skill_scan_all(c, &done));
    TRY(skill_advise_orphans(c, &joined));
    s->scanned = done.skills;
    s->changed = done.raised;
    slice_count(s, "found", done.found);
    if (joined)
        slice_count(s, "edges_recommended", joined);
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

/* ---- upkeep */

static err skill_stale_decay_select(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct skill_due *due;
    struct list list;

    TRY(skill_upkeep_due(c, slice_behind(s), s->limit, &list));
    due = list.v;
    for (size_t i = 0; i < list.n; i++)
        rows[i] = slice_row_of(c, &due[i].id, &due[i]);
    *n = list.n;
    return ERR_OK;
}

static err skill_stale_decay_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    const struct skill_due *first = rows[0].data; /* what select found lies in one piece */
    struct skill_kept kept;

    TRY(skill_upkeep_apply(c, first, n, &kept));
    s->changed += kept.scored + kept.refreshed;
    if (kept.scored)
        slice_count(s, "scored", kept.scored);
    if (kept.refreshed)
        slice_count(s, "reembedded", kept.refreshed);
    if (kept.stale)
        slice_count(s, "stale", kept.stale);
    return ERR_OK;
}

const struct job skill_stale_decay_job = {
    .name = "skill_stale_decay", .description = "computes the scores of skills again and embeds those whose search text changed",
    .schedule = "0 5 * * 0", .bound = 20000, .batch = 100, .flags = JOB_DRY_RUN, .due = skill_accounts,
    .select = skill_stale_decay_select, .apply = skill_stale_decay_apply,
};

static err skill_refinement_step(struct ctx *c, struct slice *s)
{
    struct skill_refined done;

    TRY(skill_refine_some(c, slice_behind(s), s->limit, &done));
    s->scanned = done.looked;
    s->changed = done.recommended;
    s->more = done.looked == s->limit;
    if (s->more)
        slice_go_on(c, s, done.last);
    return ERR_OK;
}

const struct job skill_refinement_job = {
    .name = "skill_refinement", .description = "recommends to take up in a skill's text what learnings say of it",
    .schedule = "30 5 * * 0", .bound = 2000, .batch = 50, .flags = JOB_OUTSIDE | JOB_STATE, .due = skill_accounts,
    .step = skill_refinement_step,
};

static err skill_gap_detection_step(struct ctx *c, struct slice *s)
{
    struct skill_gaps gaps;

    TRY(skill_gaps_detect(c, &gaps));
    s->scanned = gaps.looked;
    s->changed = gaps.recommended;
    return ERR_OK;
}

const struct job skill_gap_detection_job = {
    .name = "skill_gap_detection", .description = "recommends skills for tasks that were asked again and again in vain",
    .schedule = "0 3 1 * *", .flags = JOB_DRY_RUN, .due = skill_gaps_accounts, .step = skill_gap_detection_step,
};
