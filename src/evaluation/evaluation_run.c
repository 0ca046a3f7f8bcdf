/* Asking the questions of an evaluation set, mode by mode; see evaluation.h. */
#include "evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "access.h"
#include "clock.h"
#include "db.h"
#include "evaluation_store.h"
#include "knowledge_base.h"
#include "portion.h"
#include "rag.h"
#include "task.h"
#include "thing.h"

#define MODES 4

struct mode_figures {
    double recall_5, recall_10, mrr, ndcg_10;
    double *ms;
};

struct evaluating {
    struct evaluation_run run;
    struct list cases; /* of struct evaluation_case */
    struct mode_figures modes[MODES];
    struct json *missed;
    bool (*should_stop)(void *arg);
    void *arg;
};

/* ---- starting */

static err evaluation_start_tx(struct ctx *c, const struct evaluation_ask *in, struct evaluation_run *out)
{
    struct uuid base = in->knowledge_base_id;
    struct json *payload = json_obj(c->arena);
    const char *id;
    struct uuids readable;
    struct list cases;

    TRY(knowledge_base_readable(c, (struct uuids){&base, 1}, &readable));
    TRY(access_require(c, base, ACCESS_WRITE));
    TRY(evaluation_store_all(c, base, in->name, &cases));
    if (!cases.n)
        return fail(c, ERR_CONFLICT, "there are no cases to run");
    *out = (struct evaluation_run){.knowledge_base_id = base, .name = in->name, .cases = (int64_t)cases.n, .created_by = c->who->id,
                                   .results = json_arr(c->arena), .failed_cases = json_arr(c->arena)};
    TRY(thing_begin(c, &EVALUATION_RUN, out));
    TRY(thing_insert(c, &EVALUATION_RUN, out));
    id = arena_strdup(c->arena, UUID_STR(out->id));
    json_set_str(c->arena, payload, "id", id);
    return task_enqueue(c, &(struct task_new){.kind = "run_evaluation", .payload = payload, .idem_key = id,
                                              .lane = arena_strdup(c->arena, UUID_STR(base)), .priority = TASK_ASKED_LONG});
}
DB_TX(evaluation_start, struct evaluation_ask, struct evaluation_run)

/* ---- one question */

static bool evaluation_is_it(const struct evaluation_case *e, const struct rag_result *r)
{
    if (!uuid_is_nil(e->expected_document_id))
        return uuid_eq(e->expected_document_id, r->document_id);
    if (!uuid_is_nil(e->expected_chunk_id))
        return uuid_eq(e->expected_chunk_id, r->chunk_id);
    return r->content && strcasestr(r->content, e->expected_text);
}

/* The place of what was expected, from 1; documents count once. 0: it was not found. */
static int evaluation_rank(const struct evaluation_case *e, const struct list *results)
{
    const struct rag_result *v = results->v;
    bool by_document = !uuid_is_nil(e->expected_document_id);
    int rank = 0;

    for (size_t i = 0; i < results->n; i++) {
        bool is_new = true;

        for (size_t k = 0; by_document && k < i && is_new; k++)
            is_new = !uuid_eq(v[k].document_id, v[i].document_id);
        rank += is_new;
        if (evaluation_is_it(e, &v[i]))
            return rank;
    }
    return 0;
}

static err evaluation_put_question(struct ctx *c, struct evaluating *w, size_t at, enum rag_mode mode, int *rank)
{
    const struct evaluation_case *e = &((const struct evaluation_case *)w->cases.v)[at];
    struct rag_in in = {.query = e->question, .knowledge_base_id = e->knowledge_base_id, .mode = mode, .fusion_method = -1,
                        .top_k = EVALUATION_DEPTH};
    struct mode_figures *f = &w->modes[mode];
    int64_t began = clock_monotonic_us();
    struct uuids bases;
    struct rag_out out;

    TRY(rag_find(c, &in, &bases, &out));
    f->ms[at] = (double)(clock_monotonic_us() - began) / 1000;
    *rank = evaluation_rank(e, &out.results);
    if (!*rank)
        return ERR_OK;
    f->recall_5 += *rank <= 5;
    f->recall_10 += *rank <= 10;
    f->mrr += 1.0 / *rank;
    f->ndcg_10 += *rank <= 10 ? 1 / log2(*rank + 1) : 0;
    return ERR_OK;
}

