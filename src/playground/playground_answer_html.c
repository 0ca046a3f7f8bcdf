/* What the playground shows of an answer: hits with their reasons, stages with their times, and all that was cut. */
#include "playground_html.h"

#include "model.h"
#include "parts_html.h"

enum digits { TWO = 2, FOUR = 4 };

static const char *number(struct ctx *c, const struct json *o, const char *key, enum digits digits)
{
    const struct json *j = json_get(o, key);

    if (!json_is(j, JSON_NUM) && !json_is(j, JSON_INT))
        return NULL;
    return arena_printf(c->arena, "%.*f", (int)digits, json_number(j));
}

/* 0 where there is none. */
static double playground_answer_value_of(const struct json *o, const char *key)
{
    const struct json *j = json_get(o, key);

    return json_number(j);
}

static const char *pretty(struct ctx *c, const struct json *j)
{
    return json_is(j, JSON_OBJ) && j->first ? json_text_pretty(c->arena, j) : NULL;
}

static void copy_text(struct ctx *c, struct json *to, const struct json *from, const char *key)
{
    json_set_str(c->arena, to, key, json_get_str(from, key));
}

static void copy_number(struct ctx *c, struct json *to, const struct json *from, const char *key)
{
    json_set_str(c->arena, to, key, number(c, from, key, FOUR));
}

static const struct json *playground_answer_first_of(const struct json *list)
{
    return json_is(list, JSON_ARR) || json_is(list, JSON_OBJ) ? list->first : NULL;
}

static int64_t playground_answer_count_of(const struct json *list)
{
    return json_is(list, JSON_ARR) ? (int64_t)list->len : 0;
}

/* ---- one hit */

/* A meter needs a plain number from 0 to 1. */
static void put_meter(struct ctx *c, struct json *row, const char *key, double v)
{
    json_set_str(c->arena, row, key, arena_printf(c->arena, "%.3f", v < 0 ? 0 : v > 1 ? 1 : v));
}

static void add_terms(struct ctx *c, struct json *signal, const struct json *terms)
{
    struct json *rows = put_list(c, signal, "terms");

    for (const struct json *t = playground_answer_first_of(terms); t; t = t->next) {
        struct json *row = add_row(c, rows);

        copy_text(c, row, t, "term");
        json_set_int(c->arena, row, "nodes", json_get_int(t, "nodes", 0));
        json_set_str(c->arena, row, "frequency", number(c, t, "frequency", TWO));
        copy_number(c, row, t, "score");
    }
    json_set_bool(c->arena, signal, "has_terms", rows->first != NULL);
}

static void add_signals(struct ctx *c, struct json *hit, const struct json *explain)
{
    struct json *rows = put_list(c, hit, "signals");

    for (const struct json *s = playground_answer_first_of(json_get(explain, "signals")); s; s = s->next) {
        const struct json *rank = json_get(s, "rank");
        struct json *row = add_row(c, rows);

        json_set_str(c->arena, row, "name", s->key);
        json_set_str(c->arena, row, "rank", json_is(rank, JSON_INT) ? json_text(c->arena, rank) : NULL);
        copy_number(c, row, s, "score");
        copy_number(c, row, s, "nats");
        copy_number(c, row, s, "share");
        put_meter(c, row, "meter", playground_answer_value_of(s, "share"));
        add_terms(c, row, json_get(s, "terms"));
        json_set_str(c->arena, row, "note", pretty(c, json_get(s, "note")));
    }
}

static void add_pairs(struct ctx *c, struct json *to, const char *name, const struct json *from, enum digits digits)
{
    struct json *rows = put_list(c, to, name);

    for (const struct json *m = playground_answer_first_of(from); m; m = m->next) {
        struct json *row = m->type == JSON_OBJ ? NULL : add_row(c, rows);

        if (!row)
            continue;

        json_set_str(c->arena, row, "name", m->key);
        json_set_str(c->arena, row, "value", m->type == JSON_NUM   ? number(c, from, m->key, digits)
                                             : m->type == JSON_STR ? m->s
                                                                   : json_text(c->arena, m));
    }
}

static const char *band_kind(const char *band)
{
    return str_eq(band, "high") ? "ok" : str_eq(band, "medium") ? "info" : "off";
}

