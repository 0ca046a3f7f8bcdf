/* Which model answers for a base, and how another one takes its place; see base_model.h. */
#include "base_model.h"

#include "app.h"
#include "audit.h"
#include "base_model_store.h"
#include "db.h"
#include "embed.h"
#include "match.h"
#include "node_vectors.h"
#include "task.h"
#include "vector.h"

#define CHUNKS_AT_ONCE 256
#define LOST_SINCE (2 * DAY_US) /* what was lost before was found by an earlier sweep */

/* ---- which one is meant */

static err base_model_resolve(struct ctx *c, const char *provider, const char *model, struct embed_model *out)
{
    const char *why;
    int p;

    if (!c->app->embed)
        return fail_field(c, "/embedding_provider", "this program makes no vectors");
    p = (int)embed_default(c->app->embed).provider;
    if (provider && !enumx_parse(&embed_provider_enumx, provider, &p))
        return fail_field(c, "/embedding_provider", "no such provider here; there are builtin and http");
    *out = embed_of(c->app->embed, (enum embed_provider)p, model);
    why = embed_why_not(c->app->embed, out);
    if (!why && model && !str_eq(out->name, model))
        why = "this version has no built-in model of that name";
    return why ? fail_field(c, model ? "/embedding_model" : "/embedding_provider", "no such model here: %s", why) : ERR_OK;
}

err base_model_find(struct ctx *c, const char *provider, const char *model, struct uuid *id)
{
    static const char *PROBE[] = {"how long a vector is"};
    struct embedding_model row;
    struct embed_model m;
    struct embedded e;

    *id = (struct uuid){0};
    if (!provider && !model)
        return ERR_OK;
    TRY(base_model_resolve(c, provider, model, &m));
    if (m.provider == EMBED_NONE)
        return ERR_OK;
    if (!m.dim) {
        TRY(embed_texts(c, &m, PROBE, 1, &e));
        m.dim = e.dim;
    }
    TRY(vector_model_add(c, &(struct embedding_model){.provider = enumx_name(&embed_provider_enumx, (int)m.provider), .name = m.name,
                                                      .dim = (int64_t)m.dim, .state = "retired"}, &row));
    *id = row.id;
    return ERR_OK;
}

/* ---- wanting another one */

/* document nil: all of the base. */
static err base_model_promise_at(struct ctx *c, struct uuid base, struct uuid document, int64_t turn)
{
    const char *id = arena_strdup(c->arena, UUID_STR(base));
    const char *of = uuid_is_nil(document) ? NULL : arena_strdup(c->arena, UUID_STR(document));
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "id", id);
    json_set_str(c->arena, payload, "document_id", of);
    return task_enqueue(c, &(struct task_new){.kind = "reembed_base", .payload = payload, .lane = id,
                                              .idem_key = arena_printf(c->arena, "%s-%lld", of ? of : id, (long long)turn)});
}

err base_model_promise(struct ctx *c, struct uuid knowledge_base_id, struct uuid document_id, int64_t generation)
{
    struct base_model m;
    bool found;

    TRY(base_model_store_get(c, knowledge_base_id, &found, &m));
    if (!found || (!m.is_building && uuid_is_nil(m.model_id)))
        return ERR_OK;
    return base_model_promise_at(c, knowledge_base_id, document_id, generation);
}

static void base_model_take(struct ctx *c, struct base_model *m, struct uuid id)
{
    m->past_model_id = m->model_id;
    m->model_id = id;
    m->building_model_id = (struct uuid){0};
    m->is_building = false;
    m->switched_at = c->now;
}

err base_model_sweep(struct ctx *c, int64_t waited_us, int64_t limit, int64_t *n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, (size_t)limit + 1);
    struct instant from = {c->now.us - LOST_SINCE}, before = {c->now.us - waited_us};
    size_t k;

    TRY(base_model_store_lost(c, from, before, ids, (size_t)limit, &k));
    for (size_t i = 0; i < k; i++)
        TRY(base_model_promise_at(c, ids[i], (struct uuid){0}, c->now.us / waited_us));
    *n = (int64_t)k;
    return ERR_OK;
}

