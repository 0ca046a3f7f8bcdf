/* The model's state in one line; see vector_health.h. */
#include "vector_health.h"

#include <string.h>

#include "app.h"
#include "config.h"
#include "vector_feed.h"
#include "vector_models.h"
#include "vectors_store.h"

static const char *precision_of(struct ctx *c, const struct embed_model *m)
{
    return m->provider == EMBED_BUILTIN ? arena_printf(c->arena, ", %s", c->app->conf->embed_precision) : "";
}

/* "built-in model all-minilm-l6-v2, int8" */
static const char *model_text(struct ctx *c, const struct embed_model *m)
{
    return arena_printf(c->arena, "%s %s%s", m->provider == EMBED_BUILTIN ? "built-in model" : "model", m->name, precision_of(c, m));
}

static const char *waiting_text(struct ctx *c, int64_t nodes, int64_t tasks)
{
    size_t here = c->app->vector_feed ? vector_feed_waiting_of(c->app->vector_feed, c->account_id) : 0;

    if (!nodes && !tasks && !here)
        return "no node waits for a vector";
    return arena_printf(c->arena, "changed lately and waiting for a vector: %lld%s, in this process %zu; tasks in the queue: %lld",
                        (long long)(nodes >= VECTORS_COUNTED ? VECTORS_COUNTED - 1 : nodes),
                        nodes >= VECTORS_COUNTED ? " or more" : "", here,
                        (long long)tasks);
}

static err count_nodes_waiting(struct ctx *c, const struct vector_models *all, int64_t max, int64_t *n)
{
    *n = 0;
    if (all->wanted.provider == EMBED_NONE)
        return ERR_OK;
    return vectors_store_backlog(c, uuid_is_nil(all->building.row.id) ? all->active.row.id : all->building.row.id, max, n);
}

err vector_count_waiting(struct ctx *c, int64_t max, int64_t *n)
{
    struct vector_models all;

    TRY(vector_models_read(c, &all));
    return count_nodes_waiting(c, &all, max, n);
}

static err account_health(struct ctx *c, struct embed_model *m, const char **text)
{
    struct vector_models all;
    int64_t nodes, tasks;

    TRY(vector_models_read(c, &all));
    TRY(vectors_store_tasks(c, &tasks));
    *m = all.wanted;
    if (all.wanted.provider == EMBED_NONE)
        return ERR_OK;
    TRY(count_nodes_waiting(c, &all, VECTORS_COUNTED, &nodes));
    *text = waiting_text(c, nodes, tasks);
    if (!uuid_is_nil(all.building.row.id))
        *text = arena_printf(c->arena, "%s; until its vectors are complete, those of %s serve", *text, all.active.row.name);
    return ERR_OK;
}

err vector_health(struct ctx *c, struct health_part *p)
{
    struct embed_model m = {.provider = EMBED_NONE};
    const char *waiting = NULL, *why;

    if (c->app->embed)
        m = embed_default(c->app->embed);
    if (!uuid_is_nil(c->account_id))
        TRY(account_health(c, &m, &waiting));
    if (m.provider == EMBED_NONE) {
        p->off = true;
        p->detail = "embedding is switched off; search is by words only";
        return ERR_OK;
    }
    why = embed_why_not(c->app->embed, &m);
    if (!why && embed_is_down(c->app->embed, &m))
        why = "the server did not answer the last time";
    if (why)
        return fail(c, ERR_UNAVAILABLE, "%s: %s", model_text(c, &m), why);
    p->detail = waiting ? arena_printf(c->arena, "%s; %s", model_text(c, &m), waiting) : model_text(c, &m);
    return ERR_OK;
}

err vector_try(struct ctx *c, struct health_part *p)
{
    static const char *const WORD[] = {"hello"};
    struct vector_models all;
    struct embedded e;

    TRY(vector_models_read(c, &all));
    if (all.wanted.provider == EMBED_NONE) {
        p->off = true;
        p->detail = "embedding is switched off; search is by words only";
        return ERR_OK;
    }
    TRY(embed_texts(c, &all.wanted, WORD, 1, &e));
    p->detail = arena_printf(c->arena, "%s made a vector of %zu numbers", model_text(c, &all.wanted), e.dim);
    return ERR_OK;
}

err vector_health_try(struct ctx *c, struct health_part *p)
{
    static const char *const WORD[] = {"doctor"};
    struct embed_model m;
    struct embedded e;
    int64_t began = clock_monotonic_us(), tasks;

    TRY(vector_health(c, p));
    if (p->off)
        return ERR_OK;
    m = embed_default(c->app->embed);
    TRY(embed_texts(c, &m, WORD, 1, &e));
    TRY(vectors_store_tasks(c, &tasks));
    p->detail = arena_printf(c->arena, "%s: %zu numbers in %.1f ms; %lld tasks with nodes wait in the queue", p->detail, e.dim,
                             (double)(clock_monotonic_us() - began) / 1000, (long long)tasks);
    return ERR_OK;
}