static void playground_answer_add_hit(struct ctx *c, struct json *list, const struct json *h, int rank, bool is_graded,
                                      const struct json *understood)
{
    const struct json *explain = json_get(h, "explain");
    const char *band = json_get_str(h, "band"), *created = json_get_str(h, "created_at");
    struct json *hit = add_row(c, list);
    struct instant at = {0};

    json_set_int(c->arena, hit, "rank", rank);
    copy_text(c, hit, h, "id");
    copy_text(c, hit, h, "kind");
    copy_text(c, hit, h, "body");
    json_set_str(c->arena, hit, "title", str_empty(json_get_str(h, "title")) ? NULL : json_get_str(h, "title"));
    copy_number(c, hit, h, "score");
    copy_number(c, hit, h, "relevance");
    put_meter(c, hit, "meter", playground_answer_value_of(h, "relevance"));
    json_set_str(c->arena, hit, "similarity", playground_answer_value_of(h, "similarity") >= 0 ? number(c, h, "similarity", TWO) : NULL);
    json_set_str(c->arena, hit, "grade", is_graded ? number(c, h, "grade", TWO) : NULL);
    json_set(c->arena, hit, "band", model_badge(c->arena, band_kind(band), band));
    if (created && instant_parse(created, &at))
        put_time(c, hit, "created_at", at);
    json_set_bool(c->arena, hit, "body_cut", json_get_bool(h, "body_cut", false));
    playground_why(c, hit, explain, understood);
    add_signals(c, hit, explain);
    add_pairs(c, hit, "factors", json_get(explain, "factors"), FOUR);
    add_pairs(c, hit, "ranks", json_get(explain, "ranks"), TWO);
    json_set_str(c->arena, hit, "after", pretty(c, json_get(explain, "after")));
}

/* ---- stages, and what was cut */

/* Stages run one after the other: where each begins and how long it is, in thousandths of the whole. */
static void put_bar(struct ctx *c, struct json *row, double from, double took, double all)
{
    double x = all > 0 ? 1000 * from / all : 0, width = all > 0 ? 1000 * took / all : 0;

    json_set_str(c->arena, row, "x", arena_printf(c->arena, "%.1f", x > 998 ? 998 : x));
    json_set_str(c->arena, row, "width", arena_printf(c->arena, "%.1f", width < 2 ? 2 : width));
    json_set_str(c->arena, row, "percent", arena_printf(c->arena, "%.0f", width / 10));
}

static void add_stages(struct ctx *c, struct json *answer, const struct json *explain)
{
    struct json *rows = put_list(c, answer, "stages");
    double all = 0, from = 0;

    for (const struct json *s = playground_answer_first_of(json_get(explain, "stages")); s; s = s->next)
        all += playground_answer_value_of(s, "ms");
    for (const struct json *s = playground_answer_first_of(json_get(explain, "stages")); s; s = s->next) {
        struct json *row = add_row(c, rows);

        copy_text(c, row, s, "name");
        json_set_str(c->arena, row, "ms", arena_printf(c->arena, "%.3f", playground_answer_value_of(s, "ms")));
        put_bar(c, row, from, playground_answer_value_of(s, "ms"), all);
        json_set_int(c->arena, row, "before", json_get_int(s, "in", 0));
        json_set_int(c->arena, row, "left", json_get_int(s, "out", 0));
        json_set_str(c->arena, row, "note", pretty(c, json_get(s, "note")));
        from += playground_answer_value_of(s, "ms");
    }
    json_set_str(c->arena, answer, "stages_took", arena_printf(c->arena, "%.2f", all));
}

static void add_cut(struct ctx *c, struct json *answer, const struct json *explain)
{
    struct json *rows = put_list(c, answer, "cut");

    for (const struct json *k = playground_answer_first_of(json_get(explain, "cut")); k; k = k->next) {
        struct json *row = add_row(c, rows);

        copy_text(c, row, k, "id");
        copy_text(c, row, k, "reason");
        copy_number(c, row, k, "relevance");
        copy_number(c, row, k, "score");
    }
    json_set_int(c->arena, answer, "cut_count", json_get_int(explain, "cut_count", 0));
}

static void add_report(struct ctx *c, struct json *answer, const struct json *report)
{
    struct json *o, *rows;

    if (!json_is(report, JSON_OBJ)) {
        json_set(c->arena, answer, "report", json_new(c->arena, JSON_NULL));
        return;
    }
    o = json_set(c->arena, answer, "report", json_obj(c->arena));
    json_set_str(c->arena, o, "budget", json_is(json_get(report, "budget_tokens"), JSON_INT)
                                            ? model_count(c->arena, json_get_int(report, "budget_tokens", 0))
                                            : NULL);
    json_set_str(c->arena, o, "used", model_count(c->arena, json_get_int(report, "used_tokens", 0)));
    json_set_int(c->arena, o, "kept", playground_answer_count_of(json_get(report, "kept")));
    json_set_int(c->arena, o, "shortened", playground_answer_count_of(json_get(report, "cut")));
    rows = put_list(c, o, "evicted");
    for (const struct json *e = playground_answer_first_of(json_get(report, "evicted")); e; e = e->next) {
        struct json *row = add_row(c, rows);

        copy_text(c, row, e, "id");
        copy_text(c, row, e, "kind");
        copy_text(c, row, e, "reason");
        copy_text(c, row, e, "near_of");
        json_set_int(c->arena, row, "tokens", json_get_int(e, "tokens", 0));
        json_set_int(c->arena, row, "rank", json_get_int(e, "rank", 0));
        json_set_str(c->arena, row, "entropy", number(c, e, "entropy", TWO));
        json_set_str(c->arena, row, "char_entropy", number(c, e, "char_entropy", TWO));
        json_set_str(c->arena, row, "token_entropy", number(c, e, "token_entropy", TWO));
        copy_number(c, row, e, "relevance");
    }
}

