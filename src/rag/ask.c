/* Rounds of searching for one question; see ask.h. */
#include "rag_ask.h"

#include <stdlib.h>
#include <string.h>

#include "ask_impl.h"
#include "clock.h"
#include "graph_walk.h"
#include "llm.h"
#include "word_share.h"

#define TOP 10
#define QUERIES 2 /* of one round */
#define FIRST 7   /* of round one: what later rounds find stands behind these … */
#define LATER 3   /* … so many of a round */
#define BRIDGES 5 /* passages whose names may lead on */
#define KEPT 50
#define TIME_KEPT_US 500000

ENUMX_DEFINE(ask_answer_mode, ASK_ANSWER_MODE);
ENUMX_DEFINE(ask_stop, ASK_STOP);

struct ask_rounds {
    struct ask_work w;
    struct uuids bases;
    struct ask_out *out;
    struct ask_round history[ROUNDS_MAX];
    struct strs asked; /* every query so far */
    size_t searches;
};

static void strs_add(struct ctx *c, struct strs *list, const char *s)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, list->n + 1);

    for (size_t i = 0; i < list->n; i++)
        v[i] = list->v[i];
    v[list->n] = s;
    *list = (struct strs){v, list->n + 1};
}

static bool strs_has(const struct strs *list, const char *s)
{
    for (size_t i = 0; i < list->n; i++)
        if (str_eq(list->v[i], s))
            return true;
    return false;
}

/* ---- searching */

/* How well a passage bears on the question as it was asked: by meaning, or by the words of it that it holds. */
static double ask_score(struct ctx *c, const struct ask_work *w, const struct rag_result *r)
{
    struct word_share text = {.title = r->document_name, .body = r->content};

    word_shares(c, w->in->query, &text, 1);
    return r->similarity > text.share ? r->similarity : text.share;
}

static bool ask_has_passage(const struct ask_work *w, struct uuid id)
{
    for (size_t i = 0; i < w->n; i++)
        if (uuid_eq(w->passages[i].result.chunk_id, id))
            return true;
    return false;
}

/* Puts what is new into the list: at its end in round one, else behind the first ones. *added: how many. */
static void ask_take(struct ctx *c, struct ask_rounds *r, const struct rag_out *found, bool is_first, int64_t *added)
{
    const struct rag_result *v = found->results.v;
    struct ask_work *w = &r->w;
    int64_t most = is_first ? TOP : LATER, taken = 0;

    for (size_t i = 0; i < found->results.n && taken < most && w->n < KEPT; i++) {
        size_t at = is_first || w->n <= FIRST ? w->n : FIRST + (size_t)taken;

        if (ask_has_passage(w, v[i].chunk_id))
            continue;
        at = at > w->n ? w->n : at;
        memmove(w->passages + at + 1, w->passages + at, (w->n - at) * sizeof *w->passages);
        w->passages[at] = (struct ask_passage){.result = v[i], .score = ask_score(c, w, &v[i])};
        w->passages[at].is_relevant = !str_eq(v[i].band, "low") || w->passages[at].score >= MIN_AVG_SCORE / 2;
        w->n++;
        taken++;
    }
    *added += taken;
}

static err ask_search(struct ctx *c, struct ask_rounds *r, const char *query, bool is_first, int64_t *added)
{
    struct rag_in ask = {.query = query, .knowledge_base_id = r->w.in->knowledge_base_id, .knowledge_base_ids = r->w.in->knowledge_base_ids,
                         .mode = RAG_HYBRID, .fusion_method = -1, .top_k = TOP};
    struct rag_out found;

    TRY(rag_find(c, &ask, &r->bases, &found));
    r->searches++;
    strs_add(c, &r->asked, query);
    for (size_t i = 0; i < found.degraded.n; i++)
        if (!strs_has(&r->out->degraded, found.degraded.v[i]))
            strs_add(c, &r->out->degraded, found.degraded.v[i]);
    ask_take(c, r, &found, is_first, added);
    return ERR_OK;
}

/* ---- is it enough? */

static int ask_score_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static void ask_find_words(struct ask_work *w)
{
    for (size_t i = 0; i < w->words.n; i++)
        for (size_t k = 0; k < w->n && !w->words.v[i].is_found; k++)
            w->words.v[i].is_found = w->passages[k].is_relevant && (ask_holds(w->passages[k].result.content, &w->words.v[i]) ||
                                                                    ask_holds(w->passages[k].result.document_name, &w->words.v[i]));
}

