/* Jobs of tags: weights at 02:00, pairs at 02:30, the review at 02:45, mining at 03:00, tiers at 03:30. */
#include "taxonomy_job.h"

#include "plastic.h"
#include "tag_pattern.h"
#include "tag_upkeep.h"

static err node_decay_step(struct ctx *c, struct slice *s)
{
    int64_t boosted, decayed = 0;

    TRY(plastic_boost(c, s->limit, &boosted));
    if (boosted < s->limit)
        TRY(plastic_decay(c, s->limit - boosted, &decayed));
    s->scanned = s->changed = boosted + decayed;
    s->more = boosted + decayed >= s->limit;
    if (boosted)
        slice_count(s, "boosted", boosted);
    if (decayed)
        slice_count(s, "decayed", decayed);
    return ERR_OK;
}

const struct job node_decay_job = {
    .name = "node_decay", .description = "makes weights between subjects and tags stronger that were used, and takes out those that faded",
    .schedule = "0 2 * * *", .bound = 500000, .batch = 1000, .flags = JOB_DRY_RUN, .due = tag_accounts, .step = node_decay_step,
};

static err taxonomy_hebbian_step(struct ctx *c, struct slice *s)
{
    struct tag_pairing done;

    TRY(tag_upkeep_pairs(c, s->limit, &done));
    s->scanned = done.nodes;
    s->changed = done.pairs;
    s->more = done.nodes >= s->limit;
    return ERR_OK;
}

const struct job taxonomy_hebbian_job = {
    .name = "taxonomy_hebbian", .description = "makes weights between tags stronger that content has together",
    .schedule = "30 2 * * *", .bound = 200000, .batch = 200, .flags = JOB_DRY_RUN, .due = tag_accounts, .step = taxonomy_hebbian_step,
};

static err taxonomy_reconcile_step(struct ctx *c, struct slice *s)
{
    struct tag_reviewing done;

    TRY(tag_upkeep_review(c, slice_behind(s), s->limit, &done));
    s->scanned = done.looked;
    s->changed = done.merged + done.approved + done.archived;
    s->more = done.more;
    s->cursor = done.more ? (struct bytes){arena_memdup(c->arena, &done.last, sizeof done.last), sizeof done.last} : (struct bytes){0};
    slice_count(s, "merged", done.merged);
    slice_count(s, "approved", done.approved);
    slice_count(s, "archived", done.archived);
    slice_count(s, "concepts", done.concepts);
    return ERR_OK;
}

const struct job taxonomy_reconcile_job = {
    .name = "taxonomy_reconcile", .description = "reviews new tags: merges what says the same, approves what is used, archives the rest",
    .schedule = "45 2 * * *", .bound = 5000, .batch = 100, .slice_box_s = 600, .flags = JOB_OUTSIDE | JOB_STATE, .due = tag_accounts,
    .step = taxonomy_reconcile_step,
};

static err fp_growth_step(struct ctx *c, struct slice *s)
{
    struct tag_mining done;

    TRY(tag_pattern_mine(c, (int64_t)slice_param(s, "min_owners"), &done));
    s->scanned = done.rows;
    s->changed = done.found;
    slice_count(s, "owners", done.owners);
    slice_count(s, "least", done.least);
    if (done.skipped)
        slice_count(s, "too_few_owners", 1);
    return ERR_OK;
}

static const struct job_param FP_GROWTH_PARAMS[] = {
    {"min_owners", PARAM_INT, 3, 1000, MINING_OWNERS, "owners that must hold a pattern; five in a hundred of all where that is more"},
    {0},
};

const struct job fp_growth_job = {
    .name = "fp_growth", .description = "finds tags that many owners hold together, without telling who they are",
    .schedule = "0 3 * * *", .flags = JOB_DRY_RUN, .params = FP_GROWTH_PARAMS, .due = tag_accounts, .step = fp_growth_step,
};

static err pattern_promote_step(struct ctx *c, struct slice *s)
{
    struct tag_promotion done;

    TRY(tag_pattern_promote(c, &done));
    s->scanned = done.looked;
    s->changed = done.up + done.down;
    slice_count(s, "up", done.up);
    slice_count(s, "down", done.down);
    return ERR_OK;
}

const struct job pattern_promote_job = {
    .name = "pattern_promote", .description = "moves what many owners have in common up the tiers, and down when they no longer do",
    .schedule = "30 3 * * *", .flags = JOB_DRY_RUN, .due = tag_accounts, .step = pattern_promote_step,
};
