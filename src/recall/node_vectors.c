/* Texts in batches to vectors, and those to their rows; see node_vectors.h. */
#include "node_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "metrics.h"
#include "simd.h"
#include "vectors_store.h"

#define BATCH_TEXTS 256
#define BATCH_TEXTS_HTTP 64     /* of a server, which may fail: what was made before is stored */
#define BATCH_BYTES (32 * 1024) /* a second of the built-in model at most, unless one text is longer */

static const struct metric STORED = {"loci_vectors_stored_total", METRIC_COUNTER, "vectors of nodes that were computed and stored"};

/* Does the body begin with "speaker:"? */
static bool names_speaker(const struct due_text *t)
{
    return str_starts(t->body, t->speaker) && t->body[strlen(t->speaker)] == ':';
}

const char *vectors_text(struct arena *a, const struct due_text *t)
{
    /* The title of a turn is that of its session, and would make all of them alike; one that repeats the beginning of the
     * body says nothing more. */
    bool titled = *t->title && !(*t->body && (t->is_turn || str_starts(t->body, t->title)));
    bool spoken = t->speaker && !names_speaker(t);

    if (!titled && !spoken)
        return t->body;
    return arena_printf(a, "%s%s%s%s%s", spoken ? t->speaker : "", spoken ? ": " : "", titled ? t->title : "",
                        titled && *t->body ? "\n" : "", t->body);
}

/* ---- what cosines mean */

/* Of a model that we do not ship. That its server does not answer now is no failure: the next turn of the job tries again. */
static err vectors_self_test(struct ctx *c, const struct vector_model *m)
{
    const struct embed_model model = embed_model_of(m);
    struct embed_scale scale;

    if (model.provider != EMBED_HTTP || m->tested.answering > 0)
        return ERR_OK;
    if (embed_self_test(c, &model, &scale) != ERR_OK) {
        ctx_forgive(c);
        return ERR_OK;
    }
    return vectors_store_tested(c, m->row.id, &scale);
}

/* ---- a batch for one model */

static err store(struct ctx *c, const struct vector_model *m, const struct due_text *t, size_t n, const struct embedded *e,
                 struct vectors_done *done)
{
    struct vector_new *v = ARENA_ARRAY(c->arena, struct vector_new, n);
    int64_t written;

    for (size_t i = 0; i < n; i++)
        v[i] = (struct vector_new){.node_id = t[i].id, .text_hash = t[i].content_hash,
                                   .values = e->has[i] ? e->vectors + i * e->dim : NULL};
    c->now = clock_now(); /* computing takes its time, and who follows changes looks at instants */
    TRY(vector_put_computed(c, &m->row, e->precision, v, n, &written));
    for (size_t i = 0; i < n; i++)
        done->empty += !e->has[i];
    done->written += written;
    if (c->app->metrics)
        metrics_add(c->app->metrics, &STORED, "", (double)written);
    return ERR_OK;
}

/* The next texts that fit in a batch; at least one. */
static size_t batch_of(struct ctx *c, enum embed_provider by, const struct due_text *t, size_t n, const char **texts)
{
    size_t bytes = 0, k = 0, most = by == EMBED_HTTP ? BATCH_TEXTS_HTTP : BATCH_TEXTS;

    for (; k < n && k < most; k++) {
        texts[k] = vectors_text(c->arena, &t[k]);
        bytes += strlen(texts[k]);
        if (k && bytes > BATCH_BYTES)
            break;
    }
    return k;
}

/* wanted: the model the settings name, whether it serves already or is being built; else the one that serves. */
static const struct vector_model *node_vectors_model_of(const struct vector_models *all, bool wanted)
{
    static const struct vector_model UNKNOWN;

    if (wanted && !all->wanted.dim)
        return &UNKNOWN;
    return wanted && !uuid_is_nil(all->building.row.id) ? &all->building : &all->active;
}

static err embed_batch(struct ctx *c, struct vector_models *all, bool wanted, const char **texts, const struct due_text *t, size_t n,
                       struct vectors_done *done)
{
    struct embed_model model = wanted ? all->wanted : embed_model_of(&all->active);
    struct embedded e;

    TRY(embed_texts_behind(c, &model, texts, n, &e));
    if (wanted && !all->wanted.dim) {
        if (!e.dim)
            return ERR_OK; /* nothing in any of them: the length is still not known */
        TRY(vector_models_begin(c, all, e.dim));
    }
    return store(c, node_vectors_model_of(all, wanted), t, n, &e, done);
}