static void add_grade(struct ctx *c, struct json *answer, const struct json *grade)
{
    const char *verdict = json_get_str(grade, "verdict");
    const char *kind = str_eq(verdict, "correct") ? "ok" : str_eq(verdict, "incorrect") ? "bad" : "warn";
    struct json *o, *rows;

    if (!verdict) {
        json_set(c->arena, answer, "grade", json_new(c->arena, JSON_NULL));
        return;
    }
    o = json_set(c->arena, answer, "grade", json_obj(c->arena));
    json_set(c->arena, o, "verdict", model_badge(c->arena, kind, verdict));
    json_set_str(c->arena, o, "confidence", number(c, grade, "confidence", TWO));
    json_set_str(c->arena, o, "best", number(c, grade, "best_grade", TWO));
    copy_text(c, o, grade, "action");
    copy_text(c, o, grade, "graded_by");
    json_set_int(c->arena, o, "stripped", json_get_int(grade, "stripped_sentences", 0));
    rows = put_list(c, o, "rejected");
    for (const struct json *r = playground_answer_first_of(json_get(grade, "rejected")); r; r = r->next) {
        struct json *row = add_row(c, rows);

        copy_text(c, row, r, "id");
        json_set_str(c->arena, row, "value", number(c, r, "grade", TWO));
    }
    rows = put_list(c, o, "external");
    for (const struct json *e = playground_answer_first_of(json_get(grade, "external")); e; e = e->next) {
        struct json *row = add_row(c, rows);

        copy_text(c, row, e, "title");
        copy_text(c, row, e, "url");
        copy_text(c, row, e, "text");
    }
}

/* ---- the whole */

static void add_degraded(struct ctx *c, struct json *answer, const struct json *data)
{
    struct json *list = put_list(c, answer, "degraded");

    for (const struct json *d = playground_answer_first_of(json_get(data, "degraded")); d; d = d->next)
        json_push(list, json_str(c->arena, d->s));
}

void playground_answer(struct ctx *c, struct page_call *p, const struct json *data)
{
    const struct json *explain = json_get(data, "explain"), *grade = json_get(data, "grade");
    struct json *answer = json_set(c->arena, p->model, "answer", json_obj(c->arena)), *hits = put_list(c, answer, "hits");
    int rank = 0;

    for (const struct json *h = playground_answer_first_of(json_get(data, "hits")); h; h = h->next)
        playground_answer_add_hit(c, hits, h, ++rank, json_is(grade, JSON_OBJ), json_get(explain, "understood"));
    json_set_int(c->arena, answer, "n_hits", rank);
    hits = put_list(c, answer, "nearest");
    for (const struct json *h = playground_answer_first_of(json_get(data, "nearest")); h; h = h->next)
        playground_answer_add_hit(c, hits, h, ++rank, false, json_get(explain, "understood"));
    json_set_str(c->arena, answer, "considered", model_count(c->arena, json_get_int(data, "considered", 0)));
    json_set_str(c->arena, answer, "searched", model_count(c->arena, json_get_int(explain, "searched", 0)));
    copy_text(c, answer, data, "mode");
    json_set_str(c->arena, answer, "evidence", arena_printf(c->arena, "%s, probability %.2f", json_get_str(data, "evidence"),
                                                            playground_answer_value_of(data, "probability")));
    copy_text(c, answer, data, "fusion");
    copy_text(c, answer, data, "bundle");
    json_set_str(c->arena, answer, "took", arena_printf(c->arena, "%.2f ms", playground_answer_value_of(explain, "ms")));
    add_degraded(c, answer, data);
    add_stages(c, answer, explain);
    add_cut(c, answer, explain);
    add_report(c, answer, json_get(data, "eviction_report"));
    add_grade(c, answer, grade);
    json_set_str(c->arena, answer, "understood", pretty(c, json_get(explain, "understood")));
    add_pairs(c, answer, "profile", json_get(explain, "profile"), FOUR);
}
