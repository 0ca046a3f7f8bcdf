/* Operations on consolidation. */
#include "belief_calls.h"
#include "consolidate.h"
#include "space.h"

#define TAG .tag = "belief"
#define PATH "/api/v1/memory/consolidation"
#define COUNT_MAX 9e15

struct consolidation_in {
    struct uuid namespace;
    int64_t max_ticks;
};

static const struct field STATUS_IN[] = {
    F_UUID(struct consolidation_in, namespace, FIELD_NULLABLE | FIELD_SPACE,
        "id or slug of a space; default: an agent's own namespace; for a person all readable ones"),
    F_END
};

static const struct field STATUS_OUT[] = {
    F_UUID(struct consolidation_status, space_id, FIELD_NULLABLE, "the space; null: all that you can read"),
    F_INT(struct consolidation_status, pending, 0, 0, COUNT_MAX, 0, "episodes that wait"),
    F_INT(struct consolidation_status, in_progress, 0, 0, COUNT_MAX, 0, "episodes that are being read"),
    F_INT(struct consolidation_status, consolidated, 0, 0, COUNT_MAX, 0, "episodes that were read"),
    F_INT(struct consolidation_status, failed, 0, 0, COUNT_MAX, 0, "episodes that failed five times"),
    F_INT(struct consolidation_status, occurrences_pending, 0, 0, COUNT_MAX, 0, "repeated captures that wait"),
    F_NUM(struct consolidation_status, oldest_pending_age_s, 0, 0, COUNT_MAX, 0, "age of the oldest episode that waits, in seconds"),
    F_INT(struct consolidation_status, generation, 0, 0, COUNT_MAX, 0, "captures read so far"),
    F_STR(struct consolidation_status, rule_set, 0, 0, 64, "rules in use"),
    F_TIME(struct consolidation_status, last_processed_at, FIELD_NULLABLE, "when the last one was read"),
    F_END
};

OP_CALL(CONSOLIDATION_STATUS, struct consolidation_in, struct consolidation_status, consolidation_status(c, in->namespace, out),
        .name = "consolidation.status", .method = "GET", .path = PATH, .tool = "consolidation_status", TAG,
        .summary = "Returns how far facts were read out of the episodes of a space.", .perm = PERM_MEMORY_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT, OP_IN(STATUS_IN, struct consolidation_in), OP_OUT(STATUS_OUT, struct consolidation_status));

static const struct field RUN_IN[] = {
    F_UUID(struct consolidation_in, namespace, FIELD_NULLABLE | FIELD_SPACE, "id or slug of a space that you may write; default: your own"),
    F_INT(struct consolidation_in, max_ticks, 0, 1, 5, 1, "rounds of up to 32 captures"),
    F_END
};

struct run_out {
    struct consolidated sum;
    bool more;
};

static const struct field RUN_OUT[] = {
    {.type = FT_INT, .name = "items", .off = offsetof(struct run_out, sum.items), .max = COUNT_MAX, .help = "captures that were read"},
    {.type = FT_INT, .name = "facts", .off = offsetof(struct run_out, sum.facts), .max = COUNT_MAX, .help = "claims that were recorded"},
    {.type = FT_INT, .name = "failed", .off = offsetof(struct run_out, sum.failed), .max = COUNT_MAX,
        .help = "captures that failed; tried again later"},
    F_BOOL(struct run_out, more, 0, false, "others wait"),
    F_END
};

static err consolidation_call_run(struct ctx *c, const void *in_, void *out_)
{
    const struct consolidation_in *in = in_;
    struct run_out *out = out_;
    struct uuid space_id = in->namespace;

    if (uuid_is_nil(space_id))
        TRY(space_own(c, &space_id));
    out->more = true;
    for (int64_t i = 0; i < in->max_ticks && out->more; i++) {
        struct consolidated done;

        TRY(consolidate_space(c, space_id, &done, &out->more));
        out->sum.items += done.items;
        out->sum.facts += done.facts;
        out->sum.failed += done.failed;
        out->more &= done.items > 0;
    }
    return ERR_OK;
}

static const struct op CONSOLIDATION_RUN = {
    .name = "consolidation.run", .method = "POST", .path = PATH, .tool = "consolidate", TAG,
    .summary = "Reads facts out of the episodes of a space that wait, now instead of in the background.",
    .perm = PERM_BELIEF_WRITE, .flags = OP_PORTIONS, OP_IN(RUN_IN, struct consolidation_in), OP_OUT(RUN_OUT, struct run_out),
    .run = consolidation_call_run,
};

const struct op *const consolidate_calls_table[] = {&CONSOLIDATION_STATUS, &CONSOLIDATION_RUN, NULL};