static err embed_for(struct ctx *c, struct vector_models *all, bool wanted, const struct vectors_work *w, struct vectors_done *done)
{
    const char *texts[BATCH_TEXTS + 1];
    enum embed_provider by = (wanted ? all->wanted : embed_model_of(&all->active)).provider;
    struct due_text *due;
    size_t n, k;

    TRY(vectors_store_due(c, node_vectors_model_of(all, wanted)->row.id, w->ids, w->n, &due, &n));
    for (size_t i = 0; i < n; i += k) {
        if (w->should_stop && w->should_stop(w->arg))
            return fail(c, ERR_UNAVAILABLE, "the work was told to stop");
        k = batch_of(c, by, due + i, n - i, texts);
        TRY(embed_batch(c, all, wanted, texts, due + i, k, done));
    }
    return ERR_OK;
}

/* The model that serves is kept current even while another is built; that it cannot be asked any more (which may be why it
 * was changed) does not stop the other. */
err vectors_embed(struct ctx *c, const struct vectors_work *w, struct vectors_done *out)
{
    struct vector_models all;
    struct vectors_done done = {0};
    struct embed_model active;
    bool is_new;

    *out = done;
    if (!w->n)
        return ERR_OK;
    TRY(vector_models_settle(c, &all));
    out->no_model = all.wanted.provider == EMBED_NONE;
    if (out->no_model)
        return ERR_OK;
    is_new = !all.wanted.dim;
    active = embed_model_of(&all.active);
    if (active.provider != EMBED_NONE && (active.provider != all.wanted.provider || strcmp(active.name, all.wanted.name) != 0) &&
        embed_for(c, &all, false, w, &done) != ERR_OK)
        ctx_forgive(c);
    TRY(embed_for(c, &all, true, w, &done));
    if (is_new)
        TRY(vectors_self_test(c, node_vectors_model_of(&all, true)));
    *out = done;
    return ERR_OK;
}

err vectors_embed_by(struct ctx *c, struct uuid model_id, const struct vectors_work *w, struct vectors_done *out)
{
    struct uuid before = c->model_id;
    struct vector_models all;
    err e;

    *out = (struct vectors_done){0};
    c->model_id = model_id;
    e = vector_models_read(c, &all);
    c->model_id = before;
    TRY(e);
    out->no_model = !uuid_eq(all.active.row.id, model_id);
    return out->no_model || !w->n ? ERR_OK : embed_for(c, &all, false, w, out);
}

/* ---- what they mean in an account */

#define CALIBRATE_FROM 1000 /* vectors */
#define DRAWN 512
#define CALIBRATED_FOR (30 * DAY_US)

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Each drawn vector with three others far from it: neighbours may be about the same. */
static size_t cosines_of(struct ctx *c, const float **v, size_t n, size_t dim, double *out)
{
    static const size_t STEPS[] = {61, 127, 251};
    size_t k = 0;

    for (size_t s = 0; s < sizeof STEPS / sizeof *STEPS; s++)
        for (size_t i = 0; i < n; i++)
            out[k++] = (double)c->app->simd->dot_f32(v[i], v[(i + STEPS[s]) % n], dim);
    return k;
}

static err node_vectors_measure(struct ctx *c, const struct vector_model *m, const struct bytes *blobs, size_t n)
{
    const float **v = ARENA_ARRAY(c->arena, const float *, n + 1);
    double *cosines = ARENA_ARRAY(c->arena, double, 3 * n + 1), sum = 0;
    size_t k = 0, pairs;

    for (size_t i = 0; i < n; i++) {
        struct uuid id;
        size_t dim;
        float norm;

        if (vector_read_blob(c->arena, blobs[i], &id, &v[k], &dim, &norm) && dim == (size_t)m->row.dim)
            k++;
    }
    if (k < DRAWN / 2)
        return ERR_OK;
    pairs = cosines_of(c, v, k, (size_t)m->row.dim, cosines);
    for (size_t i = 0; i < pairs; i++)
        sum += cosines[i];
    qsort(cosines, pairs, sizeof *cosines, by_value);
    return vectors_store_calibration(c, m->row.id, sum / (double)pairs, cosines[pairs * 99 / 100]);
}

err vectors_calibrate(struct ctx *c)
{
    struct bytes *blobs = ARENA_ARRAY(c->arena, struct bytes, DRAWN);
    struct vector_models m;
    int64_t total;
    size_t n;

    TRY(vector_models_read(c, &m));
    TRY(vectors_self_test(c, &m.active));
    if (uuid_is_nil(m.active.row.id) || m.active.measured_at.us > c->now.us - CALIBRATED_FOR)
        return ERR_OK;
    TRY(vectors_store_count(c, m.active.row.id, &total));
    if (total < CALIBRATE_FROM)
        return ERR_OK;
    TRY(vectors_store_draw(c, m.active.row.id, total / DRAWN, DRAWN, blobs, &n));
    return node_vectors_measure(c, &m.active, blobs, n);
}
