/* Running a recall: the index as it stands, the filter, and one stage after the other; see recall.h. */
#include "recall.h"

#include <string.h>

#include "node.h"
#include "query_vector.h"
#include "recall_impl.h"

ENUMX_DEFINE(recall_mode, RECALL_MODE);
ENUMX_DEFINE(recall_fusion, RECALL_FUSION);
ENUMX_DEFINE(recall_rerank, RECALL_RERANK);
ENUMX_DEFINE(recall_expand, RECALL_EXPAND);
ENUMX_DEFINE(recall_diversify, RECALL_DIVERSIFY);
ENUMX_DEFINE(recall_render, RECALL_RENDER);
ENUMX_DEFINE(recall_switch, RECALL_SWITCH);
ENUMX_DEFINE(recall_temporal, RECALL_TEMPORAL);
ENUMX_DEFINE(recall_include, RECALL_INCLUDE);

void recall_in_defaults(struct recall_in *in)
{
    *in = (struct recall_in){.limit = RECALL_HITS, .touch = true, .body_chars = RECALL_BODY};
}

/* ---- the run -------------------------------------------------------------------------------------------- */

#define KEPT_FOR_ANSWER 8 /* of the time that is left, a part: for texts, budget, hits and their form */

#define STAGE_MIN_US 5000 /* with less than that a stage need not begin */

/* For want of time. */
static void left_out(struct recall *r, const struct stage *s)
{
    recall_degraded(r, "deadline");
    recall_degraded(r, s->name);
}

/* What may be left out has an earlier deadline. */
static err in_its_time(struct recall *r, const struct stage *s)
{
    int64_t deadline = r->c->deadline_us;
    err e;

    if (!s->needed)
        r->c->deadline_us = r->search_until_us;
    e = s->run(r);
    r->c->deadline_us = deadline;
    if (e == ERR_DEADLINE && !s->needed) {
        ctx_forgive(r->c);
        left_out(r, s);
        return ERR_OK;
    }
    return e;
}

static err run_stage(struct recall *r, const struct stage *s)
{
    int64_t began = clock_monotonic_us();
    size_t before = r->kept;

    TRY(in_its_time(r, s));
    recall_sort(r);
    if (r->in->explain)
        recall_explain_stage(r, s->name, clock_monotonic_us() - began, before);
    return ERR_OK;
}

static void count_as_use(struct recall *r)
{
    const struct recall_hit *hits = r->out->hits.v;
    struct uuid *ids = ARENA_ARRAY(r->c->arena, struct uuid, r->out->hits.n + 1);

    for (size_t i = 0; i < r->out->hits.n; i++)
        ids[i] = hits[i].id;
    node_touch(r->c, ids, r->out->hits.n);
}

/* Reads what has changed, unless the caller has a snapshot. */
static err begin_index(struct recall *r)
{
    if (r->index)
        return ERR_OK;
    if (!r->c->app->recall)
        return fail(r->c, ERR_UNAVAILABLE, "this program has no recall index");
    if (r->may_repeat)
        return index_look_begin(r->c, &r->index, &r->index_degraded, &r->look);
    return index_snapshot(r->c, &r->index, &r->index_degraded);
}

static err recall_begin(struct recall *r)
{
    TRY(begin_index(r));
    if (r->index_degraded)
        recall_degraded(r, r->index_degraded);
    TRY(model_profile(r->c, &r->model));
    r->places = (struct row_map){.arena = r->c->arena};
    return recall_filter(r);
}

static bool in_time(struct recall *r, const struct stage *s)
{
    if (s->needed || !r->search_until_us || clock_monotonic_us() + STAGE_MIN_US < r->search_until_us)
        return true;
    left_out(r, s);
    return false;
}

static err run_stages(struct recall *r, const struct stage *s)
{
    for (; s->name; s++)
        if (!s->wanted || (s->wanted(r) && in_time(r, s)))
            TRY(run_stage(r, s));
    return ERR_OK;
}

static err recall_search(struct recall *r)
{
    TRY(recall_begin(r));
    return run_stages(r, RECALL_SEARCH);
}

/* *changed: the search saw what is no longer so. */
static err end_look(struct recall *r, bool *changed)
{
    int64_t deadline = r->c->deadline_us;
    err e;

    r->c->deadline_us = r->search_until_us;
    e = index_look_end(r->c, r->look, &r->index, &r->index_degraded, changed);
    r->c->deadline_us = deadline;
    return e;
}

/* Mostly nothing has changed since the last look, so searching does not wait until MariaDB has said so. */
static err search_what_is(struct recall *r)
{
    struct recall begun = *r;
    bool changed;

    TRY(recall_search(r));
    if (!r->look)
        return ERR_OK;
    TRY(end_look(r, &changed));
    if (!changed) {
        if (r->index_degraded)
            recall_degraded(r, r->index_degraded);
        return ERR_OK;
    }
    recall_end_words(r);
    begun.index = r->index;
    begun.index_degraded = r->index_degraded;
    *r = begun;
    *r->out = (struct recall_out){.mode = r->out->mode};
    return recall_search(r);
}

