/* Accounts that are not small are packed, so that a loci-web that starts, or meets them first, has them at once. */
#include "vectors_job.h"

#include "index_pack.h"

static err due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return index_pack_due(c, PACK_FROM_NODES, above, ids, max, n);
}

static err step(struct ctx *c, struct slice *s)
{
    TRY(index_pack_write(c, &s->scanned));
    s->changed = s->scanned > 0;
    return ERR_OK;
}

const struct job recall_warmup_job = {
    .name = "recall_warmup", .description = "packs the recall index of large accounts so that it loads quickly",
    .schedule = "*/30 * * * *", .slice_box_s = 1800, .flags = JOB_OUTSIDE, .due = due, .step = step,
};