/* Words that no relevant passage holds. */
static struct strs ask_gaps(struct ctx *c, const struct ask_work *w)
{
    struct strs gaps = {0};

    for (size_t i = 0; i < w->words.n && gaps.n < 5; i++)
        if (!w->words.v[i].is_found)
            strs_add(c, &gaps, arena_printf(c->arena, "nothing that was found says “%s”", w->words.v[i].text));
    return gaps;
}

static bool ask_suffices(struct ctx *c, struct ask_rounds *r, double *avg)
{
    double scores[KEPT];
    size_t n = 0, few;

    for (size_t i = 0; i < r->w.n; i++)
        if (r->w.passages[i].is_relevant)
            scores[n++] = r->w.passages[i].score;
    qsort(scores, n, sizeof *scores, ask_score_order);
    few = n < MIN_RELEVANT_RESULTS ? n : MIN_RELEVANT_RESULTS;
    *avg = 0;
    for (size_t i = 0; i < few; i++)
        *avg += scores[i] / (double)few;
    ask_find_words(&r->w);
    r->out->gaps = ask_gaps(c, &r->w);
    return n >= MIN_RELEVANT_RESULTS && *avg >= MIN_AVG_SCORE && !r->out->gaps.n;
}

/* ---- the next queries */

/* The whole question and a name that leads on: the rarest of the best passages that is not in it. */
static err ask_bridges(struct ctx *c, const struct ask_rounds *r, struct strs *queries)
{
    const struct walk_name *v;
    struct uuid ids[BRIDGES];
    struct list names;
    size_t n = 0;

    for (; n < r->w.n && n < BRIDGES; n++)
        ids[n] = r->w.passages[n].result.chunk_id;
    if (!n)
        return ERR_OK;
    TRY(graph_names_in(c, ids, n, &names));
    v = names.v;
    for (size_t i = 0; i < names.n && queries->n < QUERIES; i++) {
        const char *query = arena_printf(c->arena, "%s %s", r->w.in->query, v[i].title);

        if (!strcasestr(r->w.in->query, v[i].title) && !strs_has(&r->asked, query) && strlen(query) <= RAG_QUERY)
            strs_add(c, queries, query);
    }
    return ERR_OK;
}

static err ask_next(struct ctx *c, struct ask_rounds *r, struct strs *queries)
{
    struct strs gaps, all;

    *queries = (struct strs){0};
    if (ask_reformulate(c, &r->w, &gaps, &all, &r->out->tokens)) {
        for (size_t i = 0; i < all.n && queries->n < QUERIES; i++)
            if (!strs_has(&r->asked, all.v[i]) && !str_empty(all.v[i]))
                strs_add(c, queries, all.v[i]);
        if (queries->n)
            return ERR_OK;
    } else if (llm_is_configured(c) && !strs_has(&r->out->degraded, "llm")) {
        strs_add(c, &r->out->degraded, "llm");
    }
    return ask_bridges(c, r, queries);
}

/* ---- rounds */

static bool ask_is_late(const struct ctx *c)
{
    return c->deadline_us && clock_monotonic_us() > c->deadline_us - TIME_KEPT_US;
}

static err ask_run_rounds(struct ctx *c, struct ask_rounds *r)
{
    struct strs queries = {0};
    bool enough = false;

    strs_add(c, &queries, r->w.in->query);
    for (int64_t round = 1; round <= r->w.in->max_rounds; round++) {
        struct ask_round *h = &r->history[round - 1];

        *h = (struct ask_round){.round = round, .queries = queries};
        for (size_t i = 0; i < queries.n && r->searches < ASK_SEARCHES; i++)
            TRY(ask_search(c, r, queries.v[i], round == 1, &h->added));
        enough = ask_suffices(c, r, &h->avg_score);
        r->out->rounds = round;
        r->out->stopped = enough ? ASK_SUFFICIENT : !h->added ? ASK_NO_NEW_RESULTS : ask_is_late(c) ? ASK_DEADLINE :
                          r->searches >= ASK_SEARCHES ? ASK_BUDGET : ASK_MAX_ROUNDS;
        if (r->out->stopped == ASK_MAX_ROUNDS && round < r->w.in->max_rounds) {
            TRY(ask_next(c, r, &queries));
            r->out->stopped = queries.n ? ASK_MAX_ROUNDS : ASK_NO_NEW_QUERY;
        }
        h->reason = enough ? "enough" : r->out->gaps.n ? r->out->gaps.v[0] : "too few good passages";
        if (r->out->stopped != ASK_MAX_ROUNDS)
            break;
    }
    return ERR_OK;
}

