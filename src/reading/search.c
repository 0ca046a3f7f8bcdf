/* A query to a text for a prompt; see search.h. */
#include "search.h"

#include "access.h"
#include "content.h"
#include "fact_read.h"
#include "inert.h"
#include "node.h"
#include "render.h"

#define CORE_KIND "core_block"
#define BAND_HIGH 0.85
#define BAND_MEDIUM 0.50
#define BUDGET_LEAST 64 /* with less the engine need not be asked */

/* ---- core blocks */

static bool is_wanted_space(const struct find_in *in, struct uuid space_id)
{
    for (size_t i = 0; i < in->namespaces.n; i++)
        if (uuid_eq(in->namespaces.v[i], space_id))
            return true;
    return !in->namespaces.n;
}

static struct find_hit hit_of_block(struct ctx *c, const struct node *n)
{
    return (struct find_hit){
        .id = n->id, .space_id = n->space_id, .kind = n->kind, .title = inert_text(c->arena, n->title),
        .body = inert_text(c->arena, n->body), .untrusted = true, .status = n->status,
        .block_kind = json_get_str(json_opened(c->arena, n->attrs), "block_kind"), .similarity = -1, .score_band = "",
        .created_at = n->created_at};
}

/* Whole, in front of everything, whatever is asked. */
static err find_core(struct ctx *c, const struct find_in *in, struct find_out *out)
{
    struct find_hit *v = ARENA_ARRAY(c->arena, struct find_hit, SEARCH_CORE_BLOCKS + 1);
    struct node_filter f = {.kind = CORE_KIND, .with_body = true, .limit = SEARCH_CORE_BLOCKS};
    const struct node *rows;
    struct page p;
    size_t n = 0;

    TRY(node_list(c, &f, &p));
    rows = p.items;
    for (size_t i = 0; i < p.n; i++)
        if (is_wanted_space(in, rows[i].space_id) && (int64_t)n < in->limit && str_eq(rows[i].status, NODE_ACTIVE))
            v[n++] = hit_of_block(c, &rows[i]);
    out->core = (struct list){v, n};
    return ERR_OK;
}

/* ---- the engine */

static struct strs engine_kinds(struct ctx *c, const struct find_in *in)
{
    static const char *USUAL[] = {"episode", "fact"};
    const char **v = ARENA_ARRAY(c->arena, const char *, in->kinds.n + 1);
    struct strs kinds = {v, 0};

    if (!in->kinds.n)
        return (struct strs){USUAL, 2};
    for (size_t i = 0; i < in->kinds.n; i++)
        if (!str_eq(in->kinds.v[i], CORE_KIND))
            v[kinds.n++] = in->kinds.v[i];
    return kinds;
}

static const struct recall_filters *search_filters(struct ctx *c, const struct find_in *in)
{
    struct recall_filters *f = ARENA_NEW(c->arena, struct recall_filters);
    struct recall_any *any = ARENA_NEW(c->arena, struct recall_any);

    f->tags = in->tags;
    f->session = in->session_id;
    *any = (struct recall_any){"scope", in->scope};
    if (in->scope.n)
        f->any = (struct list){any, 1};
    return f;
}

static err ask_engine(struct ctx *c, const struct find_in *in, int64_t core_tokens, struct recall_out *found)
{
    struct recall_in ask;

    recall_in_defaults(&ask);
    ask.query = in->query;
    ask.kinds = engine_kinds(c, in);
    ask.spaces = in->namespaces;
    ask.filters = search_filters(c, in);
    ask.limit = in->limit;
    ask.token_budget = in->token_budget - core_tokens;
    ask.as_of = in->as_of;
    ask.as_known_at = in->as_known_at;
    ask.history = in->history;
    ask.explain = in->explain;
    ask.min_evidence = 0.005;   /* as the recall call has it: docs/decisions/0027 */
    ask.render = RENDER_BUNDLE; /* so that its gate counts what a text is besides bodies */
    ask.body_chars = in->verbose ? SEARCH_VERBOSE : SEARCH_SNIPPET;
    return recall_run(c, &ask, found);
}

/* ---- hits */

static const char *band_of(double score, double best)
{
    double share = best > 0 ? score / best : 0;

    return share >= BAND_HIGH ? "high" : share >= BAND_MEDIUM ? "medium" : "low";
}

static struct find_hit hit_of_recall(struct ctx *c, const struct recall_hit *h, double best)
{
    return (struct find_hit){
        .id = h->id, .space_id = h->space_id, .kind = h->kind, .title = h->title, .body = h->body, .untrusted = true,
        .body_cut = h->body_cut, .status = h->status, .score = h->score,
        .role = json_get_str(json_opened(c->arena, h->attrs), "role"),
        .similarity = h->similarity, .score_band = band_of(h->score, best), .created_at = h->created_at, .valid_from = h->valid_from,
        .valid_to = h->valid_to, .superseded_by = h->superseded_by};
}

