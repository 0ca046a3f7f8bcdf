/* Deliveries of webhooks as tasks: {"id"}, a task for each that has its turn. */
#include "webhook_job.h"

#include "webhook.h"

err webhook_deliver_later(struct ctx *c, const struct uuid *ids, const int64_t *rounds, size_t n)
{
    struct task_new *t = ARENA_ARRAY(c->arena, struct task_new, n + 1);

    for (size_t i = 0; i < n; i++) {
        struct json *payload = json_obj(c->arena);
        const char *id = arena_strdup(c->arena, UUID_STR(ids[i]));

        json_set_str(c->arena, payload, "id", id);
        t[i] = (struct task_new){ .kind = webhook_kind.name, .payload = payload,
                                  .idem_key = arena_printf(c->arena, "%s-%lld", id, (long long)rounds[i]) };
    }
    return task_enqueue_many(c, t, n);
}

static bool webhook_job_id_of(const struct task *t, struct uuid *id)
{
    const char *text = json_get_str(t->payload, "id");

    return text && uuid_parse(text, id);
}

static err webhook_job_run(struct ctx *c, struct task_work *w)
{
    struct uuid id;

    if (!webhook_job_id_of(&w->tasks[0], &id))
        return fail(c, ERR_INVALID, "the task names no delivery");
    return webhook_deliver(c, id);
}

static err webhook_job_died(struct ctx *c, const struct task *t, const char *why)
{
    struct uuid id;

    return webhook_job_id_of(t, &id) ? webhook_give_up(c, id, why) : ERR_OK;
}

const struct task_kind webhook_kind = {
    .name = "webhook", .priority = 3, .lease_s = 30, .max_attempts = 14, .retry_cap_s = 6 * 3600, .parallel = 4, .batch = 1,
    .run = webhook_job_run, .died = webhook_job_died,
};

static err webhook_job_step(struct ctx *c, struct slice *s)
{
    int64_t disabled;

    TRY(webhook_disable_failing(c, &disabled));
    s->scanned = s->changed = disabled;
    if (disabled)
        slice_count(s, "disabled", disabled);
    return ERR_OK;
}

static err webhook_job_purge(struct ctx *c, struct slice *s)
{
    int64_t deleted;

    TRY(webhook_purge_log(c, s->limit, &deleted));
    s->scanned += deleted;
    s->changed += deleted;
    s->more = deleted == s->limit;
    if (deleted)
        slice_count(s, "deleted", deleted);
    return ERR_OK;
}

const struct job webhook_upkeep_job = {
    .name = "webhook_upkeep", .description = "disables webhooks that have failed for three days, deletes old delivery logs", .schedule = "@hourly",
    .bound = 100000, .batch = 5000, .flags = JOB_DRY_RUN, .due = webhook_upkeep_due, .step = webhook_job_step, .purge = webhook_job_purge,
};
