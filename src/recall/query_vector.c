/* Vectors of queries; see query_vector.h. */
#include "query_vector.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "embed.h"
#include "query_vector_cache.h"
#include "query_vector_store.h"
#include "vector_models_cache.h"

struct asking {
    struct embed_model model;
    struct uuid model_id;
    const char *name; /* of the model in Redis */
    struct query_key *keys;
    size_t *open, n_open; /* texts that nobody has yet */
    struct query_vector *out;
};

static void have(struct asking *a, size_t i, const float *v, size_t dim)
{
    a->out[i] = (struct query_vector){.values = v, .dim = dim, .model_id = a->model_id};
}

static const float *from_redis(struct ctx *c, const struct asking *a, size_t i, size_t *dim)
{
    const float *v = NULL;

    if (query_vector_store_get(c, a->name, a->keys[i].b, &v, dim) != ERR_OK) {
        ctx_forgive(c); /* away: then it is made anew */
        return NULL;
    }
    return v && *dim == a->model.dim ? v : NULL;
}

/* A model finds some meaning in a percent sign, too, and everything is near it: who types it wants no memories. */
static bool says_something(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x80 || (*text >= '0' && *text <= '9') || ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z'))
            return true;
    return false;
}

/* What the built-in model makes in half a millisecond is not worth a question to Redis, and the 2 kB to keep it there. */
static bool is_in_redis(const struct ctx *c, const struct asking *a)
{
    return c->kv && a->model.provider != EMBED_BUILTIN;
}

static void query_vector_find(struct ctx *c, struct asking *a, const char *const *texts, size_t n)
{
    int64_t now = clock_monotonic_us();

    for (size_t i = 0; i < n; i++) {
        const float *v = NULL;
        size_t dim = 0;

        if (!says_something(texts[i]))
            continue;
        crypto_hash_sha256(a->keys[i].b, (const unsigned char *)texts[i], strlen(texts[i]));
        if (c->app->query_vectors)
            v = query_vectors_find(c->app->query_vectors, c->arena, c->account_id, a->model_id, a->keys[i].b, now, &dim);
        if (!v && is_in_redis(c, a) && (v = from_redis(c, a, i, &dim)) && c->app->query_vectors)
            query_vectors_keep(c->app->query_vectors, c->account_id, a->model_id, a->keys[i].b, now, v, dim);
        if (v)
            have(a, i, v, dim);
        else
            a->open[a->n_open++] = i;
    }
}

static void query_vector_keep(struct ctx *c, const struct asking *a, size_t i)
{
    const struct query_vector *v = &a->out[i];

    if (c->app->query_vectors)
        query_vectors_keep(c->app->query_vectors, c->account_id, a->model_id, a->keys[i].b, clock_monotonic_us(), v->values, v->dim);
    if (is_in_redis(c, a) && query_vector_store_put(c, a->name, a->keys[i].b, v->values, v->dim) != ERR_OK)
        ctx_forgive(c);
}

/* A recall does not wait for a slow model until its own time is over. */
static err embed_in_time(struct ctx *c, const struct embed_model *m, const char *const *texts, size_t n, struct embedded *e)
{
    int64_t before = c->deadline_us, until = clock_monotonic_us() + c->app->conf->embed_query_ms * 1000;
    err r;

    if (embed_is_down(c->app->embed, m))
        return fail(c, ERR_UNAVAILABLE, "the embedding server failed a moment ago");
    if (m->provider == EMBED_HTTP && (!before || until < before))
        c->deadline_us = until;
    r = embed_texts(c, m, texts, n, e);
    c->deadline_us = before;
    return r;
}

static void query_vector_make(struct ctx *c, struct asking *a, const char *const *texts)
{
    const char **open = ARENA_ARRAY(c->arena, const char *, a->n_open + 1);
    struct embedded e;
    err r;

    for (size_t i = 0; i < a->n_open; i++)
        open[i] = texts[a->open[i]];
    r = embed_in_time(c, &a->model, open, a->n_open, &e);
    for (size_t i = 0; i < a->n_open; i++) {
        if (r != ERR_OK) {
            a->out[a->open[i]].degraded = r == ERR_DEADLINE ? "embedder_timeout" : "embedder_unavailable";
        } else if (e.has[i]) {
            have(a, a->open[i], e.vectors + i * e.dim, e.dim);
            query_vector_keep(c, a, a->open[i]);
        }
    }
    ctx_forgive(c);
}

static void all_degraded(struct query_vector *out, size_t n, const char *why)
{
    for (size_t i = 0; i < n; i++)
        out[i].degraded = why;
}

/* While the index still has the vectors of the model before, queries are embedded by that. */
static const struct vector_model *query_vector_model_of(const struct vector_models *m, struct uuid id)
{
    if (uuid_is_nil(id) || uuid_eq(m->active.row.id, id))
        return &m->active;
    return uuid_eq(m->past.row.id, id) ? &m->past : &m->building;
}

err query_vectors(struct ctx *c, struct uuid model_id, const char *const *texts, size_t n, struct query_vector *out)
{
    struct fault before = c->fault;
    const struct vector_model *by;
    struct vector_models m;
    struct asking a = {.out = out};

    memset(out, 0, n * sizeof *out);
    TRY(model_cache_get(c, model_id, &m));
    by = query_vector_model_of(&m, model_id);
    a.model = embed_model_of(by);
    if (m.wanted.provider == EMBED_NONE || !c->app->embed) {
        all_degraded(out, n, "embedder_off");
        return ERR_OK;
    }
    if (a.model.provider == EMBED_NONE) { /* no node has a vector yet */
        if (embed_why_not(c->app->embed, &m.wanted))
            all_degraded(out, n, "embedder_unavailable");
        return ERR_OK;
    }
    a.model_id = by->row.id;
    a.name = arena_printf(c->arena, "%s:%s", by->row.provider, a.model.name);
    a.keys = ARENA_ARRAY(c->arena, struct query_key, n + 1);
    a.open = ARENA_ARRAY(c->arena, size_t, n + 1);
    query_vector_find(c, &a, texts, n);
    if (a.n_open)
        query_vector_make(c, &a, texts);
    c->fault = before;
    return ERR_OK;
}
