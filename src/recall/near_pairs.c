/* New vectors against all others of their space and kind; see near_pairs.h. */
#include "near_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "near_pairs_store.h"
#include "node_vectors.h"
#include "simd.h"
#include "vectors_store.h"

#define PAGE 2048                    /* vectors held at once */
#define BARE_US (3600 * SECOND_US)   /* what is older and has no vector will get none */
#define STEP 1e-4                    /* nearer than this to each other two similarities are the same */

/* Where a sweep stands, as the bytes of a job's cursor. */
struct position {
    int64_t at, began;
    struct uuid id;
};

/* A node whose vector is new, and the nearest found so far. */
struct seeker {
    const struct near_node *node;
    const float *v;
    size_t dim;
    struct near_pair near[NEAR_EACH];
    size_t n;
    bool is_crowded;                 /* there were more */
    struct near_said *said;          /* of a text that is no node yet */
};

struct hunt {
    struct uuid model_id;
    struct model_profile model;
    const struct simd_kernels *simd;
    struct seeker *seekers;          /* by space and kind */
    size_t n;
    double least;
    int64_t newest;                  /* nodes of a place that are looked at; 0: all */
};

/* ---- one against one */

static bool read_vector(struct arena *a, struct bytes blob, const float **v, size_t *dim)
{
    struct uuid model_id;
    float norm;

    return vector_read_blob(a, blob, &model_id, v, dim, &norm);
}

static long rank_of(double similarity)
{
    return lround(similarity / STEP);
}

/* Nearer first; of equally near ones the oldest, so that many copies all find the same few. */
static int by_nearness(const void *x, const void *y)
{
    const struct near_pair *p = x, *q = y;
    long rp = rank_of(p->similarity), rq = rank_of(q->similarity);
    int r = rp != rq ? (rp > rq ? -1 : 1) : uuid_cmp(p->a, q->a);

    return r ? r : uuid_cmp(p->b, q->b);
}

static void keep(struct seeker *s, const struct near_pair *p)
{
    size_t at;

    s->is_crowded |= s->n == NEAR_EACH;
    if (s->n == NEAR_EACH && by_nearness(p, &s->near[NEAR_EACH - 1]) >= 0)
        return;
    at = s->n < NEAR_EACH ? s->n++ : NEAR_EACH - 1;
    for (; at && by_nearness(p, &s->near[at - 1]) < 0; at--)
        s->near[at] = s->near[at - 1];
    s->near[at] = *p;
}

/* Vectors that we computed are of unit length. */
static void compare(const struct hunt *h, struct seeker *s, struct uuid id, const float *v, size_t dim)
{
    bool is_older = uuid_cmp(id, s->node->id) < 0;
    struct near_pair p = {is_older ? id : s->node->id, is_older ? s->node->id : id, 0};

    if (dim != s->dim || uuid_eq(id, s->node->id))
        return;
    p.similarity = model_calibrated(&h->model, (double)h->simd->dot_f32(s->v, v, dim));
    if (p.similarity >= h->least)
        keep(s, &p);
}

/* ---- one space and kind */

static bool same_place(const struct near_node *x, const struct near_node *y)
{
    return uuid_eq(x->space_id, y->space_id) && strcmp(x->kind, y->kind) == 0;
}

/* The seekers of one place against all that is there, a page at a time. own: a context whose arena is emptied after each. */
static err look_around(struct ctx *own, const struct hunt *h, struct seeker *from, size_t n_seekers)
{
    const struct near_node *place = from->node;
    struct uuid above = {{0}};

    if (h->newest)
        TRY(near_pairs_store_begin(own, place->space_id, h->newest, &above));

    for (size_t n = PAGE; n == PAGE; arena_reset(own->arena)) {
        struct near_node *rows = ARENA_ARRAY(own->arena, struct near_node, PAGE);

        TRY(near_pairs_store_all(own, h->model_id, place->space_id, place->kind, above, PAGE, rows, &n));
        for (size_t i = 0; i < n; i++) {
            const float *v;
            size_t dim;

            above = rows[i].id;
            if (read_vector(own->arena, rows[i].blob, &v, &dim))
                for (size_t s = 0; s < n_seekers; s++)
                    compare(h, &from[s], rows[i].id, v, dim);
        }
    }
    return ERR_OK;
}

static err look_everywhere(struct ctx *own, const struct hunt *h)
{
    for (size_t from = 0, to; from < h->n; from = to) {
        for (to = from + 1; to < h->n && same_place(h->seekers[from].node, h->seekers[to].node);)
            to++;
        TRY(look_around(own, h, &h->seekers[from], to - from));
    }
    return ERR_OK;
}

/* ---- one portion */

static int by_place(const void *x, const void *y)
{
    const struct near_node *p = ((const struct seeker *)x)->node, *q = ((const struct seeker *)y)->node;
    int r = uuid_cmp(p->space_id, q->space_id);

    return r ? r : strcmp(p->kind, q->kind);
}

