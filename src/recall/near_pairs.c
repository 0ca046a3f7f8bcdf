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

#define PAGE 2048                  /* vectors held at once */
#define BARE_US (3600 * SECOND_US) /* what is older and has no vector will get none */
#define STEP 1e-4                  /* nearer than this to each other two similarities are the same */
#define BODIES 64                  /* texts held at once */
#define CANDIDATE 0.5              /* of a body to a whole node: from here on the bodies are compared */

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
    bool is_crowded;        /* there were more */
    bool by_body;           /* v is of the body alone; what is near is compared again by its body */
    struct near_said *said; /* of a text that is no node yet */
};

struct hunt {
    struct uuid model_id;
    struct model_profile model;
    const struct simd_kernels *simd;
    struct seeker *seekers; /* by space and kind */
    size_t n;
    double least;
    int64_t newest;              /* nodes of a place that are looked at; 0: all */
    struct embed_model embedder; /* of bodies */
    struct strs by_body;         /* kinds; none: what is stored is compared */
};

/* ---- one against one */

static bool read_vector(struct arena *a, struct bytes blob, const float **v, size_t *dim)
{
    struct uuid model_id;
    float norm;

    return vector_read_blob(a, blob, &model_id, v, dim, &norm);
}

static long near_pairs_rank_of(double similarity)
{
    return lround(similarity / STEP);
}

/* Nearer first; of equally near ones the oldest, so that many copies all find the same few. */
static int by_nearness(const void *x, const void *y)
{
    const struct near_pair *p = x, *q = y;
    long rp = near_pairs_rank_of(p->similarity), rq = near_pairs_rank_of(q->similarity);
    int r = rp != rq ? (rp > rq ? -1 : 1) : uuid_cmp(p->a, q->a);

    return r ? r : uuid_cmp(p->b, q->b);
}

static void near_pairs_keep(struct seeker *s, const struct near_pair *p)
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
static void near_pairs_compare(const struct hunt *h, struct seeker *s, struct uuid id, const float *v, size_t dim)
{
    bool is_older = uuid_cmp(id, s->node->id) < 0;
    struct near_pair p = {is_older ? id : s->node->id, is_older ? s->node->id : id, 0};

    if (dim != s->dim || uuid_eq(id, s->node->id))
        return;
    p.similarity = model_calibrated(&h->model, (double)h->simd->dot_f32(s->v, v, dim));
    if (p.similarity >= (s->by_body ? CANDIDATE : h->least))
        near_pairs_keep(s, &p);
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
                    near_pairs_compare(h, &from[s], rows[i].id, v, dim);
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

/* ---- bodies alone */

/* Vectors of bodies, by the ids of their nodes, ascending. v NULL: the node says nothing, or is gone. */
struct body_vector {
    struct uuid id;
    const float *v;
};

static int by_body_id(const void *x, const void *y)
{
    return uuid_cmp(((const struct body_vector *)x)->id, ((const struct body_vector *)y)->id);
}

static struct body_vector *body_find(struct body_vector *all, size_t n, struct uuid id)
{
    return bsearch(&(struct body_vector){.id = id}, all, n, sizeof *all, by_body_id);
}

/* A few at once: own is a context for their texts, c keeps the vectors. */
static err embed_some(struct ctx *c, struct ctx *own, const struct hunt *h, struct body_vector *all, size_t n)
{
    struct uuid ids[BODIES], of[BODIES];
    const char *texts[BODIES];
    struct embedded e;
    size_t found;

    for (size_t i = 0; i < n; i++)
        ids[i] = all[i].id;
    TRY(near_pairs_store_bodies(own, ids, n, of, texts, &found));
    if (!found)
        return ERR_OK;
    TRY(embed_texts(own, &h->embedder, texts, found, &e));
    for (size_t i = 0; i < found; i++)
        if (e.has[i])
            body_find(all, n, of[i])->v = arena_memdup(c->arena, e.vectors + i * e.dim, e.dim * sizeof *e.vectors);
    return ERR_OK;
}

static err embed_bodies(struct ctx *c, const struct hunt *h, struct body_vector *all, size_t *n)
{
    struct ctx own = *c;
    size_t kept = 0;
    err r = ERR_OK;

    qsort(all, *n, sizeof *all, by_body_id);
    for (size_t i = 0; i < *n; i++)
        if (!kept || !uuid_eq(all[kept - 1].id, all[i].id))
            all[kept++] = all[i];
    *n = kept;
    own.arena = request_arena_new();
    for (size_t i = 0; r == ERR_OK && i < kept; i += BODIES) {
        r = embed_some(c, &own, h, all + i, kept - i < BODIES ? kept - i : BODIES);
        if (r == ERR_OK)
            arena_reset(own.arena);
    }
    if (r != ERR_OK)
        r = fail(c, r, "%s", own.fault.message ? own.fault.message : "the texts of the account could not be compared");
    arena_free(own.arena);
    return r;
}

static bool is_by_body(const struct hunt *h, const char *kind)
{
    for (size_t i = 0; i < h->by_body.n; i++)
        if (strcmp(h->by_body.v[i], kind) == 0)
            return true;
    return false;
}

/* Seekers of kinds whose titles are names look with the vector of their body. */
static err take_bodies(struct ctx *c, struct hunt *h)
{
    struct body_vector *all = ARENA_ARRAY(c->arena, struct body_vector, h->n + 1), *own;
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++)
        if (is_by_body(h, h->seekers[i].node->kind))
            all[n++] = (struct body_vector){.id = h->seekers[i].node->id};
    if (!n)
        return ERR_OK;
    TRY(embed_bodies(c, h, all, &n));
    for (size_t i = 0; i < h->n; i++)
        if ((own = body_find(all, n, h->seekers[i].node->id)) && own->v) {
            h->seekers[i].v = own->v;
            h->seekers[i].by_body = true;
        }
    return ERR_OK;
}

