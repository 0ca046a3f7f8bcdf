/* Settings become models, models take turns; see vector_models.h. */
#include "vector_models.h"

#include <string.h>

#include "app.h"
#include "audit.h"
#include "db.h"
#include "vector_models_cache.h"
#include "vectors_store.h"

/* Measured on public sets: mean of random pairs, and their 99th percentile; what follows is by the self-test. */
static const struct {
    const char *name;
    struct embed_scale scale;
} BUILTIN_SCALES[] = {
    { "use-lite-en", { 0.178, 0.611, 0.356, 0.486 } },
    { "all-minilm-l6-v2", { 0.041, 0.421, 0.254, 0.548 } },
};
/* Of a model that was not tested yet: cosines as most of today's models give them. */
static const struct embed_scale UNTESTED = {0.35, 0.65, 0.46, 0.63};

struct embed_model embed_model_of(const struct vector_model *m)
{
    int provider = EMBED_NONE;

    if (uuid_is_nil(m->row.id) || !enumx_parse(&embed_provider_enumx, m->row.provider, &provider))
        return (struct embed_model){EMBED_NONE, "", 0};
    return (struct embed_model){(enum embed_provider)provider, m->row.name, (size_t)m->row.dim};
}

static struct embed_model wanted_model(struct ctx *c, const char *provider, const char *name)
{
    int p;

    if (!c->app->embed)
        return (struct embed_model){EMBED_NONE, "", 0};
    if (!provider || !enumx_parse(&embed_provider_enumx, provider, &p))
        p = (int)embed_default(c->app->embed).provider;
    return embed_of(c->app->embed, (enum embed_provider)p, name);
}

static bool is_wanted(const struct embed_model *w, const struct vector_model *m)
{
    return !uuid_is_nil(m->row.id) && strcmp(m->row.provider, enumx_name(&embed_provider_enumx, (int)w->provider)) == 0 &&
           strcmp(m->row.name, w->name) == 0;
}

/* The model that a fitted profile is for. */
static const char *serving(struct ctx *c, const struct vector_models *m)
{
    if (!uuid_is_nil(m->active.row.id))
        return arena_printf(c->arena, "%s:%s", m->active.row.provider, m->active.row.name);
    return arena_printf(c->arena, "%s:%s", enumx_name(&embed_provider_enumx, (int)m->wanted.provider), m->wanted.name);
}

err vector_models_read(struct ctx *c, struct vector_models *out)
{
    struct model_settings set;
    struct vector_models m = {0};
    struct vector_model *rows;
    size_t n;

    TRY(vectors_store_models(c, &set, &rows, &n));
    m.wanted = wanted_model(c, set.provider, set.name);
    for (size_t i = 0; i < n; i++)
        if (!uuid_is_nil(c->model_id) && uuid_eq(rows[i].row.id, c->model_id)) { /* another one than the account's is asked for */
            m.active = rows[i];
            m.wanted = embed_model_of(&rows[i]);
            *out = m;
            return ERR_OK;
        }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(rows[i].row.state, "active") == 0)
            m.active = rows[i];
        else if (strcmp(rows[i].row.state, "building") == 0)
            m.building = rows[i];
        else if (!is_wanted(&m.wanted, &m.past) &&
                 (is_wanted(&m.wanted, &rows[i]) || rows[i].retired_at.us > m.past.retired_at.us))
            m.past = rows[i];
    }
    if (is_wanted(&m.wanted, &m.active))
        m.wanted.dim = (size_t)m.active.row.dim;
    else if (is_wanted(&m.wanted, &m.building))
        m.wanted.dim = (size_t)m.building.row.dim;
    m.fitted = fitted_read(c->arena, set.profile, serving(c, &m));
    *out = m;
    return ERR_OK;
}

err vector_models_begin(struct ctx *c, struct vector_models *m, size_t dim)
{
    struct vector_model *to = uuid_is_nil(m->active.row.id) ? &m->active : &m->building;
    struct embedding_model new = {.provider = enumx_name(&embed_provider_enumx, (int)m->wanted.provider), .name = m->wanted.name,
                                  .dim = (int64_t)dim, .state = to == &m->active ? "active" : "building"};

    TRY(vector_model_add(c, &new, &to->row));
    m->wanted.dim = dim;
    if (strcmp(to->row.state, "retired") != 0)
        return ERR_OK;
    to->row.state = new.state;
    return vectors_store_state(c, to->row.id, new.state);
}

