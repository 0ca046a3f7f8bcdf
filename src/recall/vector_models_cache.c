/* A table of accounts, one place for each hash: who comes later takes the place; see vector_models_cache.h. */
#include "vector_models_cache.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

#define PLACES 1024
#define KEPT (5 * SECOND_US)
#define MODELS 3 /* active, building, past */

struct kept {
    struct uuid account, model;
    int64_t until;
    struct vector_models m; /* its texts are this place's own */
};

struct model_cache {
    pthread_mutex_t lock;
    struct kept at[PLACES];
};

struct model_cache *model_cache_new(void)
{
    struct model_cache *m = calloc(1, sizeof *m);

    assert(m);
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

static struct vector_model *model_at(struct vector_models *m, size_t i)
{
    return i == 0 ? &m->active : i == 1 ? &m->building : &m->past;
}

static char *own(const char *s)
{
    char *copy = s ? strdup(s) : NULL;

    assert(copy || !s);
    return copy;
}

static void vector_models_cache_drop(const char *s)
{
    free((char *)(uintptr_t)s);
}

static void forget(struct vector_models *m)
{
    vector_models_cache_drop(m->wanted.name);
    for (size_t i = 0; i < MODELS; i++) {
        vector_models_cache_drop(model_at(m, i)->row.provider);
        vector_models_cache_drop(model_at(m, i)->row.name);
        vector_models_cache_drop(model_at(m, i)->row.state);
    }
}

/* With texts from the arena, or, without one, from the heap. */
static struct vector_models copy_of(struct arena *a, const struct vector_models *from)
{
    struct vector_models m = *from;

    m.wanted.name = a ? arena_strdup(a, m.wanted.name) : own(m.wanted.name);
    for (size_t i = 0; i < MODELS; i++) {
        struct embedding_model *row = &model_at(&m, i)->row;

        row->provider = a ? arena_strdup(a, row->provider) : own(row->provider);
        row->name = a ? arena_strdup(a, row->name) : own(row->name);
        row->state = a ? arena_strdup(a, row->state) : own(row->state);
    }
    return m;
}

void model_cache_free(struct model_cache *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < PLACES; i++)
        forget(&m->at[i].m);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static struct kept *vector_models_cache_place_of(struct model_cache *m, const struct ctx *c)
{
    return &m->at[hash_bytes(c->account_id.b, sizeof c->account_id.b, hash_bytes(c->model_id.b, sizeof c->model_id.b, 11)) % PLACES];
}

static bool has(const struct vector_models *m, struct uuid id)
{
    return uuid_is_nil(id) || uuid_eq(m->active.row.id, id) || uuid_eq(m->building.row.id, id) || uuid_eq(m->past.row.id, id);
}

static bool vector_models_cache_find(struct ctx *c, struct model_cache *m, struct uuid known, struct vector_models *out)
{
    struct kept *k;
    bool found;

    pthread_mutex_lock(&m->lock);
    k = vector_models_cache_place_of(m, c);
    found = uuid_eq(k->account, c->account_id) && uuid_eq(k->model, c->model_id) && k->until > clock_monotonic_us() && has(&k->m, known);
    if (found)
        *out = copy_of(c->arena, &k->m);
    pthread_mutex_unlock(&m->lock);
    return found;
}

err model_cache_get(struct ctx *c, struct uuid known, struct vector_models *out)
{
    struct model_cache *m = c->app->model_cache;
    struct vector_models fresh;
    struct kept *k;

    if (m && vector_models_cache_find(c, m, known, out))
        return ERR_OK;
    TRY(vector_models_read(c, &fresh));
    *out = fresh;
    if (!m)
        return ERR_OK;
    pthread_mutex_lock(&m->lock);
    k = vector_models_cache_place_of(m, c);
    forget(&k->m);
    *k = (struct kept){c->account_id, c->model_id, clock_monotonic_us() + KEPT, copy_of(NULL, &fresh)};
    pthread_mutex_unlock(&m->lock);
    return ERR_OK;
}