/* Of what nobody wants any more the vectors go. */
static err base_model_put(struct ctx *c, const struct base_model *was, const struct base_model *m)
{
    const struct uuid used[] = {m->model_id, m->building_model_id}, unused[] = {was->model_id, was->building_model_id};

    TRY(base_model_store_put(c, m));
    TRY(knowledge_base_mend(c, m->knowledge_base_id));
    for (size_t i = 0; i < 2; i++)
        TRY(base_model_store_use(c, unused[i], false));
    for (size_t i = 0; i < 2; i++)
        TRY(base_model_store_use(c, used[i], true));
    return ERR_OK;
}

err base_model_want(struct ctx *c, const struct knowledge_base *b, struct uuid id)
{
    struct base_model was, m;
    bool found;

    TRY(base_model_store_lock(c, b->id, &found, &was));
    m = was;
    if (!found && uuid_is_nil(id))
        return ERR_OK;
    if (uuid_eq(id, m.model_id)) {
        m.is_building = false;
        m.building_model_id = (struct uuid){0};
        return base_model_put(c, &was, &m);
    }
    if (!b->chunk_count) {
        base_model_take(c, &m, id);
        return base_model_put(c, &was, &m);
    }
    m.is_building = true;
    m.building_model_id = id;
    m.started_at = c->now;
    TRY(base_model_put(c, &was, &m));
    return base_model_promise_at(c, b->id, (struct uuid){0}, c->now.us);
}

/* ---- what it shows */

static err base_model_name(struct ctx *c, struct uuid id, const char **name)
{
    *name = NULL;
    return uuid_is_nil(id) ? ERR_OK : vector_model_name(c, id, name);
}

err base_model_show(struct ctx *c, struct knowledge_base *b)
{
    struct uuid target;
    struct base_model m;
    bool found;

    TRY(base_model_store_get(c, b->id, &found, &m));
    if (!found)
        return ERR_OK;
    TRY(base_model_name(c, m.model_id, &b->serving_model));
    b->is_reembedding = m.is_building;
    if (!m.is_building)
        return ERR_OK;
    target = m.building_model_id;
    if (uuid_is_nil(target))
        TRY(base_model_store_account(c, &target));
    TRY(base_model_name(c, target, &b->building_model));
    TRY(base_model_store_count(c, b->id, target, &b->reembed_total, &b->reembed_left));
    return ERR_OK;
}

/* ---- the task */

static err base_model_switch(struct ctx *c, void *arg)
{
    const struct base_model *seen = arg;
    struct json *said = json_obj(c->arena);
    struct base_model was, m;
    const char *name;
    bool found;

    TRY(base_model_store_lock(c, seen->knowledge_base_id, &found, &was));
    if (!found || !was.is_building || !uuid_eq(was.building_model_id, seen->building_model_id))
        return ERR_OK;
    m = was;
    base_model_take(c, &m, was.building_model_id);
    TRY(base_model_put(c, &was, &m));
    TRY(base_model_name(c, m.model_id, &name));
    json_set_str(c->arena, said, "model", name);
    return audit_add(c, &(struct audit){.kind = "reembed_done", .subject_kind = "knowledge_base", .subject_id = m.knowledge_base_id,
                                        .space_id = m.knowledge_base_id, .payload = said, .is_news = true});
}

/* model nil: the account's. *left: there are some that it did not come to. */
static err base_model_fill(struct ctx *c, const struct base_part *of, struct uuid model, struct vectors_work *w, bool *left)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, CHUNKS_AT_ONCE), target = model, before = {0};
    struct vectors_done done;
    size_t n;

    if (uuid_is_nil(model))
        TRY(base_model_store_account(c, &target));
    for (;;) {
        TRY(base_model_store_missing(c, of, target, ids, CHUNKS_AT_ONCE, &n));
        *left = n > 0;
        if (!n || uuid_eq(ids[0], before) || w->should_stop(w->arg))
            return ERR_OK;
        before = ids[0];
        w->ids = ids;
        w->n = n;
        TRY(uuid_is_nil(model) ? vectors_embed(c, w, &done) : vectors_embed_by(c, model, w, &done));
        if (done.no_model)
            return ERR_OK;
    }
}

