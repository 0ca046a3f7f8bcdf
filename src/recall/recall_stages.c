/* The stages of a recall, in their order, and the two that every one of them leads to: the limit and the hits. */
#include "keyword.h"
#include "recall_impl.h"
#include "serve_text.h"

static bool wants_dense(const struct recall *r)
{
    return r->in->mode != MODE_KEYWORD;
}

static bool wants_recent(const struct recall *r)
{
    return (r->in->mode == MODE_HYBRID || r->in->mode == MODE_SURGICAL) && recall_recent_weight(r) > 0;
}

static err stage_limit(struct recall *r)
{
    for (size_t i = (size_t)r->in->limit; i < r->kept; i++)
        recall_cut(&r->at[i], "limit");
    recall_sort(r);
    return recall_texts(r, r->kept);
}

static struct recall_hit hit_of(struct recall *r, struct candidate *k)
{
    struct row_at at = snapshot_at(r->index, k->row);
    const struct row_group *g = &at.in->groups[at.in->group[at.r]];
    const struct row_times *t = &at.in->times[at.r];
    const struct recall_text *text = k->text;
    struct recall_hit h = {
        .id = k->id, .space_id = g->space_id, .kind = segment_kind_name(g->kind), .title = recall_served_title(r, k), .attrs = text->attrs,
        .status = text->status, .score = k->score, .relevance = k->relevance, .similarity = k->similarity,
        .band = recall_band(r, k), .tokens = at.in->tokens[at.r], .created_at = {t->created},
        .valid_from = {t->valid_from}, .valid_to = {t->valid_to}, .superseded_by = text->superseded_by, .grade = k->grade,
        .body = recall_served(r, k), .untrusted = true,
    };

    h.body_cut = k->served_cut;
    if (r->in->explain)
        h.explain = recall_explain_hit(r, k);
    return h;
}

struct list recall_hits(struct recall *r, size_t n)
{
    struct recall_hit *hits = ARENA_ARRAY(r->c->arena, struct recall_hit, n + 1);

    for (size_t i = 0; i < n; i++)
        hits[i] = hit_of(r, &r->at[i]);
    return (struct list){hits, n};
}

static err stage_hits(struct recall *r)
{
    r->out->hits = recall_hits(r, r->kept);
    return ERR_OK;
}

const struct stage RECALL_SEARCH[] = {
    {"understand", stage_understand, NULL, false},
    {"dense", stage_dense, wants_dense, false},
    {"sparse", stage_sparse, wants_sparse, false},
    {"recent", stage_recent, wants_recent, false},
    {"fuse", stage_fuse, NULL, true},
    {"session", stage_session, wants_session, false},
    {"graph", stage_graph, wants_graph, false},
    {"scale", stage_scale, NULL, true},
    {"spread", stage_spread, wants_spread, false},
    {"window", stage_window, wants_window, false},
    {NULL, NULL, NULL, false},
};

const struct stage RECALL_ANSWER[] = {
    {"rerank", stage_rerank, wants_rerank, false},
    {"score", stage_score, NULL, true},
    {"diversify", stage_diversify, wants_diversify, false},
    {"limit", stage_limit, NULL, true},
    {"evidence", stage_evidence, NULL, true},
    {"gate", stage_gate, wants_gate, true},
    {"grade", stage_grade, wants_grade, false},
    {"hits", stage_hits, NULL, true},
    {"render", stage_render, wants_render, true},
    {"remember", stage_remember, wants_remember, false},
    {NULL, NULL, NULL, false},
};
