/* The index's state in one line; see index_health.h. */
#include "index_health.h"

#include "app.h"
#include "config.h"
#include "index.h"
#include "principal.h"

err index_health(struct ctx *c, struct health_part *p)
{
    struct index_stats s;

    if (!c->app->recall) {
        p->off = true;
        p->detail = "this program recalls nothing";
        return ERR_OK;
    }
    index_stats(c->app->recall, &s);
    p->detail = "answers recalls from memory";
    if (c->who && c->who->is_operator)
        p->detail = arena_printf(c->arena, "%zu node%s of %zu account%s in %zu of %lld MiB", s.nodes,
                                 s.nodes == 1 ? "" : "s", s.accounts, s.accounts == 1 ? "" : "s", s.bytes >> 20,
                                 (long long)c->app->conf->recall_memory_mb);
    return ERR_OK;
}

void index_health_list(struct ctx *c, bool everywhere, struct health_index *rows, size_t max, size_t *n)
{
    struct index_account *all = ARENA_ARRAY(c->arena, struct index_account, max + 1);

    *n = c->app->recall ? index_accounts(c->app->recall, everywhere ? NULL : &c->account_id, all, max) : 0;
    for (size_t i = 0; i < *n; i++)
        rows[i] = (struct health_index){.account_id = all[i].account_id, .nodes = (int64_t)all[i].nodes, .bytes = (int64_t)all[i].bytes,
                                        .age_us = all[i].age_us, .reading = all[i].reading, .codes_only = all[i].codes_only};
}
