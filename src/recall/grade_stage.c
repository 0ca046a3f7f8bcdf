/* The stage that judges whether the hits answer the query, and does something about it where they do not. */
#include "grade_stage.h"

#include <string.h>

#include "ask.h"
#include "content.h"
#include "grade.h"
#include "inert.h"
#include "judge.h"
#include "serve_text.h"
#include "web.h"

/* Never by itself: it takes hits away, and may ask a person. */
bool wants_grade(const struct recall *r)
{
    return r->in->grade == SWITCH_ON;
}

static double graded(struct recall *r, struct candidate *k)
{
    const struct query_words *q = recall_words(r);
    const char *title = k->text->title ? k->text->title : "", *body = k->text->body ? k->text->body : "";
    struct grade_evidence e = {
        .similarity = k->similarity,
        .match = word_match(q, r->c->arena, recall_analyzer(r), title, body),
        .has_names = query_has(q, WORD_IS_NAME),
        .has_numbers = query_has(q, WORD_IS_NUMBER),
        .words = q->n,
    };
    struct json *o;

    if (r->in->explain) {
        o = json_obj(r->c->arena);
        json_set(r->c->arena, o, "coverage", json_num(r->c->arena, (double)e.match.coverage));
        json_set(r->c->arena, o, "similarity", json_num(r->c->arena, e.similarity));
        if (e.has_names)
            json_set(r->c->arena, o, "names", json_num(r->c->arena, (double)e.match.names));
        recall_explain_extra(r, k, "grade", o);
    }
    return grade_of(&e);
}

/* ---- what may answer: only what bears on the query */

/* The text may only become shorter than what the gate counted. */
static size_t strip(struct recall *r, struct candidate *k)
{
    int64_t before = content_tokens(recall_served(r, k));
    size_t gone = 0;
    const char *part;

    if (r->in->body_chars == 0 || !k->text->body)
        return 0;
    part = grade_strip(recall_words(r), r->c->arena, recall_analyzer(r), k->text->body, &gone);
    if (gone == 0)
        return 0;
    recall_serve(r, k, part);
    k->served = inert_cut_tokens(r->c->arena, k->served, before);
    k->served_cut = true;
    return gone;
}

static size_t strip_all(struct recall *r)
{
    size_t gone = 0;

    for (size_t i = 0; i < r->kept; i++)
        if (!r->at[i].cut)
            gone += strip(r, &r->at[i]);
    return gone;
}

/* ---- a bad one: what else there is */

static int64_t tokens_left(const struct recall *r)
{
    return r->in->token_budget > 0 ? r->in->token_budget - json_get_int(r->out->eviction_report, "used_tokens", 0) : INT64_MAX;
}

/* The answers of the web that fit into the budget; marked as what they are, and never stored. */
static bool ask_web(struct recall *r, struct json *o)
{
    struct arena *a = r->c->arena;
    struct web_result *found;
    int64_t left = tokens_left(r);
    struct json *list;
    size_t n;

    if (web_search(r->c, r->text, &found, &n) != ERR_OK) {
        ctx_forgive(r->c);
        recall_degraded(r, "web");
        return false;
    }
    list = n ? json_set(a, o, "external", json_arr(a)) : NULL;
    r->externals = ARENA_ARRAY(a, struct render_external, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct render_external e = {found[i].title, found[i].url, text_cut(a, found[i].text, SNIPPET_CHARS, true)};
        struct json *one;

        left -= render_external_tokens(a, &e);
        if (left < 0)
            break;
        r->externals[r->n_externals++] = e;
        one = json_obj(a);
        json_set_str(a, one, "source", "web");
        json_set_str(a, one, "title", inert_text(a, e.title));
        json_set_str(a, one, "url", inert_text(a, e.url));
        json_set_str(a, one, "text", inert_text(a, e.body));
        json_set_bool(a, one, "untrusted", true);
        json_push(list, one);
    }
    return r->n_externals > 0;
}

static struct question question_of(struct recall *r, const struct grade_sum *sum)
{
    struct uuid *ids = ARENA_ARRAY(r->c->arena, struct uuid, QUESTION_HITS);
    struct question q = { .query = r->text, .verdict = enumx_name(&grade_verdict_enumx, (int)sum->verdict),
                          .best = sum->best, .hits = ids, .spaces = r->in->spaces };

    for (; q.n_hits < QUESTION_HITS && q.n_hits < r->kept; q.n_hits++)
        ids[q.n_hits] = r->at[q.n_hits].id;
    return q;
}