static void gather(struct ctx *c, const struct hunt *h, struct near_pair **pairs, size_t *n_pairs)
{
    struct near_pair *all = ARENA_ARRAY(c->arena, struct near_pair, h->n * NEAR_EACH + 1);
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k < h->seekers[i].n; k++)
            all[n++] = h->seekers[i].near[k];
    qsort(all, n, sizeof *all, by_nearness);
    for (size_t i = 0; i < n; i++)       /* found from both sides it stands there twice */
        if (!kept || !uuid_eq(all[kept - 1].a, all[i].a) || !uuid_eq(all[kept - 1].b, all[i].b))
            all[kept++] = all[i];
    *pairs = all;
    *n_pairs = kept;
}

static err hunt(struct ctx *c, struct hunt *h, const struct near_node *rows, size_t n)
{
    struct ctx own = *c;
    err r;

    h->seekers = ARENA_ARRAY(c->arena, struct seeker, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct seeker *s = &h->seekers[h->n];

        s->node = &rows[i];
        h->n += read_vector(c->arena, rows[i].blob, &s->v, &s->dim);
    }
    qsort(h->seekers, h->n, sizeof *h->seekers, by_place);
    own.arena = request_arena_new();
    r = look_everywhere(&own, h);
    arena_free(own.arena);
    return r == ERR_OK ? r : fail(c, r, "the vectors of the account could not be read");
}

static err begin(struct ctx *c, double least, struct hunt *h)
{
    struct vector_models m;

    *h = (struct hunt){.simd = c->app->simd, .least = least};
    TRY(vector_models_read(c, &m));
    h->model_id = m.active.row.id;
    return model_profile(c, &h->model);
}

static const struct near_node *node_of(const struct near_node *rows, size_t n, struct uuid id)
{
    for (size_t i = 0; i < n; i++)
        if (uuid_eq(rows[i].id, id))
            return &rows[i];
    return NULL;
}

