/* Every day the registry of each account is written as Markdown below docs.dir, where that is set. */
#include "skillmd_job.h"

#include "account.h"
#include "app.h"
#include "config.h"
#include "docs_folder.h"
#include "skill.h"

static err docs_sync_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    *n = 0;
    return *c->app->conf->docs_dir ? skill_accounts(c, above, ids, max, n) : ERR_OK;
}

static err docs_sync_step(struct ctx *c, struct slice *s)
{
    struct account a;
    bool changed;

    if (!*c->app->conf->docs_dir)
        return ERR_OK;
    TRY(account_get(c, &a));
    TRY(docs_folder_write(c, c->app->conf->docs_dir, a.slug, &s->scanned, &changed));
    s->changed = changed;
    return ERR_OK;
}

const struct job docs_sync_job = {
    .name = "docs_sync", .description = "writes the skills and shared knowledge of each account as Markdown into a folder",
    .schedule = "40 4 * * *", .slice_box_s = 300, .flags = JOB_OUTSIDE, .due = docs_sync_due, .step = docs_sync_step,
};