static bool ask_a_person(struct recall *r, const struct grade_sum *sum, struct json *o)
{
    struct arena *a = r->c->arena;
    struct question q = question_of(r, sum);
    struct question_state s = {0};
    struct json *h;

    if (r->c->app->ask_human(r->c, &q, &s) != ERR_OK) {
        ctx_forgive(r->c);
        recall_degraded(r, "hitl");
        return false;
    }
    h = json_set(a, o, "hitl", json_obj(a));
    json_set_str(a, h, "status", s.status);
    if (!uuid_is_nil(s.id)) {
        json_set_str(a, h, "escalation_id", uuid_text(s.id, arena_alloc(a, UUID_TEXT)));
        json_set_int(a, h, "seen_count", s.seen_count);
    }
    return s.is_open;
}

/* The first of the fallbacks that there is. */
static const char *fall_back(struct recall *r, const struct grade_sum *sum, struct json *o)
{
    bool is_question = r->in->query != NULL; /* neighbours of a node are nobody's question */

    if (sum->verdict == VERDICT_CORRECT)
        return "answer";
    if (is_question && web_is_configured(r->c) && ask_web(r, o))
        return "web_search";
    if (is_question && r->in->hitl && r->c->app->ask_human && ask_a_person(r, sum, o))
        return "ask_human";
    return sum->verdict == VERDICT_INCORRECT ? "nothing_found" : "use_with_care";
}

void grade_externals(const struct recall *r, const struct render_external **out, size_t *n)
{
    *out = r->externals;
    *n = r->n_externals;
}

/* ---- the stage */

/* What is below lower is no hit. */
static void reject(struct recall *r, double lower, struct json *o)
{
    struct arena *a = r->c->arena;
    struct json *list = json_set(a, o, "rejected", json_arr(a));

    for (size_t i = 0; i < r->kept; i++) {
        struct json *one;

        if (r->at[i].grade >= lower)
            continue;
        one = json_obj(a);
        json_set_str(a, one, "id", uuid_text(r->at[i].id, arena_alloc(a, UUID_TEXT)));
        json_set(a, one, "grade", json_num(a, r->at[i].grade));
        json_push(list, one);
        recall_cut(&r->at[i], "graded_irrelevant");
    }
}

static const struct recall_grade_options *grade_stage_options_of(const struct recall *r)
{
    static const struct recall_grade_options DEFAULTS = {GRADE_LOWER, GRADE_UPPER};

    return r->in->grade_options ? r->in->grade_options : &DEFAULTS;
}

/* By the model where there is one, else by words and meaning; answers which. */
static const char *grade_all(struct recall *r, double *grades)
{
    size_t n = r->kept < RERANK_DEPTH ? r->kept : RERANK_DEPTH;
    struct rerank_text *texts = ARENA_ARRAY(r->c->arena, struct rerank_text, n + 1);
    enum llm_used used;

    for (size_t i = 0; i < r->kept; i++)
        grades[i] = graded(r, &r->at[i]);
    for (size_t i = 0; i < n; i++)
        texts[i] = (struct rerank_text){r->at[i].text->title, r->at[i].text->body};
    used = judge(r->c, "grade", r->text, texts, n, grades);
    for (size_t i = 0; i < r->kept; i++)
        r->at[i].grade = grades[i];
    return enumx_name(&llm_used_enumx, (int)used);
}

err stage_grade(struct recall *r)
{
    const struct recall_grade_options *limits = grade_stage_options_of(r);
    double *grades = ARENA_ARRAY(r->c->arena, double, r->kept + 1);
    struct json *o = json_obj(r->c->arena);
    struct grade_sum sum;
    const char *by;

    TRY(recall_texts(r, r->kept));
    by = grade_all(r, grades);
    sum = grade_sum(grades, r->kept, limits->lower, limits->upper);
    json_set_str(r->c->arena, o, "verdict", enumx_name(&grade_verdict_enumx, (int)sum.verdict));
    json_set(r->c->arena, o, "confidence", json_num(r->c->arena, sum.confidence));
    json_set_str(r->c->arena, o, "action", fall_back(r, &sum, o));
    json_set(r->c->arena, o, "best_grade", json_num(r->c->arena, sum.best));
    json_set_str(r->c->arena, o, "graded_by", by);
    reject(r, limits->lower, o);
    json_set_int(r->c->arena, o, "stripped_sentences", (int64_t)strip_all(r));
    r->out->grade = o;
    return ERR_OK;
}