err base_model_work(struct ctx *c, const struct base_part *of, bool (*should_stop)(void *arg), void *arg, bool *more)
{
    struct vectors_work w = {.should_stop = should_stop, .arg = arg};
    struct base_model m;
    bool found;

    *more = false;
    TRY(base_model_store_get(c, of->knowledge_base_id, &found, &m));
    if (!found)
        return ERR_OK;
    if (!uuid_is_nil(m.model_id))
        TRY(base_model_fill(c, of, m.model_id, &w, more));
    if (*more || !m.is_building)
        return ERR_OK;
    TRY(base_model_fill(c, of, m.building_model_id, &w, more));
    return *more || !uuid_is_nil(of->document_id) ? ERR_OK : db_tx(c, base_model_switch, &m);
}

struct base_model_failure {
    struct uuid base;
    const char *why;
};

static err base_model_fail(struct ctx *c, void *arg)
{
    const struct base_model_failure *f = arg;

    return knowledge_base_mark_error(c, f->base, "model_failed", f->why);
}

err base_model_gave_up(struct ctx *c, struct uuid knowledge_base_id, const char *why)
{
    struct base_model_failure f = {knowledge_base_id, why};
    err e = db_tx(c, base_model_fail, &f);

    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c); /* it was deleted meanwhile */
    return ERR_OK;
}

/* ---- the way back */

static err knowledge_base_switch_back_tx(struct ctx *c, const struct thing_key *key, struct knowledge_base *out)
{
    struct base_model was, m;
    bool found, there = true;

    TRY(knowledge_base_get(c, key->id, out));
    TRY(access_require(c, key->id, ACCESS_MANAGE));
    TRY(match_version(c, key->if_version, out->version));
    TRY(base_model_store_lock(c, key->id, &found, &was));
    if (found && !uuid_is_nil(was.past_model_id))
        TRY(base_model_store_exists(c, was.past_model_id, &there));
    if (!found || !there || was.switched_at.us < c->now.us - SWITCH_BACK_DAYS * DAY_US)
        return fail_reason(c, ERR_CONFLICT, "no_model_before", "there is no model of the last %d days to switch back to", SWITCH_BACK_DAYS);
    m = was;
    base_model_take(c, &m, was.past_model_id);
    TRY(base_model_put(c, &was, &m));
    TRY(base_model_promise_at(c, key->id, (struct uuid){0}, c->now.us));
    return knowledge_base_get(c, key->id, out);
}
DB_TX(knowledge_base_switch_back, struct thing_key, struct knowledge_base)

/* ---- for queries */

static err base_models_add(struct ctx *c, struct base_models *m, struct uuid base, struct uuid model, size_t room)
{
    size_t i = 0;

    while (i < m->n && !uuid_eq(m->of[i].model_id, model))
        i++;
    if (i == BASE_MODELS)
        return fail_reason(c, ERR_INVALID, "too_many_models", "these bases have more than %d embedding models; ask fewer at once",
                           BASE_MODELS);
    if (i == m->n) {
        m->of[m->n].model_id = model;
        m->of[m->n++].bases = (struct uuids){ARENA_ARRAY(c->arena, struct uuid, room), 0};
    }
    ((struct uuid *)(uintptr_t)m->of[i].bases.v)[m->of[i].bases.n++] = base;
    return ERR_OK;
}

err base_models_of(struct ctx *c, struct uuids bases, struct base_models *out)
{
    struct uuid *base = ARENA_ARRAY(c->arena, struct uuid, bases.n + 1), *model = ARENA_ARRAY(c->arena, struct uuid, bases.n + 1);
    size_t n;

    *out = (struct base_models){0};
    TRY(base_model_store_own(c, bases, base, model, &n));
    for (size_t i = 0; i < bases.n; i++) {
        struct uuid its = {0};

        for (size_t k = 0; k < n; k++)
            if (uuid_eq(base[k], bases.v[i]))
                its = model[k];
        TRY(base_models_add(c, out, bases.v[i], its, bases.n + 1));
    }
    return ERR_OK;
}
