/* The task that binds links: {"sources": […]}, or {"page": id} for all that has to do with one page. */
#include "page_job.h"

#include "daily_summary.h"
#include "page_link.h"

static err bind_links(struct ctx *c, struct task_work *w)
{
    const struct json *sources = json_get(w->tasks[0].payload, "sources");
    const char *page = json_get_str(w->tasks[0].payload, "page");
    struct uuid ids[BOUND_AT_ONCE], id;
    size_t n = 0;

    if (page && uuid_parse(page, &id))
        return page_links_look_again(c, id, true, true);
    for (const struct json *j = sources ? sources->first : NULL; j && n < BOUND_AT_ONCE; j = j->next)
        n += j->s && uuid_parse(j->s, &ids[n]);
    return n ? page_links_bind_sources(c, ids, n) : ERR_OK;
}

const struct task_kind bind_links_kind = {
    .name = "bind_links", .priority = 4, .lease_s = 120, .max_attempts = 8, .parallel = 1, .batch = 1, .run = bind_links,
};

static err daily_summary_step(struct ctx *c, struct slice *s)
{
    struct daily_summary made;

    TRY(daily_summary_make(c, daily_summary_yesterday(c->now), &made));
    s->scanned = 1;
    s->changed = made.changed;
    if (made.created)
        slice_count(s, "created", 1);
    return ERR_OK;
}

const struct job daily_summary_job = {
    .name = "daily_summary", .description = "writes a page about the day before: counts, and the pages that changed",
    .schedule = "15 0 * * *", .bound = 10, .batch = 10, .flags = JOB_DRY_RUN, .step = daily_summary_step,
};