static err evaluation_ask_all(struct ctx *c, struct ctx *part, struct evaluating *w)
{
    const struct evaluation_case *v = w->cases.v;

    for (int mode = 0; mode < MODES; mode++) {
        w->modes[mode].ms = ARENA_ARRAY(c->arena, double, w->cases.n + 1);
        for (size_t i = 0; i < w->cases.n; i++) {
            int rank;

            if (w->should_stop(w->arg))
                return fail(c, ERR_UNAVAILABLE, "the scheduler stops");
            TRY(evaluation_put_question(part, w, i, (enum rag_mode)mode, &rank));
            if (mode == RAG_HYBRID && (!rank || rank > 10) && w->missed->len < EVALUATION_MISSED)
                json_push(w->missed, json_str(c->arena, arena_strdup(c->arena, UUID_STR(v[i].id))));
            portion_next(part);
        }
    }
    return ERR_OK;
}

/* ---- the figures */

static int evaluation_ms_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double evaluation_was(struct ctx *c, const struct evaluation_run *before, const char *mode)
{
    const struct json *list = json_opened(c->arena, before->results);

    for (const struct json *o = list ? list->first : NULL; o; o = o->next)
        if (str_eq(json_get_str(o, "mode"), mode))
            return json_number(json_get(o, "recall_at_5"));
    return NAN;
}

static double evaluation_round(double v)
{
    return round(10000 * v) / 10000;
}

static err evaluation_results(struct ctx *c, struct evaluating *w, const struct json **out)
{
    struct json *list = json_arr(c->arena);
    double n = (double)w->cases.n;
    struct evaluation_run before;
    bool found;

    TRY(evaluation_store_before(c, &w->run, &found, &before));
    for (int m = 0; m < MODES; m++) {
        struct mode_figures *f = &w->modes[m];
        const char *mode = enumx_name(&rag_mode_enumx, m);
        struct json *o = json_obj(c->arena);

        qsort(f->ms, w->cases.n, sizeof *f->ms, evaluation_ms_order);
        json_set_str(c->arena, o, "mode", mode);
        json_set(c->arena, o, "recall_at_5", json_num(c->arena, evaluation_round(f->recall_5 / n)));
        json_set(c->arena, o, "recall_at_10", json_num(c->arena, evaluation_round(f->recall_10 / n)));
        json_set(c->arena, o, "mrr", json_num(c->arena, evaluation_round(f->mrr / n)));
        json_set(c->arena, o, "ndcg_at_10", json_num(c->arena, evaluation_round(f->ndcg_10 / n)));
        json_set(c->arena, o, "median_ms", json_num(c->arena, evaluation_round(f->ms[w->cases.n / 2])));
        json_set(c->arena, o, "change",
                 json_num(c->arena, found ? evaluation_round(f->recall_5 / n - evaluation_was(c, &before, mode)) : NAN));
        json_push(list, o);
    }
    *out = list;
    return ERR_OK;
}

static err evaluation_finish(struct ctx *c, void *arg)
{
    struct evaluating *w = arg;
    struct evaluation_run was, r;

    TRY(thing_get(c, &EVALUATION_RUN, w->run.id, &was));
    r = was;
    r.status = w->run.error ? EVALUATION_FAILED : EVALUATION_DONE;
    r.error = w->run.error;
    r.cases = (int64_t)w->cases.n;
    r.finished_at = c->now;
    if (!w->run.error) {
        r.failed_cases = w->missed;
        TRY(evaluation_results(c, w, &r.results));
    }
    return thing_save(c, &EVALUATION_RUN, &(struct thing_change){.verb = "finish"}, &was, &r);
}

err evaluation_work(struct ctx *c, struct uuid run_id, bool (*should_stop)(void *arg), void *arg)
{
    struct evaluating w = {.missed = json_arr(c->arena), .should_stop = should_stop, .arg = arg};
    err e = thing_get(c, &EVALUATION_RUN, run_id, &w.run);
    struct ctx part;

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK; /* its base was deleted */
    }
    TRY(e);
    if (w.run.status != EVALUATION_RUNNING)
        return ERR_OK;
    TRY(evaluation_store_all(c, w.run.knowledge_base_id, w.run.name, &w.cases));
    if (!w.cases.n)
        return evaluation_gave_up(c, run_id, "its cases were deleted");
    portion_begin(c, &part);
    TRY(portion_end(c, &part, evaluation_ask_all(c, &part, &w)));
    return db_tx(c, evaluation_finish, &w);
}

err evaluation_gave_up(struct ctx *c, struct uuid run_id, const char *why)
{
    struct evaluating w = {.run = {.id = run_id, .error = why}};

    return db_tx(c, evaluation_finish, &w);
}
