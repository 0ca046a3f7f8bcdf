/* Portions of a sweep over an account's nodes; see vector_sweep.h. */
#include "vector_sweep.h"

#include <string.h>

#include "app.h"
#include "vectors_store.h"

#define RETIRED_FOR (7 * DAY_US) /* so long the way back is short */

/* Where a sweep stands, as the bytes of a job's cursor. */
struct position {
    int64_t at, version, began, missing;
    struct uuid id;
};

static struct position vector_sweep_read_position(const struct ctx *c, const struct vector_sweep *s)
{
    struct position p = {.began = c->now.us};

    if (s->position.p && s->position.n == sizeof p)
        memcpy(&p, s->position.p, sizeof p);
    return p;
}

static void vector_sweep_take(struct ctx *c, struct vector_sweep *s, struct uuid model_id, const struct position *before,
                 const struct swept *rows, size_t n)
{
    struct position p = *before;

    s->missing = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    s->hashes = ARENA_ARRAY(c->arena, uint64_t, n + 1);
    s->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].missing)
            continue;
        s->missing[s->n] = rows[i].id;
        s->hashes[s->n++] = hash_bytes(rows[i].id.b, sizeof rows[i].id.b, 1) ^ hash_bytes(model_id.b, sizeof model_id.b, 2) ^
                            hash_bytes(rows[i].content_hash.p, rows[i].content_hash.n, 3);
    }
    s->looked = (int64_t)n;
    s->more = (int64_t)n == s->limit;
    s->began.us = before->began;
    s->missing_before = before->missing;
    p.missing += (int64_t)s->n;
    if (n) {
        p.at = rows[n - 1].at.us;
        p.version = rows[n - 1].version;
        p.id = rows[n - 1].id;
    }
    s->position = (struct bytes){arena_memdup(c->arena, &p, sizeof p), sizeof p};
}

/* The model whose vectors the settings want: it serves, or is built, or (nil) nobody has made a vector of it. */
static struct uuid wanted_id(const struct vector_models *m)
{
    return uuid_is_nil(m->building.row.id) ? m->active.row.id : m->building.row.id;
}

static void nothing(struct ctx *c, struct vector_sweep *s)
{
    s->n = 0;
    s->looked = s->missing_before = 0;
    s->more = false;
    s->began = c->now;
}

err vector_sweep_changed(struct ctx *c, struct vector_sweep *s)
{
    struct swept *rows = ARENA_ARRAY(c->arena, struct swept, (size_t)s->limit + 1);
    struct position p = vector_sweep_read_position(c, s);
    struct vector_models m;
    struct uuid id;
    size_t n;

    TRY(vector_models_settle(c, &m));
    if (m.wanted.provider == EMBED_NONE) {
        nothing(c, s);
        return ERR_OK;
    }
    id = m.wanted.dim ? wanted_id(&m) : (struct uuid){{0}};
    TRY(vectors_store_changed(c, id, s->since, &(struct swept){.at = {p.at}, .version = p.version, .id = p.id}, s->limit, rows, &n));
    vector_sweep_take(c, s, id, &p, rows, n);
    return ERR_OK;
}

err vector_sweep_building(struct ctx *c, struct vector_sweep *s, bool *building)
{
    struct swept *rows = ARENA_ARRAY(c->arena, struct swept, (size_t)s->limit + 1);
    struct position p = vector_sweep_read_position(c, s);
    struct vector_models m;
    struct uuid id;
    size_t n;

    TRY(vector_models_settle(c, &m));
    /* The length of its vectors may not be known before the first is made: then all are missing. */
    *building = m.wanted.provider != EMBED_NONE && (!uuid_is_nil(m.building.row.id) || !m.wanted.dim);
    if (!*building) {
        nothing(c, s);
        return ERR_OK;
    }
    id = m.building.row.id;
    TRY(vectors_store_all(c, id, p.id, s->limit, rows, &n));
    vector_sweep_take(c, s, id, &p, rows, n);
    return ERR_OK;
}

err vector_sweep_complete(struct ctx *c)
{
    struct vector_models m;

    TRY(vector_models_settle(c, &m));
    return uuid_is_nil(m.building.row.id) ? ERR_OK : vector_models_switch(c, &m);
}

err vector_sweep_drop(struct ctx *c, int64_t limit, int64_t *n)
{
    return vectors_store_drop_retired(c, (struct instant){c->now.us - RETIRED_FOR}, limit, n);
}

static struct model_default default_of(struct ctx *c)
{
    struct embed_model m = embed_default(c->app->embed);

    return (struct model_default){enumx_name(&embed_provider_enumx, (int)m.provider), embed_of(c->app->embed, EMBED_HTTP, NULL).name};
}

err vector_sweep_changed_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    struct model_default d;

    *n = 0;
    if (!c->app->embed)
        return ERR_OK;
    d = default_of(c);
    return vectors_store_changed_accounts(c, job, &d, above, ids, max, n);
}

err vector_sweep_moving_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    struct model_default d;

    *n = 0;
    if (!c->app->embed)
        return ERR_OK;
    d = default_of(c);
    return vectors_store_moving_accounts(c, &d, (struct instant){c->now.us - RETIRED_FOR}, above, ids, max, n);
}