static err add_fact_marks(struct ctx *c, struct find_hit *v, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    const struct fact_mark *marks;
    struct list found;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (str_eq(v[i].kind, "fact"))
            ids[k++] = v[i].id;
    TRY(fact_marks(c, ids, k, &found));
    marks = found.v;
    for (size_t m = 0; m < found.n; m++)
        for (size_t i = 0; i < n; i++)
            if (uuid_eq(v[i].id, marks[m].id)) {
                v[i].predicate = marks[m].predicate;
                v[i].contested = marks[m].contested;
                v[i].against = marks[m].against;
            }
    return ERR_OK;
}

static err find_hits_of(struct ctx *c, const struct find_in *in, const struct list *from, size_t most, struct list *out)
{
    const struct recall_hit *h = from->v;
    struct find_hit *v = ARENA_ARRAY(c->arena, struct find_hit, from->n + 1);
    size_t n = 0;

    for (size_t i = 0; i < from->n && n < most; i++)
        if (h[i].relevance >= in->min_relevance)
            v[n++] = hit_of_recall(c, &h[i], h[0].score);
    *out = (struct list){v, n};
    return add_fact_marks(c, v, n);
}

/* ---- the text */

static size_t add_render_hits(struct render_hit *to, size_t at, const struct list *hits, bool is_core)
{
    const struct find_hit *h = hits->v;

    for (size_t i = 0; i < hits->n; i++)
        to[at++] = (struct render_hit){
            .id = h[i].id, .kind = h[i].kind, .status = h[i].status, .title = h[i].title, .body = h[i].body, .score = h[i].score,
            .similarity = h[i].similarity, .band = h[i].score_band, .created_at = h[i].created_at, .role = h[i].role,
            .predicate = h[i].predicate, .block_kind = h[i].block_kind, .contested = h[i].contested, .is_unscored = is_core,
            .superseded_by = h[i].superseded_by, .against = h[i].against};
    return at;
}

static const char *text_of(struct ctx *c, const struct find_out *out, const char *mode, int64_t cut)
{
    struct render_hit *v = ARENA_ARRAY(c->arena, struct render_hit, out->core.n + out->hits.n + 1);
    struct render_in in = {.head = {.considered = out->considered, .cut = cut, .mode = mode, .evidence = out->evidence}, .hits = v};

    in.n = add_render_hits(v, 0, &out->core, true);
    in.n = add_render_hits(v, in.n, &out->hits, false);
    return render_bundle(c->arena, &in);
}

static int64_t cut_count(const struct recall_out *found)
{
    const struct json *list = json_get(found->eviction_report, "evicted");

    return list ? (int64_t)list->len : 0;
}

/* What facts say of themselves is not in the engine's count: the last hits go until the text fits. */
static const char *fitted_text(struct ctx *c, const struct find_in *in, struct find_out *out, const struct recall_out *found)
{
    int64_t cut = cut_count(found);
    const char *text = text_of(c, out, found->mode, cut);

    while (out->hits.n && content_tokens(text) > in->token_budget) {
        out->hits.n--;
        text = text_of(c, out, found->mode, ++cut);
    }
    out->tokens = content_tokens(text);
    out->core_over_budget = out->tokens > in->token_budget;
    return text;
}

static int64_t core_tokens(const struct find_out *out)
{
    const struct find_hit *h = out->core.v;
    int64_t n = 0;

    for (size_t i = 0; i < out->core.n; i++)
        n += content_tokens(h[i].body) + content_tokens(h[i].title) + 40;
    return n;
}

err memory_find(struct ctx *c, const struct find_in *in, struct find_out *out)
{
    struct recall_out found = {.mode = "hybrid", .evidence = "none"};
    int64_t core;
    const char *text;
    size_t most;

    TRY(find_core(c, in, out));
    core = core_tokens(out);
    most = (size_t)in->limit > out->core.n ? (size_t)in->limit - out->core.n : 0;
    if (most && engine_kinds(c, in).n && in->token_budget - core >= BUDGET_LEAST)
        TRY(ask_engine(c, in, core, &found));
    out->evidence = found.evidence;
    out->probability = found.probability;
    out->considered = found.considered;
    out->degraded = found.degraded;
    out->report = found.eviction_report;
    out->explain = found.explain;
    TRY(find_hits_of(c, in, &found.hits, most, &out->hits));
    TRY(find_hits_of(c, in, &found.nearest, most, &out->nearest));
    text = fitted_text(c, in, out, &found);
    out->bundle = in->render == RENDER_JSON ? NULL : text;
    return ERR_OK;
}
