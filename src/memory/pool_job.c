/* The job that tidies up behind pools. */
#include "pool_job.h"

#include "pool_upkeep.h"
#include "str.h"
#include "task.h"
#include "uuid.h"

/* A pool may be over in a batch that was not full: the next one is looked for at once. */
static err pool_job_over(struct ctx *c, struct slice *s)
{
    int64_t before = s->changed;

    TRY(slice_batch(c, s, pool_upkeep_pools, "pools"));
    s->more |= s->changed > before;
    return ERR_OK;
}

static err pool_job_step(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, pool_upkeep_sessions, "sessions");
}

static err pool_job_purge(struct ctx *c, struct slice *s)
{
    TRY(slice_batch(c, s, pool_upkeep_keys, "keys"));
    TRY(slice_batch(c, s, pool_upkeep_tombstones, "tombstones"));
    return pool_job_over(c, s);
}

const struct job pool_cleanup_job = {
    .name = "pool_cleanup",
    .description = "deletes expired pool keys, tombstones after a day, deleted and expired pools after a week",
    .schedule = "@every 1m", .bound = 10000, .batch = 1000, .flags = JOB_DRY_RUN, .due = pool_upkeep_due, .step = pool_job_step, .purge = pool_job_purge,
};

/* ---- vectors */

/* The same nodes within the same half minute are the same task; when it runs, it takes their texts as they are then. */
err pool_embed_later(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct json *payload = json_obj(c->arena), *list = json_set(c->arena, payload, "ids", json_arr(c->arena));
    int64_t turn = c->now.us / (POOL_VECTOR_S * SECOND_US);

    for (size_t i = 0; i < n; i++)
        json_push(list, json_str(c->arena, arena_strdup(c->arena, UUID_STR(ids[i]))));
    return task_enqueue(c, &(struct task_new){
        .kind = "embed", .payload = payload, .delay_s = POOL_VECTOR_S,
        .idem_key = arena_printf(c->arena, "pool-%lld-%016llx", (long long)turn,
                                 (unsigned long long)hash_bytes(ids, n * sizeof *ids, 5))});
}