err near_pairs_others(struct ctx *c, const struct near_place *of, size_t n, double least, struct near_pair **pairs, size_t *n_pairs)
{
    struct near_node *own = ARENA_ARRAY(c->arena, struct near_node, n + 1), *rows = ARENA_ARRAY(c->arena, struct near_node, n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t found = 0, k = 0;
    struct hunt h;

    for (size_t i = 0; i < n; i++)
        ids[i] = of[i].id;
    TRY(begin(c, least, &h));
    if (!uuid_is_nil(h.model_id) && n)
        TRY(near_pairs_store_some(c, h.model_id, ids, n, own, &found));
    for (size_t i = 0; i < n; i++) {
        const struct near_node *node = node_of(own, found, of[i].id);

        if (node)
            rows[k++] = (struct near_node){.id = of[i].id, .space_id = of[i].space_id, .kind = of[i].kind, .blob = node->blob};
    }
    TRY(hunt(c, &h, rows, k));
    gather(c, &h, pairs, n_pairs);
    return ERR_OK;
}

static struct position read_position(const struct ctx *c, const struct near_sweep *s)
{
    struct position p = {.began = c->now.us};

    if (s->position.p && s->position.n == sizeof p)
        memcpy(&p, s->position.p, sizeof p);
    return p;
}

err near_pairs_find(struct ctx *c, struct near_sweep *s)
{
    struct near_node *rows = ARENA_ARRAY(c->arena, struct near_node, (size_t)s->limit + 1);
    struct position p = read_position(c, s);
    struct hunt h;
    size_t n = 0;

    TRY(begin(c, s->least, &h));
    if (!uuid_is_nil(h.model_id))
        TRY(near_pairs_store_new(c, h.model_id, s, (struct instant){p.at}, p.id, rows, &n));
    TRY(hunt(c, &h, rows, n));
    gather(c, &h, &s->pairs, &s->n);
    for (size_t i = 0; i < h.n; i++)
        s->crowded |= h.seekers[i].is_crowded;
    s->looked = (int64_t)n;
    s->more = s->looked == s->limit;
    s->began.us = p.began;
    if (n) {
        p.at = rows[n - 1].at.us;
        p.id = rows[n - 1].id;
    }
    s->position = (struct bytes){arena_memdup(c->arena, &p, sizeof p), sizeof p};
    return ERR_OK;
}

/* ---- texts that are no nodes yet */

static int by_place_and_order(const void *x, const void *y)
{
    const struct seeker *p = x, *q = y;
    int r = by_place(x, y);

    return r ? r : (p->said > q->said) - (p->said < q->said);
}

/* Without an id: of each pair that is kept the node is the second. */
static void make_seekers(struct ctx *c, struct hunt *h, struct near_said *said, size_t n, const struct embedded *e)
{
    struct near_node *nodes = ARENA_ARRAY(c->arena, struct near_node, n + 1);

    h->seekers = ARENA_ARRAY(c->arena, struct seeker, n + 1);
    for (size_t i = 0; i < n; i++) {
        nodes[i] = (struct near_node){.space_id = said[i].space_id, .kind = said[i].kind};
        said[i].model_id = h->model_id;
        said[i].precision = e->precision;
        said[i].vector = e->has[i] ? e->vectors + i * e->dim : NULL;
        if (e->has[i])
            h->seekers[h->n++] = (struct seeker){.node = &nodes[i], .v = e->vectors + i * e->dim, .dim = e->dim, .said = &said[i]};
    }
    qsort(h->seekers, h->n, sizeof *h->seekers, by_place_and_order);
}

/* Nodes that wait for their vectors, such as what was written a moment ago. */
static err look_at_bare(struct ctx *c, const struct hunt *h, const struct embed_model *m, struct seeker *from, size_t n_seekers)
{
    const struct near_node *place = from->node;
    struct uuid ids[NEAR_BARE], above = uuid_floor(c->now.us - BARE_US);
    struct due_text *due;
    const char **texts;
    struct embedded e;
    size_t n;

    TRY(near_pairs_store_bare(c, h->model_id, place->space_id, place->kind, above, NEAR_BARE, ids, &n));
    if (n)
        TRY(vectors_store_due(c, h->model_id, ids, n, &due, &n));
    if (!n)
        return ERR_OK;
    texts = ARENA_ARRAY(c->arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        texts[i] = vectors_text(c->arena, &due[i]);
    TRY(embed_texts(c, m, texts, n, &e));
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < n_seekers && e.has[i]; s++)
            compare(h, &from[s], due[i].id, e.vectors + i * e.dim, e.dim);
    return ERR_OK;
}

static err look_for(struct ctx *c, const struct hunt *h, const struct embed_model *m)
{
    struct ctx own = *c;
    err r = ERR_OK;

    own.arena = request_arena_new();
    for (size_t from = 0, to; r == ERR_OK && from < h->n; from = to) {
        for (to = from + 1; to < h->n && same_place(h->seekers[from].node, h->seekers[to].node);)
            to++;
        r = look_around(&own, h, &h->seekers[from], to - from);
        if (r == ERR_OK)
            r = look_at_bare(&own, h, m, &h->seekers[from], to - from);
    }
    arena_free(own.arena);
    return r == ERR_OK ? r : fail(c, r, "the vectors of the account could not be read");
}

static void look_at_each_other(const struct hunt *h)
{
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = i; k-- > 0 && same_place(h->seekers[i].node, h->seekers[k].node);) {
            const struct seeker *s = &h->seekers[i], *other = &h->seekers[k];
            double like = model_calibrated(&h->model, (double)h->simd->dot_f32(s->v, other->v, s->dim));

            if (like < h->least || (s->said->before && like < s->said->similarity_before))
                continue;
            s->said->before = other->said;
            s->said->similarity_before = like;
        }
}

static err seek(struct ctx *c, struct hunt *h, const struct embed_model *m, struct near_said *said, size_t n)
{
    const char **texts = ARENA_ARRAY(c->arena, const char *, n);
    struct embedded e;

    for (size_t i = 0; i < n; i++)
        texts[i] = said[i].text;
    TRY(embed_texts(c, m, texts, n, &e));
    make_seekers(c, h, said, n, &e);
    TRY(look_for(c, h, m));
    look_at_each_other(h);
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k < h->seekers[i].n; k++) {
            struct near_said *to = h->seekers[i].said;

            to->ids[k] = h->seekers[i].near[k].b;
            to->similarity[k] = h->seekers[i].near[k].similarity;
            to->n = k + 1;
        }
    return ERR_OK;
}

err near_pairs_said(struct ctx *c, struct near_said *said, size_t n, double least)
{
    struct vector_models all;
    struct embed_model m;
    struct hunt h;
    err r;

    for (size_t i = 0; i < n; i++) {
        said[i].n = 0;
        said[i].before = NULL;
        said[i].vector = NULL;
    }
    TRY(vector_models_read(c, &all));
    m = embed_model_of(&all.active);
    if (!n || !c->app->embed || uuid_is_nil(all.active.row.id) || embed_why_not(c->app->embed, &m) || embed_is_down(c->app->embed, &m))
        return ERR_OK;
    TRY(begin(c, least, &h));
    h.newest = NEAR_LOOKS_BACK;
    r = seek(c, &h, &m, said, n);
    if (r != ERR_PROVIDER && r != ERR_DEADLINE)
        return r;
    ctx_forgive(c);                      /* who has no answer in time finds nothing */
    return ERR_OK;
}

err near_pairs_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return near_pairs_store_due(c, job, above, ids, max, n);
}
