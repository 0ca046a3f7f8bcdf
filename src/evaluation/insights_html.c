/* The page Insights of a knowledge base: what it is asked, and where it fails. */
#include "evaluation_html.h"
#include "insight.h"
#include "knowledge_base.h"
#include "model.h"
#include "parts_html.h"

static void put_insight_questions(struct ctx *c, struct json *m, const char *name, const struct list *all)
{
    struct json *rows = put_list(c, m, name);
    const struct insight_question *v = all->v;

    for (size_t i = 0; i < all->n; i++) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "question", v[i].question);
        json_set_str(c->arena, row, "n", model_count(c->arena, v[i].n));
        json_set_str(c->arena, row, "unanswered", model_count(c->arena, v[i].unanswered));
        json_set_str(c->arena, row, "most", model_duration(c->arena, (int64_t)(v[i].most_ms * 1000)));
        put_time(c, row, "last_at", v[i].last_at);
    }
}

static void put_insight_days(struct ctx *c, struct json *m, const struct list *days)
{
    struct json *rows = put_list(c, m, "days");
    const struct insight_day *v = days->v;

    for (size_t i = days->n; i-- > 0;) {
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "day", v[i].day);
        json_set_str(c->arena, row, "n", model_count(c->arena, v[i].n));
        json_set_str(c->arena, row, "empty", model_count(c->arena, v[i].empty));
    }
}

static err insights_page(struct ctx *c, struct page_call *p)
{
    struct insight_in in = {.days = 30};
    const struct insight_document *v;
    struct knowledge_base b;
    struct json *rows;
    struct insight all;

    TRY(page_id(c, p, 0, &in.knowledge_base_id));
    TRY(knowledge_base_get(c, in.knowledge_base_id, &b));
    TRY(insight_get(c, &in, &all));
    put_thing(c, json_set(c->arena, p->model, "base", json_obj(c->arena)), &KNOWLEDGE_BASE, &b);
    put_insight_days(c, p->model, &all.days);
    put_insight_questions(c, p->model, "most_asked", &all.most_asked);
    put_insight_questions(c, p->model, "unanswered", &all.unanswered);
    put_insight_questions(c, p->model, "slowest", &all.slowest);
    rows = put_list(c, p->model, "never_found");
    v = all.never_found.v;
    for (size_t i = 0; i < all.never_found.n; i++) {
        struct json *row = add_row(c, rows);

        put_id(c, row, "id", v[i].id);
        json_set_str(c->arena, row, "name", v[i].name);
        put_time(c, row, "created_at", v[i].created_at);
    }
    return page_show(p, "knowledge_insights");
}

const struct page_row insight_pages[] = {
    {.method = "GET", .path = "/admin/knowledge/:id/insights", .name = "page.insights", .op = "rag.insights",
     .perm = PERM_RAG_READ, .run = insights_page},
    {0},
};
