/* Every text node gets its vector: what the process that wrote it did not do is found in the data and queued. */
#include "vectors_job.h"

#include "node_vectors.h"
#include "vector_sweep.h"

#define OVERLAP_US (120 * SECOND_US) /* a node may become visible so long after its instant */
#define EMBED_NODES 64
#define REEMBED_NODES 256
#define TURN_US SECOND_US /* then others' tasks go first; a batch is always made to its end */
#define IDS_TEXT 40       /* an id in the payload, with what stands around it */

_Static_assert(REEMBED_NODES *IDS_TEXT < LIMIT_TASK_PAYLOAD, "the ids of a task fit in its payload");

/* ---- the tasks: {"ids": […]} */

static const struct json *payload_of(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct json *p = json_obj(c->arena), *list = json_arr(c->arena);

    for (size_t i = 0; i < n; i++)
        json_push(list, json_str(c->arena, arena_strdup(c->arena, UUID_STR(ids[i]))));
    json_set(c->arena, p, "ids", list);
    return p;
}

/* Tasks of at most per nodes. Their key says which texts they are about: the same are not queued twice. */
static err enqueue(struct ctx *c, const struct task_kind *kind, const struct vector_sweep *s, size_t per)
{
    size_t n = (s->n + per - 1) / per;
    struct task_new *tasks = ARENA_ARRAY(c->arena, struct task_new, n + 1);

    for (size_t i = 0; i < n; i++) {
        size_t from = i * per, k = s->n - from < per ? s->n - from : per;

        tasks[i] = (struct task_new){
            .kind = kind->name, .payload = payload_of(c, s->missing + from, k),
            .idem_key = arena_printf(c->arena, "%zu-%016llx", k,
                                     (unsigned long long)hash_bytes(s->hashes + from, k * sizeof *s->hashes, 4))};
    }
    return task_enqueue_many(c, tasks, n);
}

err vectors_later(struct ctx *c, const struct uuid *ids, size_t n)
{
    size_t n_tasks = (n + EMBED_NODES - 1) / EMBED_NODES;
    struct task_new *tasks = ARENA_ARRAY(c->arena, struct task_new, n_tasks + 1);

    for (size_t i = 0; i < n_tasks; i++) {
        size_t from = i * EMBED_NODES, k = n - from < EMBED_NODES ? n - from : EMBED_NODES;

        tasks[i] = (struct task_new){
            .kind = embed_kind.name, .payload = payload_of(c, ids + from, k),
            .idem_key = arena_printf(c->arena, "written-%lld-%016llx", (long long)c->now.us,
                                     (unsigned long long)hash_bytes(ids + from, k * sizeof *ids, 6))};
    }
    return task_enqueue_many(c, tasks, n_tasks);
}

struct turn {
    const struct task_work *work;
    int64_t ends; /* monotonic; 0: nobody has asked yet */
    bool over;
};

/* The time counts from the first question, behind which there is always a batch: so each turn gets on. */
static bool should_stop(void *arg)
{
    struct turn *t = arg;
    int64_t now = clock_monotonic_us();

    if (!t->ends)
        t->ends = now + TURN_US;
    t->over = now >= t->ends;
    return t->over || task_should_stop(t->work);
}

static err vectors_job_run(struct ctx *c, struct task_work *w)
{
    const struct json *list = json_get(w->tasks[0].payload, "ids");
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, (list ? list->len : 0) + 1);
    struct turn turn = {.work = w};
    struct vectors_done done;
    size_t n = 0;
    err result;

    for (const struct json *id = json_is(list, JSON_ARR) ? list->first : NULL; id; id = id->next)
        n += json_is(id, JSON_STR) && uuid_parse(id->s, &ids[n]);
    result = vectors_embed(c, &(struct vectors_work){ids, n, should_stop, &turn}, &done);
    if (result != ERR_UNAVAILABLE || !turn.over || task_should_stop(w))
        return result;
    w->outcome = TASK_BEHIND; /* what was made is not due when its turn comes again */
    return ERR_OK;
}

const struct task_kind embed_kind = {
    .name = "embed", .priority = 3, .lease_s = 60, .max_attempts = 8, .parallel = 2, .batch = 1, .flags = TASK_SWEPT,
    .run = vectors_job_run,
};

const struct task_kind reembed_kind = {
    .name = "reembed", .priority = 8, .lease_s = 120, .max_attempts = 8, .parallel = 1, .batch = 1, .flags = TASK_SWEPT,
    .run = vectors_job_run,
};

/* ---- embedding_backfill */

static const struct job_param BACKFILL_PARAMS[] = {
    {"all", PARAM_BOOL, 0, 1, 0, "look at all nodes, not only at those changed since the last run"},
    {0},
};

static err backfill_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return vector_sweep_changed_due(c, embedding_backfill_job.name, above, ids, max, n);
}

static err backfill_step(struct ctx *c, struct slice *s)
{
    struct vector_sweep sweep = {.position = s->cursor, .since = s->watermark, .limit = s->limit};

    if (slice_param(s, "all") > 0)
        sweep.since.us = 0;
    TRY(vector_sweep_changed(c, &sweep));
    TRY(enqueue(c, &embed_kind, &sweep, EMBED_NODES));
    s->scanned = sweep.looked;
    s->more = sweep.more;
    s->cursor = sweep.position;
    if (sweep.n)
        slice_count(s, "queued", (int64_t)sweep.n);
    if (s->dry && sweep.n)
        slice_would(s, UUID_STR(sweep.missing[0]), "get a vector");
    if (s->more)
        return ERR_OK;
    s->watermark.us = sweep.began.us - OVERLAP_US;
    return s->dry ? ERR_OK : vectors_calibrate(c);
}

const struct job embedding_backfill_job = {
    .name = "embedding_backfill", .description = "queues nodes that have no vector of their account's model, or an old one",
    .schedule = "*/10 * * * *", .bound = 50000, .batch = 1000, .flags = JOB_STATE | JOB_DRY_RUN, .params = BACKFILL_PARAMS,
    .due = backfill_due, .step = backfill_step,
};

/* ---- reembed_watch */

static err watch_step(struct ctx *c, struct slice *s)
{
    struct vector_sweep sweep = {.position = s->cursor, .limit = s->limit};
    int64_t dropped;
    bool building;

    TRY(vector_sweep_drop(c, s->limit, &dropped));
    TRY(vector_sweep_building(c, &sweep, &building));
    if (building)
        TRY(enqueue(c, &reembed_kind, &sweep, REEMBED_NODES));
    if (building && !sweep.more && sweep.missing_before + (int64_t)sweep.n == 0) {
        TRY(vector_sweep_complete(c));
        slice_count(s, "switched", 1);
        s->changed = 1;
    }
    s->scanned = sweep.looked;
    s->changed += dropped;
    s->more = sweep.more || dropped == s->limit;
    s->cursor = sweep.more ? sweep.position : (struct bytes){0};
    if (sweep.n)
        slice_count(s, "left", (int64_t)sweep.n);
    if (dropped)
        slice_count(s, "dropped", dropped);
    return ERR_OK;
}

const struct job reembed_watch_job = {
    .name = "reembed_watch", .description = "makes the vectors of another model while the old one serves, then switches",
    .schedule = "*/10 * * * *", .bound = 100000, .batch = 2000, .flags = JOB_STATE | JOB_DRY_RUN, .due = vector_sweep_moving_due,
    .step = watch_step,
};
