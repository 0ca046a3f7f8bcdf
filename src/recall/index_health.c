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
        p->detail = arena_printf(c->arena, "%zu nodes of %zu accounts in %zu of %lld MiB", s.nodes, s.accounts, s.bytes >> 20,
                                 (long long)c->app->conf->recall_memory_mb);
    return ERR_OK;
}
