/* A context for a prompt out of what was found along the graph: themes, then passages, within a budget of tokens; see graph_rag.h. */
#include "content.h"
#include "graph_rag.h"
#include "inert.h"

#define SUMMARIES 0.4 /* of the budget at most */
#define HEAD_TOKENS 12

struct graph_context_work {
    struct buf text;
    struct json *cut; /* a list */
    int64_t left, kept;
};

static void graph_context_cut(struct ctx *c, struct graph_context_work *w, const char *kind, struct uuid id, const char *how,
                              int64_t tokens)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "kind", kind);
    json_set_str(c->arena, o, "id", arena_strdup(c->arena, UUID_STR(id)));
    json_set_str(c->arena, o, "how", how);
    json_set_int(c->arena, o, "tokens", tokens);
    json_push(w->cut, o);
}

/* As much of it as fits; 0: none, 1: a part, 2: all. */
static int graph_context_add(struct ctx *c, struct graph_context_work *w, const char *head, const char *body, int64_t most)
{
    const char *inert = inert_text(c->arena, body), *mine;
    int64_t head_tokens = content_tokens(head) + 1, room = (most < w->left ? most : w->left) - head_tokens;

    if (room < HEAD_TOKENS)
        return 0;
    mine = inert_cut_tokens(c->arena, inert, room);
    if (!*mine)
        return 0;
    buf_printf(&w->text, "%s%s\n", head, mine);
    w->left -= head_tokens + content_tokens(mine);
    w->kept++;
    return mine == inert || str_eq(mine, inert) ? 2 : 1;
}

static void graph_context_communities(struct ctx *c, struct graph_context_work *w, const struct list *communities, int64_t budget,
                                      int64_t *n)
{
    const struct graph_community *v = communities->v;
    int64_t end = w->left - (int64_t)(SUMMARIES * (double)budget);

    for (size_t i = 0; i < communities->n; i++) {
        const char *head = arena_printf(c->arena, "Theme %s: ", inert_text(c->arena, v[i].title));
        int fits = v[i].summary ? graph_context_add(c, w, head, v[i].summary, w->left - end) : 0;

        *n += fits > 0;
        if (fits < 2)
            graph_context_cut(c, w, "community", v[i].id, fits ? "shortened" : "left out",
                              content_tokens(v[i].summary ? v[i].summary : ""));
    }
}

static struct list graph_context_passages(struct ctx *c, struct graph_context_work *w, const struct list *results)
{
    struct context_source *sources = ARENA_ARRAY(c->arena, struct context_source, results->n + 1);
    const struct graph_result *v = results->v;
    size_t n = 0;

    for (size_t i = 0; i < results->n; i++) {
        const struct rag_result *r = &v[i].result;
        const char *head = arena_printf(c->arena, "[%zu] %s: ", n + 1, inert_text(c->arena, r->document_name));
        int fits = graph_context_add(c, w, head, r->content, w->left);

        if (fits < 2)
            graph_context_cut(c, w, "chunk", r->chunk_id, fits ? "shortened" : "left out", content_tokens(r->content));
        if (fits) {
            sources[n] = (struct context_source){(int64_t)n + 1, r->chunk_id, r->document_id, r->document_name, r->start_offset,
                                                 r->end_offset,
                                                 r->score, fits == 1};
            n++;
        }
    }
    return (struct list){sources, n};
}

err graph_rag_context(struct ctx *c, const struct graph_rag_in *in, struct graph_context *out)
{
    struct graph_context_work text = {.cut = json_arr(c->arena)};
    struct graph_rag_out found;
    struct json *report = json_obj(c->arena);

    TRY(graph_rag_retrieve(c, in, &found));
    buf_init(&text.text, c->arena, 8192);
    buf_puts(&text.text, FENCE_OPEN "\n");
    text.left = in->token_budget - content_tokens(FENCE_OPEN FENCE_CLOSE) - 4;
    *out = (struct graph_context){.token_budget = in->token_budget};
    graph_context_communities(c, &text, &found.communities, in->token_budget, &out->communities);
    out->sources = graph_context_passages(c, &text, &found.results);
    buf_puts(&text.text, FENCE_CLOSE);
    out->context = buf_str(&text.text);
    out->tokens = content_tokens(out->context);
    json_set_int(c->arena, report, "considered", (int64_t)(found.communities.n + found.results.n));
    json_set_int(c->arena, report, "kept", text.kept);
    json_set(c->arena, report, "cut", text.cut);
    out->eviction_report = report;
    return ctx_check_size(c);
}