static struct uuid other_of(const struct seeker *s, const struct near_pair *p)
{
    return uuid_eq(p->a, s->node->id) ? p->b : p->a;
}

/* What was near to a body by the whole of it: how near is it by its own body? */
static void compare_again(const struct hunt *h, struct seeker *s, struct body_vector *all, size_t n)
{
    size_t had = s->n;

    s->n = 0;
    for (size_t i = 0; i < had; i++) {
        struct near_pair p = s->near[i];
        const struct body_vector *other = body_find(all, n, other_of(s, &p));

        if (!other->v)
            continue;
        p.similarity = model_calibrated(&h->model, (double)h->simd->dot_f32(s->v, other->v, s->dim));
        if (p.similarity >= h->least)
            s->near[s->n++] = p;
    }
    s->is_crowded &= s->n == had;
    qsort(s->near, s->n, sizeof *s->near, by_nearness);
}

static err compare_bodies(struct ctx *c, struct hunt *h)
{
    struct body_vector *all = ARENA_ARRAY(c->arena, struct body_vector, h->n * NEAR_EACH + 1);
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; h->seekers[i].by_body && k < h->seekers[i].n; k++)
            all[n++] = (struct body_vector){.id = other_of(&h->seekers[i], &h->seekers[i].near[k])};
    if (!n)
        return ERR_OK;
    TRY(embed_bodies(c, h, all, &n));
    for (size_t i = 0; i < h->n; i++)
        if (h->seekers[i].by_body)
            compare_again(h, &h->seekers[i], all, n);
    return ERR_OK;
}

/* ---- one portion */

static int near_pairs_by_place(const void *x, const void *y)
{
    const struct near_node *p = ((const struct seeker *)x)->node, *q = ((const struct seeker *)y)->node;
    int r = uuid_cmp(p->space_id, q->space_id);

    return r ? r : strcmp(p->kind, q->kind);
}

static void near_pairs_gather(struct ctx *c, const struct hunt *h, struct near_pair **pairs, size_t *n_pairs)
{
    struct near_pair *all = ARENA_ARRAY(c->arena, struct near_pair, h->n * NEAR_EACH + 1);
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k < h->seekers[i].n; k++)
            all[n++] = h->seekers[i].near[k];
    qsort(all, n, sizeof *all, by_nearness);
    for (size_t i = 0; i < n; i++) /* found from both sides it stands there twice */
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
    qsort(h->seekers, h->n, sizeof *h->seekers, near_pairs_by_place);
    TRY(take_bodies(c, h));
    own.arena = request_arena_new();
    r = look_everywhere(&own, h);
    arena_free(own.arena);
    return r == ERR_OK ? compare_bodies(c, h) : fail(c, r, "the vectors of the account could not be read");
}

static err near_pairs_begin(struct ctx *c, double least, struct hunt *h)
{
    struct vector_models m;

    *h = (struct hunt){.simd = c->app->simd, .least = least};
    TRY(vector_models_read(c, &m));
    h->model_id = m.active.row.id;
    h->embedder = embed_model_of(&m.active);
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
    TRY(near_pairs_begin(c, least, &h));
    if (!uuid_is_nil(h.model_id) && n)
        TRY(near_pairs_store_some(c, h.model_id, ids, n, own, &found));
    for (size_t i = 0; i < n; i++) {
        const struct near_node *node = node_of(own, found, of[i].id);

        if (node)
            rows[k++] = (struct near_node){.id = of[i].id, .space_id = of[i].space_id, .kind = of[i].kind, .blob = node->blob};
    }
    TRY(hunt(c, &h, rows, k));
    near_pairs_gather(c, &h, pairs, n_pairs);
    return ERR_OK;
}