static err recall_own_run(struct recall *r)
{
    r->began_us = clock_monotonic_us();
    if (r->c->deadline_us)
        r->search_until_us = r->c->deadline_us - (r->c->deadline_us - r->began_us) / KEPT_FOR_ANSWER;
    r->out->mode = enumx_name(&recall_mode_enumx, (int)r->in->mode);
    TRY(search_what_is(r));
    TRY(run_stages(r, RECALL_ANSWER));
    r->out->considered = (int64_t)r->n;
    r->out->fusion = enumx_name(&recall_fusion_enumx, (int)r->fused.fusion);
    if (r->in->touch)
        count_as_use(r);
    if (r->in->explain)
        r->out->explain = recall_explain_all(r);
    recall_end_words(r);
    return ERR_OK;
}

err recall_run(struct ctx *c, const struct recall_in *in, struct recall_out *out)
{
    struct recall r = {.c = c, .in = in, .out = out, .text = in->query, .is_query = true,
                       .may_repeat = in->expand == EXPAND_NONE};

    *out = (struct recall_out){0};
    return recall_own_run(&r);
}

/* ---- many ----------------------------------------------------------------------------------------------- */

/* Queries that look for meaning are embedded together. */
static err embed_all(struct ctx *c, const struct recall_in *in, size_t n, struct query_vector *out)
{
    const char **texts = ARENA_ARRAY(c->arena, const char *, n + 1);
    struct query_vector *made = ARENA_ARRAY(c->arena, struct query_vector, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (in[i].mode != MODE_KEYWORD && in[i].expand == EXPAND_NONE)
            texts[k++] = in[i].query;
    TRY(query_vectors(c, (struct uuid){{0}}, texts, k, made));
    k = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i].mode != MODE_KEYWORD && in[i].expand == EXPAND_NONE)
            out[i] = made[k++];
    return ERR_OK;
}

static err check_size(struct ctx *c, const struct recall_in *in, size_t n)
{
    int64_t hits = 0, chars = 0;

    for (size_t i = 0; i < n; i++) {
        hits += in[i].limit;
        chars += in[i].limit * in[i].body_chars;
    }
    if (hits > RECALL_BATCH_HITS)
        return fail_field(c, "/queries", "too many hits requested in total: %lld (limit: %d)", (long long)hits, RECALL_BATCH_HITS);
    if (chars > RECALL_BATCH_CHARS)
        return fail_field(c, "/queries", "too many body characters requested in total: %lld (limit: %d)", (long long)chars,
                          RECALL_BATCH_CHARS);
    return ERR_OK;
}

/* What is wrong with one of many is said of that one. */
static err run_nth(struct recall *r, size_t i)
{
    err e = recall_own_run(r);

    for (struct field_error *f = e == ERR_OK ? NULL : r->c->fault.fields; f; f = f->next)
        f->pointer = arena_printf(r->c->arena, "/queries/%zu%s", i, f->pointer);
    return e;
}

err recall_run_many(struct ctx *c, const struct recall_in *in, size_t n, struct recall_out *out)
{
    struct query_vector *vectors = ARENA_ARRAY(c->arena, struct query_vector, n + 1);
    struct recall first = {.c = c};

    TRY(check_size(c, in, n));
    TRY(embed_all(c, in, n, vectors));
    for (size_t i = 0; i < n; i++) {
        struct recall r = {.c = c, .in = &in[i], .out = &out[i], .text = in[i].query, .is_query = true,
                           .index = first.index, .index_degraded = first.index_degraded};

        if (in[i].expand == EXPAND_NONE && in[i].mode != MODE_KEYWORD)
            r.vector = &vectors[i];
        out[i] = (struct recall_out){0};
        TRY(run_nth(&r, i));
        first = r;
    }
    return ERR_OK;
}

/* ---- neighbours ----------------------------------------------------------------------------------------- */

#define SIMILAR_READS 2000 /* bytes of the body whose words are looked for */

static const char *words_of(struct ctx *c, const struct node *n)
{
    const char *body = n->body ? n->body : "";
    size_t most = strnlen(body, SIMILAR_READS);

    while (most && ((unsigned char)body[most] & 0xc0) == 0x80)
        most--;
    return arena_printf(c->arena, "%s %.*s", n->title, (int)most, body);
}

err recall_similar(struct ctx *c, const struct recall_in *in, struct recall_out *out)
{
    struct recall r = {.c = c, .in = in, .out = out, .without = in->id};
    struct query_vector vector = {0};
    struct node n;
    uint32_t row;

    *out = (struct recall_out){0};
    TRY(node_get(c, in->id, &n));
    r.text = words_of(c, &n);
    TRY(begin_index(&r));
    row = snapshot_find(r.index, in->id);
    vector.model_id = r.index->model_id;
    if (row != NO_ROW && r.index->codec) {
        vector.dim = codec_dim(r.index->codec);
        TRY(nearest_vector_of(c, r.index, row, &vector.values));
    }
    if (vector.values)
        r.vector = &vector;
    return recall_own_run(&r);
}