err vector_models_settle(struct ctx *c, struct vector_models *out)
{
    struct vector_models m;

    TRY(vector_models_read(c, &m));
    *out = m;
    if (m.wanted.provider == EMBED_NONE)
        return ERR_OK;
    if (!uuid_is_nil(m.building.row.id) && !is_wanted(&m.wanted, &m.building)) {
        TRY(vectors_store_state(c, m.building.row.id, "retired"));
        m.building = (struct vector_model){0};
    }
    if (!is_wanted(&m.wanted, &m.active) && uuid_is_nil(m.building.row.id)) {
        size_t dim = m.wanted.dim ? m.wanted.dim : is_wanted(&m.wanted, &m.past) ? (size_t)m.past.row.dim : 0;

        if (dim)
            TRY(vector_models_begin(c, &m, dim));
    }
    *out = m;
    return ERR_OK;
}

/* ---- the switch */

static err switch_body(struct ctx *c, void *arg)
{
    const struct vector_models *m = arg;
    struct json *before = json_obj(c->arena), *after = json_obj(c->arena);

    if (!uuid_is_nil(m->active.row.id))
        TRY(vectors_store_state(c, m->active.row.id, "retired"));
    TRY(vectors_store_state(c, m->building.row.id, "active"));
    TRY(vectors_store_announce(c, m->building.row.id));
    json_set_str(c->arena, before, "model", m->active.row.name);
    json_set_str(c->arena, after, "model", m->building.row.name);
    return audit_add(c, &(struct audit){.kind = "model.switch", .subject_kind = "model", .subject_id = m->building.row.id,
                                        .before = before, .after = after, .is_news = true});
}

err vector_models_switch(struct ctx *c, struct vector_models *m)
{
    TRY(db_tx(c, switch_body, m));
    m->active = m->building;
    m->active.row.state = "active";
    m->building = (struct vector_model){0};
    return ERR_OK;
}

/* ---- the profile */

static struct embed_scale scale_of(const struct vector_model *m, const char *provider, const char *name)
{
    for (size_t i = 0; i < sizeof BUILTIN_SCALES / sizeof *BUILTIN_SCALES; i++)
        if (strcmp(provider, "builtin") == 0 && strcmp(name, BUILTIN_SCALES[i].name) == 0)
            return BUILTIN_SCALES[i].scale;
    return m->tested.answering > m->tested.unrelated ? m->tested : UNTESTED;
}

/* Evidence goes by what the model is, not by the account's own scale: an account about one thing looks near to anything. */
static void calibrate(const struct vector_model *m, struct model_profile *p)
{
    p->scale = scale_of(m, p->provider, p->name);
    if (m->at_half > m->at_zero && m->at_half < 1) {
        p->scale.at_zero = m->at_zero;
        p->scale.at_half = m->at_half;
    }
}

err model_profile(struct ctx *c, struct model_profile *out)
{
    struct model_profile p = {.provider = "none", .name = "", .scale = UNTESTED};
    struct vector_models m;

    TRY(model_cache_get(c, (struct uuid){{0}}, &m));
    if (!uuid_is_nil(m.active.row.id)) {
        p.provider = m.active.row.provider;
        p.name = m.active.row.name;
        calibrate(&m.active, &p);
    } else if (m.wanted.provider != EMBED_NONE) {
        p.provider = enumx_name(&embed_provider_enumx, (int)m.wanted.provider);
        p.name = m.wanted.name;
        calibrate(&m.active, &p);
    }
    p.fitted = m.fitted;
    *out = p;
    return ERR_OK;
}

double model_calibrated(const struct model_profile *p, double cosine)
{
    const struct embed_scale *s = &p->scale;

    if (cosine <= s->at_zero)
        return 0;
    if (cosine < s->at_half)
        return 0.5 * (cosine - s->at_zero) / (s->at_half - s->at_zero);
    return cosine >= 1 ? 1 : 0.5 + 0.5 * (cosine - s->at_half) / (1 - s->at_half);
}