static void ask_answer(struct ctx *c, struct ask_rounds *r)
{
    struct ask_out *out = r->out;
    enum ask_answer_mode mode = r->w.in->answer;
    struct ask_out extracted = *out;
    bool can = ask_extract(c, &r->w, &extracted);

    out->confidence = extracted.confidence;
    if (mode == ANSWER_NONE)
        return;
    if (mode != ANSWER_EXTRACTIVE && ask_compose(c, &r->w, out))
        return;
    if (mode != ANSWER_EXTRACTIVE && llm_is_configured(c) && !strs_has(&out->degraded, "llm"))
        strs_add(c, &out->degraded, "llm");
    if (!can)
        return;
    extracted.tokens = out->tokens;
    extracted.degraded = out->degraded;
    *out = extracted;
}

err ask_documents(struct ctx *c, const struct ask_in *in, struct ask_out *out)
{
    struct ask_rounds r = {.w = {.in = in}, .out = out};
    int64_t began_us = clock_monotonic_us();

    *out = (struct ask_out){.stopped = ASK_NO_NEW_RESULTS, .verdict = RAG_NOTHING_FOUND};
    r.w.passages = ARENA_ARRAY(c->arena, struct ask_passage, KEPT + 1);
    ask_words_of(c, in->query, &r.w.words);
    TRY(ask_run_rounds(c, &r));
    ask_answer(c, &r);
    out->search_history = (struct list){arena_memdup(c->arena, r.history, sizeof r.history), (size_t)out->rounds};
    out->results = (struct list){ARENA_ARRAY(c->arena, struct rag_result, r.w.n + 1), r.w.n};
    for (size_t i = 0; i < r.w.n; i++) {
        out->total_results += r.w.passages[i].is_relevant;
        ((struct rag_result *)out->results.v)[i] = r.w.passages[i].result;
    }
    out->verdict = !r.w.n ? RAG_NOTHING_FOUND : out->stopped == ASK_SUFFICIENT ? RAG_CORRECT : out->answer ? RAG_AMBIGUOUS : RAG_INCORRECT;
    out->latency_ms = (double)(clock_monotonic_us() - began_us) / 1000;
    return r.bases.n ? rag_record_ask(c, in, out, r.bases) : ERR_OK;
}

err rag_query_or_ask(struct ctx *c, const struct rag_in *in, struct rag_out *out)
{
    struct ask_in ask = {.query = in->query, .knowledge_base_id = in->knowledge_base_id, .knowledge_base_ids = in->knowledge_base_ids,
                         .max_rounds = MAX_ROUNDS, .answer = ANSWER_AUTO};
    struct ask_out found;
    struct rag_result *v;

    *out = (struct rag_out){0};
    if ((int)in->mode != STRATEGY_AGENTIC)
        return rag_query(c, in, out);
    if (in->document_ids.n || in->similarity_threshold > 0)
        return fail_field(c, in->document_ids.n ? "/document_ids" : "/similarity_threshold", "does not go with the mode agentic");
    TRY(ask_documents(c, &ask, &found));
    v = found.results.v;
    *out = (struct rag_out){.query_id = found.query_id, .mode = "agentic", .fusion_method = "auto", .results = found.results,
                            .verdict = found.verdict, .degraded = found.degraded, .latency_ms = found.latency_ms,
                            .quality_score = 100 * found.confidence, .answer = found.answer, .sources = found.sources};
    if (out->results.n > (size_t)in->top_k)
        out->results.n = (size_t)in->top_k;
    out->total_results = (int64_t)out->results.n;
    for (size_t i = 0; i < out->results.n; i++)
        v[i].rank = (int64_t)i + 1;
    return ERR_OK;
}
