/* Asking a knowledge base on its page: results with their places, and how it was queried. */
#include "rag.h"

#include <string.h>

#include "document.h"
#include "model.h"
#include "parts_html.h"
#include "rag_ask.h"
#include "rag_html.h"

#define RESULTS_SHOWN 10

static void put_rag_result(struct ctx *c, struct json *row, const struct rag_result *r)
{
    put_id(c, row, "document_id", r->document_id);
    json_set_str(c->arena, row, "document_name", r->document_name);
    json_set_str(c->arena, row, "heading_path", r->heading_path);
    json_set_str(c->arena, row, "content", r->content);
    json_set_str(c->arena, row, "sequence_number", arena_printf(c->arena, "%lld", (long long)r->sequence_number));
    json_set_str(c->arena, row, "score", arena_printf(c->arena, "%.2f", r->score));
    json_set_str(c->arena, row, "similarity", r->similarity < 0 ? NULL : arena_printf(c->arena, "%.2f", r->similarity));
}

static void put_rag_out(struct ctx *c, struct json *m, const struct rag_out *out)
{
    struct json *answer = json_set(c->arena, m, "answer", json_obj(c->arena)), *list = put_list(c, answer, "results");
    const struct rag_result *v = out->results.v;

    for (size_t i = 0; i < out->results.n; i++)
        put_rag_result(c, add_row(c, list), &v[i]);
    json_set_str(c->arena, answer, "verdict", enumx_name(&rag_verdict_enumx, (int)out->verdict));
    json_set_str(c->arena, answer, "mode", out->mode);
    json_set_str(c->arena, answer, "fusion_method", out->fusion_method);
    json_set_str(c->arena, answer, "latency", model_duration(c->arena, (int64_t)(out->latency_ms * 1000)));
    json_set_str(c->arena, answer, "quality", arena_printf(c->arena, "%.0f", out->quality_score));
    json_set_str(c->arena, answer, "degraded", out->degraded.n ? out->degraded.v[0] : NULL);
}

static err put_asked(struct ctx *c, struct json *m, const struct rag_in *in)
{
    struct json *asked = json_set(c->arena, m, "asked", json_obj(c->arena)), *sources, *gaps;
    struct ask_in ask = {.query = in->query, .knowledge_base_id = in->knowledge_base_id, .max_rounds = MAX_ROUNDS};
    const struct ask_source *v;
    struct ask_out out;

    TRY(ask_documents(c, &ask, &out));
    v = out.sources.v;
    json_set_str(c->arena, asked, "answer", out.answer);
    json_set_str(c->arena, asked, "rounds", model_count(c->arena, out.rounds));
    sources = put_list(c, asked, "sources");
    for (size_t i = 0; i < out.sources.n; i++) {
        struct json *row = add_row(c, sources);

        json_set_str(c->arena, row, "n", model_count(c->arena, v[i].n));
        put_id(c, row, "document_id", v[i].document_id);
        json_set_str(c->arena, row, "document_name", v[i].document_name);
        json_set_str(c->arena, row, "quote", v[i].quote);
    }
    gaps = put_list(c, asked, "gaps");
    for (size_t i = 0; i < out.gaps.n; i++)
        json_set_str(c->arena, add_row(c, gaps), "text", out.gaps.v[i]);
    return ERR_OK;
}

static err put_rag_modes(struct ctx *c, struct json *m, struct uuid id)
{
    struct json *list = put_list(c, m, "modes_used");
    const struct rag_mode_stat *v;
    struct rag_analytics a;

    TRY(rag_analytics(c, id, 30, -1, &a));
    v = a.modes.v;
    for (size_t i = 0; i < a.modes.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "mode", v[i].mode);
        json_set_str(c->arena, row, "n", model_count(c->arena, v[i].n));
        json_set_str(c->arena, row, "empty", model_count(c->arena, v[i].empty));
        json_set_str(c->arena, row, "latency", model_duration(c->arena, (int64_t)(v[i].avg_latency_ms * 1000)));
        json_set_str(c->arena, row, "quality", arena_printf(c->arena, "%.0f", v[i].avg_quality));
    }
    return ERR_OK;
}

static err rag_page(struct ctx *c, struct page_call *p)
{
    struct rag_in in = {.fusion_method = query_enum(p, "fusion_method", &rag_fusion_enumx), .top_k = RESULTS_SHOWN, .query = page_query(p,
        "query")};
    int mode = query_enum(p, "mode", &rag_mode_enumx);
    struct knowledge_base b;
    struct json *asked = json_obj(c->arena);
    struct rag_out out;

    TRY(page_id(c, p, 0, &in.knowledge_base_id));
    TRY(knowledge_base_get(c, in.knowledge_base_id, &b));
    in.mode = mode < 0 ? RAG_HYBRID : (enum rag_mode)mode;
    put_thing(c, json_set(c->arena, p->model, "base", json_obj(c->arena)), &KNOWLEDGE_BASE, &b);
    json_set_str(c->arena, p->model, "query", in.query);
    json_set(c->arena, p->model, "modes", enum_choices(c, &rag_mode_enumx, NULL, enumx_name(&rag_mode_enumx, (int)in.mode)));
    json_set(c->arena, p->model, "fusions", enum_choices(c, &rag_fusion_enumx, "as suits the model", page_query(p, "fusion_method")));
    if (in.query && strlen(in.query) <= RAG_QUERY) {
        TRY(rag_query(c, &in, &out));
        put_rag_out(c, p->model, &out);
        if (page_query(p, "ask"))
            TRY(put_asked(c, p->model, &in));
    }
    TRY(put_rag_modes(c, p->model, in.knowledge_base_id));
    json_set_str(c->arena, asked, "query", in.query ? in.query : "?");
    json_set_str(c->arena, asked, "knowledge_base_id", p->params[0]);
    json_set_str(c->arena, asked, "mode", enumx_name(&rag_mode_enumx, (int)in.mode));
    p->asked = asked;
    return page_show(p, "knowledge_query");
}

const struct page_row rag_pages[] = {
    {.method = "GET", .path = "/admin/knowledge/:id/query", .name = "page.rag", .op = "rag.query_get", .perm = PERM_RAG_READ,
        .run = rag_page},
    {0},
};
