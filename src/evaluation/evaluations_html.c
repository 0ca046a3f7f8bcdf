/* Evaluation sets of a knowledge base on its page: the curve, the last run, the questions, and recent queries to make cases of. */
#include "chart.h"
#include "evaluation.h"
#include "evaluation_html.h"
#include "knowledge_base.h"
#include "limit.h"
#include "parts_html.h"
#include "rag.h"

#include <math.h>

#define RUNS_SHOWN 30
#define QUERIES_SHOWN 20

static const char *evaluation_percent(struct ctx *c, const struct json *o, const char *name)
{
    const struct json *v = json_get(o, name);

    return v && v->type != JSON_NULL ? arena_printf(c->arena, "%.1f", 100 * json_number(v)) : NULL;
}

static double evaluation_of_mode(struct ctx *c, const struct evaluation_run *r, const char *mode)
{
    const struct json *list = json_opened(c->arena, r->results);

    for (const struct json *o = list ? list->first : NULL; o; o = o->next)
        if (str_eq(json_get_str(o, "mode"), mode))
            return 100 * json_number(json_get(o, "recall_at_5"));
    return NAN;
}

static void put_evaluation_curve(struct ctx *c, struct json *m, const struct evaluation_run *v, size_t n)
{
    double *hybrid = ARENA_ARRAY(c->arena, double, n + 1), *keyword = ARENA_ARRAY(c->arena, double, n + 1);
    const char **x = ARENA_ARRAY(c->arena, const char *, n + 1);
    size_t done = 0;

    for (size_t i = n; i-- > 0;)
        if (v[i].status == EVALUATION_DONE) {
            hybrid[done] = evaluation_of_mode(c, &v[i], "hybrid");
            keyword[done] = evaluation_of_mode(c, &v[i], "keyword");
            x[done++] = arena_strndup(c->arena, instant_text(v[i].created_at, (char[INSTANT_TEXT]){0}), 16);
        }
    json_set(c->arena, m, "curve", done < 2 ? json_new(c->arena, JSON_NULL) : model_chart(c->arena, &(struct chart){
        .id = "recall", .label = "Recall@5 in percent, run by run", .x_name = "Run (UTC)", .x = x, .n = done, .top = 100,
        .series = {{"hybrid", hybrid}, {"keyword", keyword}}, .n_series = 2, .digits = 1, .now = -1}));
}

static void put_evaluation_figures(struct ctx *c, struct json *m, const struct evaluation_run *r)
{
    struct json *list = put_list(c, m, "modes");
    const struct json *o = json_opened(c->arena, r->results);

    for (o = o ? o->first : NULL; o; o = o->next) {
        struct json *row = add_row(c, list);
        const char *change = evaluation_percent(c, o, "change");

        json_set_str(c->arena, row, "mode", json_get_str(o, "mode"));
        json_set_str(c->arena, row, "recall_5", evaluation_percent(c, o, "recall_at_5"));
        json_set_str(c->arena, row, "recall_10", evaluation_percent(c, o, "recall_at_10"));
        json_set_str(c->arena, row, "mrr", evaluation_percent(c, o, "mrr"));
        json_set_str(c->arena, row, "ndcg", evaluation_percent(c, o, "ndcg_at_10"));
        json_set_str(c->arena, row, "ms", arena_printf(c->arena, "%.0f", json_number(json_get(o, "median_ms"))));
        json_set_str(c->arena, row, "change", change && *change != '-' ? arena_printf(c->arena, "+%s", change) : change);
    }
}

static err put_evaluation_runs(struct ctx *c, struct page_call *p, struct uuid base)
{
    struct evaluation_filter f = {.knowledge_base_id = base, .limit = RUNS_SHOWN};
    const struct evaluation_run *v;
    struct page runs;

    TRY(evaluation_run_list(c, &f, &runs));
    v = runs.items;
    put_things(c, p->model, "runs", &EVALUATION_RUN, &runs);
    put_evaluation_curve(c, p->model, v, runs.n);
    for (size_t i = 0; i < runs.n; i++)
        if (v[i].status == EVALUATION_DONE) {
            put_evaluation_figures(c, p->model, &v[i]);
            return ERR_OK;
        }
    put_list(c, p->model, "modes");
    return ERR_OK;
}

static err put_evaluation_queries(struct ctx *c, struct page_call *p, struct uuid base)
{
    struct json *list = put_list(c, p->model, "queries");
    const struct rag_query_row *v;
    struct page page;

    TRY(rag_queries(c, &(struct thing_page){QUERIES_SHOWN, NULL}, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++)
        for (size_t k = 0; k < v[i].knowledge_base_ids.n; k++)
            if (uuid_eq(v[i].knowledge_base_ids.v[k], base) && v[i].query_text && v[i].results_count) {
                struct json *row = add_row(c, list);

                put_id(c, row, "id", v[i].id);
                json_set_str(c->arena, row, "text", v[i].query_text);
            }
    return ERR_OK;
}

static err evaluations_page(struct ctx *c, struct page_call *p)
{
    struct evaluation_filter f = {.limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    struct knowledge_base b;
    struct page cases;

    TRY(page_id(c, p, 0, &f.knowledge_base_id));
    TRY(knowledge_base_get(c, f.knowledge_base_id, &b));
    put_thing(c, json_set(c->arena, p->model, "base", json_obj(c->arena)), &KNOWLEDGE_BASE, &b);
    TRY(evaluation_case_list(c, &f, &cases));
    put_things(c, p->model, "cases", &EVALUATION_CASE, &cases);
    put_listing(c, p, arena_printf(c->arena, "/admin/knowledge/%s/evaluations", p->params[0]), &cases);
    TRY(put_evaluation_runs(c, p, f.knowledge_base_id));
    TRY(put_evaluation_queries(c, p, f.knowledge_base_id));
    form_without(put_form(c, p, "fields", &EVALUATION_CASE, COL_CREATE, NULL), "knowledge_base_id");
    json_set_bool(c->arena, p->model, "may_write", b.access >= ACCESS_WRITE && page_may(c, PERM_RAG_WRITE));
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "evaluations");
}

#define AT "/admin/knowledge/:knowledge_base_id/evaluations"

const struct page_row evaluation_pages[] = {
    {.method = "GET", .path = AT, .name = "page.evaluations", .op = "evaluation.list", .perm = PERM_RAG_READ, .run = evaluations_page},
    {.method = "POST", .path = AT, .name = "page.evaluation.create", .perm = PERM_RAG_WRITE, .does = "evaluation.create",
     .said = "Question added.", .go = AT, .again = evaluations_page},
    {.method = "POST", .path = AT "/import", .name = "page.evaluation.import", .perm = PERM_RAG_WRITE, .does = "evaluation.import",
     .said = "Questions added.", .go = AT, .again = evaluations_page},
    {.method = "POST", .path = AT "/run", .name = "page.evaluation.run", .perm = PERM_RAG_WRITE, .does = "evaluation.run",
     .said = "It runs in the background. Load the page again in a moment.", .go = AT, .again = evaluations_page},
    {.method = "POST", .path = AT "/from_query/:id", .name = "page.evaluation.from_query", .perm = PERM_RAG_WRITE,
     .does = "evaluation.from_query", .said = "Question added: what it found best is expected.", .go = AT, .again = evaluations_page},
    {.method = "POST", .path = AT "/delete/:id", .name = "page.evaluation.delete", .perm = PERM_RAG_WRITE, .does = "evaluation.delete",
     .said = "Question deleted.", .go = AT, .again = evaluations_page},
    {0},
};
