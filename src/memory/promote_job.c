/* Promotion by task, seconds after the use that made it worth it, and by night; and the end of what has expired. */
#include "promote_job.h"

#include <string.h>

#include "promote.h"

/* ---- the task: {"id"}; its key says which version it is about */

static struct task_new task_of(struct ctx *c, const struct promise *p)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "id", arena_strdup(c->arena, UUID_STR(p->id)));
    return (struct task_new){ .kind = promote_kind.name, .payload = payload,
                              .idem_key = arena_printf(c->arena, "%s-%lld", UUID_STR(p->id), (long long)p->version) };
}

err promote_later(struct ctx *c, const struct uuid *id, int64_t version)
{
    struct task_new t = task_of(c, &(struct promise){*id, version});

    return task_enqueue(c, &t);
}

static struct uuid promote_job_row_of(const struct task *t)
{
    const char *text = json_get_str(t->payload, "id");
    struct uuid id;

    return text && uuid_parse(text, &id) ? id : (struct uuid){{0}};
}

static err promote_job_one_task(struct ctx *c, const struct task *t, struct promote_look *row)
{
    enum promotion done;
    const char *why;

    if (uuid_is_nil(promote_job_row_of(t)))
        return fail(c, ERR_INVALID, "the task names no row");
    return promote_one(c, row, &done, &why);
}

static err promote_job_run(struct ctx *c, struct task_work *w)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->n + 1);
    struct promote_looks looks;

    for (size_t i = 0; i < w->n; i++)
        ids[i] = promote_job_row_of(&w->tasks[i]);
    TRY(promote_look(c, ids, w->n, &looks));
    for (size_t i = 0; i < w->n; i++) {
        if (task_should_stop(w))
            return fail(c, ERR_UNAVAILABLE, "the scheduler is stopping");
        w->tasks[i].result = promote_job_one_task(c, &w->tasks[i], &looks.rows[i]);
        if (w->tasks[i].result == ERR_OK)
            continue;
        w->tasks[i].error = c->fault.message;
        ctx_forgive(c);
    }
    promote_give_vectors(c, &looks);
    return ERR_OK;
}

const struct task_kind promote_kind = {
    .name = "promote", .priority = 3, .lease_s = 60, .max_attempts = 5, .parallel = 1, .batch = 100, .flags = TASK_SWEPT, .run = promote_job_run,
};

/* ---- memory_consolidation */

static const char *const COUNTS[] = { [PROMOTION_MADE] = "promoted", [PROMOTION_DUPLICATE] = "duplicates", [PROMOTION_ECHO] = "echoes",
                                      [PROMOTION_FAILED] = NULL };

struct counting {
    struct slice *s;
    const enum promotion *done;
};

/* Before each commit on the way; the row's own is the one that does something. */
static err count_row(struct ctx *c, void *arg)
{
    const struct counting *k = arg;

    return COUNTS[*k->done] ? slice_count_now(c, k->s, 1, COUNTS[*k->done]) : ERR_OK;
}

static err promote_counted(struct ctx *c, struct slice *s, struct promote_look *row, enum promotion *done, const char **why)
{
    struct counting k = {s, done};
    err e;

    *done = PROMOTION_NONE;
    c->before_commit = count_row;
    c->before_commit_arg = &k;
    e = promote_one(c, row, done, why);
    c->before_commit = NULL;
    return e;
}

static err consolidate_one(struct ctx *c, struct slice *s, struct uuid id, struct promote_look *row)
{
    enum promotion done;
    const char *why;

    if (s->dry) {
        s->scanned++;
        slice_would(s, UUID_STR(id), "be promoted");
        return ERR_OK;
    }
    TRY(promote_counted(c, s, row, &done, &why));
    s->scanned++;
    if (done == PROMOTION_FAILED)
        slice_failed(s, UUID_STR(id), why);
    s->skipped += done == PROMOTION_NONE;
    s->changed += COUNTS[done] != NULL;
    s->scanned_told += COUNTS[done] != NULL;
    s->changed_told += COUNTS[done] != NULL;
    return ERR_OK;
}

static err consolidate_step(struct ctx *c, struct slice *s)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, (size_t)s->limit + 1);
    struct promote_filter f = {0};
    struct promote_looks looks = {0};
    size_t n;

    if (s->cursor.n == sizeof f.above)
        memcpy(&f.above, s->cursor.p, sizeof f.above);
    TRY(promote_due(c, &f, ids, (size_t)s->limit, &n));
    if (!s->dry)
        TRY(promote_look(c, ids, n, &looks));
    for (size_t i = 0; i < n; i++) {
        TRY(consolidate_one(c, s, ids[i], s->dry ? NULL : &looks.rows[i]));
        s->cursor = (struct bytes){&ids[i], sizeof ids[i]};
    }
    promote_give_vectors(c, &looks);
    s->more = (int64_t)n == s->limit;
    return ERR_OK;
}

const struct job memory_consolidation_job = {
    .name = "memory_consolidation", .description = "promotes short-term memory read three times to long-term memory", .schedule = "0 4 * * *",
    .after = "learning_decay", .bound = 10000, .batch = 100, .flags = JOB_OUTSIDE | JOB_STATE | JOB_DRY_RUN, .due = promote_accounts, .step = consolidate_step,
};

/* ---- short_term_cleanup */

static err cleanup_step(struct ctx *c, struct slice *s)
{
    struct promise *promised = ARENA_ARRAY(c->arena, struct promise, (size_t)s->limit + 1);
    struct task_new *tasks = ARENA_ARRAY(c->arena, struct task_new, (size_t)s->limit + 1);
    size_t n;

    TRY(promote_queue_expired(c, (size_t)s->limit, promised, &n));
    for (size_t i = 0; i < n; i++)
        tasks[i] = task_of(c, &promised[i]);
    TRY(task_enqueue_many(c, tasks, n));
    s->scanned = s->changed = (int64_t)n;
    s->more = (int64_t)n == s->limit;
    if (n)
        slice_count(s, "queued", (int64_t)n);
    return ERR_OK;
}

static err promote_job_cleanup_purge(struct ctx *c, struct slice *s)
{
    return slice_batch(c, s, promote_delete_expired, "deleted");
}

const struct job short_term_cleanup_job = {
    .name = "short_term_cleanup", .description = "deletes expired short-term memory, after promoting what was used",
    .schedule = "@every 10s", .bound = 1000, .batch = 500, .flags = JOB_DRY_RUN, .due = promote_expired_accounts, .step = cleanup_step, .purge = promote_job_cleanup_purge,
};
