/* The jobs that write down what has faded. */
#include "decay_job.h"

#include <string.h>

#include "decay.h"

/* Where a run stands: in which of its tables, and behind which row. */
struct position {
    int32_t from;
    struct uuid after;
};

static err decay_job_scan(struct ctx *c, struct slice *s, enum decay_from first, enum decay_from last, struct slice_row *rows, size_t *n)
{
    struct decay_row *found = ARENA_ARRAY(c->arena, struct decay_row, (size_t)s->limit + 1);
    struct position *at = ARENA_ARRAY(c->arena, struct position, (size_t)s->limit + 1), p = {.from = (int32_t)first};
    size_t k;

    if (s->cursor.n == sizeof p)
        memcpy(&p, s->cursor.p, sizeof p);
    for (*n = 0; p.from <= (int32_t)last && *n < (size_t)s->limit; p = (struct position){.from = p.from + 1}) {
        TRY(decay_scan(c, (enum decay_from)p.from, p.after, (size_t)s->limit - *n, found + *n, &k));
        for (size_t i = *n; i < *n + k; i++) {
            at[i] = (struct position){p.from, found[i].id};
            rows[i] = (struct slice_row){{&at[i], sizeof at[i]}, arena_strdup(c->arena, UUID_STR(found[i].id)), &found[i]};
        }
        *n += k;
    }
    return ERR_OK;
}

static err decay_job_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n, const char *gone)
{
    struct decay_done done;

    TRY(decay_apply(c, rows[0].data, n, &done)); /* what scan found lies in one piece */
    for (size_t i = 0; s->dry && i < done.n_gone; i++)
        slice_would(s, UUID_STR(done.gone[i]), "be archived: importance below 0.1");
    s->changed += (int64_t)done.decayed;
    slice_count(s, "decayed", (int64_t)done.decayed);
    if (done.n_gone)
        slice_count(s, gone, (int64_t)done.n_gone);
    return ERR_OK;
}

/* ---- learning_decay */

static err decay_job_select_learnings(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    return decay_job_scan(c, s, DECAY_LEARNINGS, DECAY_LEARNINGS, rows, n);
}

static err apply_learnings(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    return decay_job_apply(c, s, rows, n, "deprecated");
}

const struct job learning_decay_job = {
    .name = "learning_decay", .description = "stores the decayed importance of learnings and deprecates those below 0.1",
    .schedule = "45 3 * * *", .bound = 50000, .batch = 1000, .flags = JOB_DRY_RUN, .due = decay_due_learnings,
    .select = decay_job_select_learnings, .apply = apply_learnings,
};

/* ---- memory_decay */

static err decay_job_select_entries(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    return decay_job_scan(c, s, DECAY_ENTRIES, DECAY_POOL_KEYS, rows, n);
}

static err apply_entries(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    return decay_job_apply(c, s, rows, n, "archived");
}

const struct job memory_decay_job = {
    .name = "memory_decay",
    .description = "stores the decayed importance of entries and pool keys and archives entries below 0.1",
    .schedule = "0 4 * * *", .after = "memory_consolidation", .bound = 50000, .batch = 1000, .flags = JOB_DRY_RUN,
    .due = decay_due_entries, .select = decay_job_select_entries, .apply = apply_entries,
};