static struct position near_pairs_read_position(const struct ctx *c, const struct near_sweep *s)
{
    struct position p = {.began = c->now.us};

    if (s->position.p && s->position.n == sizeof p)
        memcpy(&p, s->position.p, sizeof p);
    return p;
}

err near_pairs_find(struct ctx *c, struct near_sweep *s)
{
    struct near_node *rows = ARENA_ARRAY(c->arena, struct near_node, (size_t)s->limit + 1);
    struct position p = near_pairs_read_position(c, s);
    struct hunt h;
    size_t n = 0;

    TRY(near_pairs_begin(c, s->least, &h));
    if (c->app->embed && !embed_why_not(c->app->embed, &h.embedder))
        h.by_body = s->by_body;
    if (!uuid_is_nil(h.model_id))
        TRY(near_pairs_store_new(c, h.model_id, s, (struct instant){p.at}, p.id, rows, &n));
    TRY(hunt(c, &h, rows, n));
    near_pairs_gather(c, &h, &s->pairs, &s->n);
    for (size_t i = 0; i < h.n; i++)
        s->crowded |= h.seekers[i].is_crowded;
    s->ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++)
        s->ids[i] = rows[i].id;
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
    int r = near_pairs_by_place(x, y);

    return r ? r : (p->said > q->said) - (p->said < q->said);
}

/* Without an id: of each pair that is kept the node is the second. */
static void make_seekers(struct ctx *c, struct hunt *h, struct near_said *said, size_t n, const struct embedded *e)
{
    struct near_node *nodes = ARENA_ARRAY(c->arena, struct near_node, n + 1);

    h->seekers = ARENA_ARRAY(c->arena, struct seeker, n + 1);
    for (size_t i = 0; i < n; i++) {
        nodes[i] = (struct near_node){.space_id = said[i].space_id, .kind = said[i].kind};
        if (e->has[i])
            h->seekers[h->n++] = (struct seeker){.node = &nodes[i], .v = e->vectors + i * e->dim, .dim = e->dim, .by_body = true,
                                                 .said = &said[i]};
    }
    qsort(h->seekers, h->n, sizeof *h->seekers, by_place_and_order);
}

/* Nodes that wait for their vectors, such as what was written a moment ago. */
static err look_at_bare(struct ctx *c, const struct hunt *h, struct seeker *from, size_t n_seekers)
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
    TRY(embed_texts(c, &h->embedder, texts, n, &e));
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < n_seekers && e.has[i]; s++)
            near_pairs_compare(h, &from[s], due[i].id, e.vectors + i * e.dim, e.dim);
    return ERR_OK;
}

static err look_for(struct ctx *c, const struct hunt *h)
{
    struct ctx own = *c;
    err r = ERR_OK;

    own.arena = request_arena_new();
    for (size_t from = 0, to; r == ERR_OK && from < h->n; from = to) {
        for (to = from + 1; to < h->n && same_place(h->seekers[from].node, h->seekers[to].node);)
            to++;
        r = look_around(&own, h, &h->seekers[from], to - from);
        if (r == ERR_OK)
            r = look_at_bare(&own, h, &h->seekers[from], to - from);
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

static err seek(struct ctx *c, struct hunt *h, struct near_said *said, size_t n)
{
    const char **texts = ARENA_ARRAY(c->arena, const char *, n);
    struct embedded e;

    for (size_t i = 0; i < n; i++)
        texts[i] = said[i].text;
    TRY(embed_texts(c, &h->embedder, texts, n, &e));
    make_seekers(c, h, said, n, &e);
    TRY(look_for(c, h));
    TRY(compare_bodies(c, h));
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
    }
    TRY(vector_models_read(c, &all));
    m = embed_model_of(&all.active);
    if (!n || !c->app->embed || uuid_is_nil(all.active.row.id) || embed_why_not(c->app->embed, &m) || embed_is_down(c->app->embed, &m))
        return ERR_OK;
    TRY(near_pairs_begin(c, least, &h));
    h.newest = NEAR_LOOKS_BACK;
    r = seek(c, &h, said, n);
    if (r != ERR_PROVIDER && r != ERR_DEADLINE)
        return r;
    ctx_forgive(c); /* who has no answer in time finds nothing */
    return ERR_OK;
}

err near_pairs_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    return near_pairs_store_due(c, job, above, ids, max, n);
}
