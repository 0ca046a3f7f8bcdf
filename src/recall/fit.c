/* A small grid over judged queries; see fit.h. */
#include "fit.h"

#include <math.h>
#include <string.h>

#include "account.h"
#include "index.h"
#include "snapshot.h"
#include "vector_models.h"

#define HITS 10
#define TOP 5
#define LEAST 0.01 /* gains of Recall@5 up to that are noise however many queries there are */
#define EQUAL 1e-9

struct fitting {
    struct ctx *c;
    struct ctx run; /* its arena is emptied after each batch */
    struct fit *out;
};

/* ---- measuring */

static bool is_relevant(const struct fit_query *q, struct uuid id)
{
    for (size_t i = 0; i < q->relevant.n; i++)
        if (uuid_eq(q->relevant.v[i], id))
            return true;
    return false;
}

static void add_figure(const struct fit_query *q, const struct recall_out *out, struct fit_figure *sum)
{
    const struct recall_hit *hits = out->hits.v;
    double gain = 0, ideal = 0, at5 = 0;

    for (size_t i = 0; i < q->relevant.n && i < HITS; i++)
        ideal += 1 / log2((double)i + 2);
    for (size_t i = 0; i < out->hits.n; i++)
        if (is_relevant(q, hits[i].id)) {
            gain += 1 / log2((double)i + 2);
            at5 += i < TOP;
        }
    sum->recall5 += at5 / (double)q->relevant.n;
    sum->ndcg10 += gain / ideal;
}

/* The fusion is what is fitted: what comes after it and may cost money is left out. */
static struct recall_in asked(const struct fit_query *q, const struct fitted *p)
{
    struct recall_in in;

    recall_in_defaults(&in);
    in.query = q->query;
    in.kinds = q->kinds;
    in.limit = HITS;
    in.body_chars = 0;
    in.touch = false;
    in.rerank = RERANK_NONE;
    in.grade = SWITCH_OFF;
    in.fitted = p;
    return in;
}

static err run_batch(struct ctx *c, const struct fit_query *q, size_t n, const struct fitted *p, struct fit_figure *sum)
{
    struct recall_in in[RECALL_BATCH];
    struct recall_out out[RECALL_BATCH];

    for (size_t i = 0; i < n; i++)
        in[i] = asked(&q[i], p);
    TRY(recall_run_many(c, in, n, out));
    for (size_t i = 0; i < n; i++) {
        if (out[i].degraded.n)
            return fail(c, ERR_UNAVAILABLE, "recall is degraded (%s): a measurement now would be meaningless", out[i].degraded.v[0]);
        add_figure(&q[i], &out[i], sum);
    }
    return ERR_OK;
}

static err fit_measure(struct fitting *f, const struct fit_query *q, size_t n, const struct fitted *p, struct fit_row *row)
{
    struct fit_figure sum = {0};

    for (size_t i = 0; i < n; i += RECALL_BATCH) {
        err e = run_batch(&f->run, q + i, n - i < RECALL_BATCH ? n - i : RECALL_BATCH, p, &sum);

        if (e != ERR_OK)
            return fail(f->c, e, "%s", f->run.fault.message ? f->run.fault.message : err_info(e)->meaning);
        arena_reset(f->run.arena);
    }
    sum.recall5 /= (double)n;
    sum.ndcg10 /= (double)n;
    *row = (struct fit_row){*p, sum};
    return ERR_OK;
}

/* ---- the grid */

static const double MEANING[] = {0, 0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4};

static bool is_more(const struct fit_figure *a, const struct fit_figure *b)
{
    if (fabs(a->recall5 - b->recall5) > EQUAL)
        return a->recall5 > b->recall5;
    return a->ndcg10 > b->ndcg10 + EQUAL;
}

/* Of equals the present one stays, else the first. */
static err fit_meaning(struct fitting *f, const struct fit_query *q, size_t n)
{
    struct fit_row *rows = f->out->tried.v, *row;

    TRY(fit_measure(f, q, n, &f->out->now.profile, &f->out->now));
    f->out->best = f->out->now;
    for (size_t i = 0; i < sizeof MEANING / sizeof *MEANING; i++) {
        const struct fitted trial = {.given = true, .meaning = MEANING[i]};

        row = &rows[f->out->tried.n++];
        TRY(fit_measure(f, q, n, &trial, row));
        if (is_more(&row->figure, &f->out->best.figure))
            f->out->best = *row;
    }
    return ERR_OK;
}

/* ---- the service */

static err count_missing(struct fitting *f, const struct fit_query *q, size_t n)
{
    const struct snapshot *index;
    const char *degraded;
    size_t all = 0;

    TRY(index_snapshot(&f->run, &index, &degraded));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < q[i].relevant.n; k++, all++)
            f->out->missing += snapshot_find(index, q[i].relevant.v[k]) == NO_ROW;
    arena_reset(f->run.arena);
    if (f->out->missing == all)
        return fail(f->c, ERR_INVALID, "none of the %zu nodes named as relevant is in this account", all);
    return ERR_OK;
}

err fit_run(struct ctx *c, const struct fit_query *queries, size_t n, struct fit *out)
{
    struct fitting f = {.c = c, .run = *c, .out = out};
    struct model_profile m;
    err e;

    *out = (struct fit){.margin = fmax(LEAST, 1 / fmax((double)n, 1)),
                        .tried.v = arena_array(c->arena, sizeof MEANING / sizeof *MEANING, sizeof(struct fit_row))};
    if (n < FIT_QUERIES)
        return fail(c, ERR_INVALID, "%zu judged queries are too few to fit anything: judge at least %d", n, FIT_QUERIES);
    TRY(model_profile(c, &m));
    out->model = arena_printf(c->arena, "%s:%s", m.provider, m.name);
    out->was_own = m.fitted.given;
    out->now.profile = m.fitted.given ? m.fitted : (struct fitted){.given = true, .meaning = 1};
    f.run.arena = request_arena_new();
    e = count_missing(&f, queries, n);
    if (e == ERR_OK)
        e = fit_meaning(&f, queries, n);
    arena_free(f.run.arena);
    out->is_better = e == ERR_OK && out->best.figure.recall5 > out->now.figure.recall5 + out->margin + EQUAL;
    return e;
}

static err set_profile(struct ctx *c, struct json *profile)
{
    struct json *settings = json_obj(c->arena), *recall = json_set(c->arena, settings, "recall", json_obj(c->arena));
    struct account_patch p = {.set = ACCOUNT_SET_SETTINGS, .settings = settings};
    struct account a;

    json_set(c->arena, recall, "profile", profile);
    return account_update(c, &p, &a);
}

err fit_store(struct ctx *c, const struct fit *f)
{
    return set_profile(c, fitted_json(c->arena, &f->best.profile, f->model));
}

err fit_reset(struct ctx *c)
{
    return set_profile(c, json_new(c->arena, JSON_NULL));
}
