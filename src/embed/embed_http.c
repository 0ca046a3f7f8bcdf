/* Asking an embedding server: pieces of texts in batches, again while there is time, one by one where a batch is refused. */
#include "embed_http.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "limit.h"
#include "net.h"
#include "windows.h"

#define TRIES 3
#define FIRST_PAUSE_MS 100
#define ANSWER_MAX (32u * 1024 * 1024)
#define PIECES_MAX 512 /* of one text; what stands behind them is not seen */

ENUMX_DEFINE(embed_api, EMBED_API);

/* All pieces of all texts, and what comes of them. */
struct work {
    struct ctx *c;
    const struct http_embedder *h;
    const char *name;
    const char **pieces;
    size_t *owner; /* whose text it is a piece of */
    size_t n;
    size_t refused;       /* pieces that the server does not take */
    struct embedded *out; /* vectors: sums, until they are made unit */
    size_t n_texts;
};

/* ---- the question */

static struct bytes question(const struct work *w, size_t from, size_t n)
{
    struct arena *a = w->c->arena;
    struct json *q = json_obj(a), *texts = json_arr(a);
    struct buf b;

    for (size_t i = from; i < from + n; i++)
        json_push(texts, json_str(a, w->pieces[i]));
    if (w->h->api == API_TEI) {
        json_set(a, q, "inputs", texts);
        json_set_bool(a, q, "truncate", true);
    } else {
        json_set_str(a, q, "model", w->name);
        json_set(a, q, "input", texts);
        if (w->h->api == API_OPENAI)
            json_set_str(a, q, "encoding_format", "float");
    }
    buf_init(&b, a, 1024);
    json_write(&b, q, false);
    return (struct bytes){b.data, b.len};
}

static void pause_ms(int64_t ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

/* Whether the same question may find a better answer later. */
static bool is_transient(err e, int status)
{
    return e != ERR_OK || status == 408 || status == 429 || status >= 500;
}

static err embed_http_ask(struct ctx *c, const struct http_embedder *h, struct bytes body, struct net_answer *a)
{
    struct net_request r = {.url = h->url, .body = body, .bearer = h->key, .ms = h->timeout_ms, .max = ANSWER_MAX,
                            .may_be_private = h->may_be_private};
    int64_t pause = FIRST_PAUSE_MS;
    err e;

    for (int i = 1;; i++, pause *= 4) {
        *a = (struct net_answer){0};
        e = net_ask(c, &r, a);
        if (a->retry_after_s)
            pause = a->retry_after_s * 1000;
        if (!is_transient(e, a->status) || i == TRIES || net_ms_left(c, h->timeout_ms) <= pause)
            return e;
        ctx_forgive(c);
        pause_ms(pause);
    }
}

/* ---- the answer */

static err bad_answer(struct ctx *c, const struct http_embedder *h, const char *what)
{
    return fail(c, ERR_PROVIDER, "%s: %s", h->url, what);
}

/* The vectors, wherever this kind of server puts them. */
static const struct json *vectors_in(const struct http_embedder *h, const struct json *answer)
{
    return h->api == API_TEI ? answer : json_get(answer, h->api == API_OLLAMA ? "embeddings" : "data");
}

static err add_vector(struct work *w, size_t piece, const struct json *numbers)
{
    size_t text = w->owner[piece], j = 0;
    double weight = (double)strlen(w->pieces[piece]), squares = 0;
    struct embedded *out = w->out;
    float *to;

    if (!json_is(numbers, JSON_ARR) || numbers->len == 0 || numbers->len > LIMIT_VECTOR_DIM)
        return bad_answer(w->c, w->h, "a vector is missing");
    if (!out->vectors) {
        out->dim = out->dim ? out->dim : numbers->len;
        out->vectors = ARENA_ARRAY(w->c->arena, float, w->n_texts * out->dim);
    }
    if (numbers->len != out->dim)
        return bad_answer(w->c, w->h, arena_printf(w->c->arena, "a vector has %u numbers, not %zu", numbers->len, out->dim));
    for (const struct json *x = numbers->first; x; x = x->next)
        squares += json_number(x) * json_number(x);
    if (!isfinite(squares) || squares <= 0)
        return bad_answer(w->c, w->h, "a vector has no length");
    to = out->vectors + text * out->dim;
    for (const struct json *x = numbers->first; x; x = x->next, j++)
        to[j] += (float)(json_number(x) * weight / sqrt(squares));
    out->has[text] = true;
    return ERR_OK;
}

static err embed_http_take(struct work *w, size_t from, size_t n, struct bytes body)
{
    const struct json *list;
    struct json *answer;
    const char *why;
    size_t i = 0;

    if (json_parse_large(w->c->arena, body.p, body.n, n * (LIMIT_VECTOR_DIM + 16) + 64, &answer, &why) != JSON_OK)
        return bad_answer(w->c, w->h, "the answer is no JSON");
    list = vectors_in(w->h, answer);
    if (!json_is(list, JSON_ARR) || list->len != n)
        return bad_answer(w->c, w->h, "not one vector for each text");
    for (const struct json *v = list->first; v; v = v->next, i++) {
        int64_t at = w->h->api == API_OPENAI ? json_get_int(v, "index", (int64_t)i) : (int64_t)i;

        if (at < 0 || at >= (int64_t)n)
            return bad_answer(w->c, w->h, "a vector of no text");
        TRY(add_vector(w, from + (size_t)at, w->h->api == API_OPENAI ? json_get(v, "embedding") : v));
    }
    return ERR_OK;
}

static err refused(struct ctx *c, const struct http_embedder *h, const struct net_answer *a)
{
    err e = fail(c, ERR_PROVIDER, "%s says %d", h->url, a->status);

    c->fault.retry_after_s = a->retry_after_s;
    return e;
}

/* A batch that is refused for what is in it is halved, down to the piece that is to blame: that one has no vector. */
static err embed_http_run(struct work *w, size_t from, size_t n)
{
    struct net_answer a;

    TRY(embed_http_ask(w->c, w->h, question(w, from, n), &a));
    if (a.status == 200)
        return embed_http_take(w, from, n, a.body);
    if (a.status != 400 && a.status != 413 && a.status != 422)
        return refused(w->c, w->h, &a);
    if (n == 1) {
        w->refused++;
        return w->refused > w->h->batch || w->refused == w->n ? refused(w->c, w->h, &a) : ERR_OK;
    }
    TRY(embed_http_run(w, from, n / 2));
    return embed_http_run(w, from + n / 2, n - n / 2);
}

/* ---- texts */

static void add_pieces(struct work *w, struct arena *a, const char *const *texts)
{
    size_t cap = 0;
    struct text_pieces *of = ARENA_ARRAY(a, struct text_pieces, w->n_texts + 1);

    for (size_t i = 0; i < w->n_texts; i++) {
        of[i] = pieces_of(a, texts[i], strlen(texts[i]), w->h->window, PIECES_MAX);
        cap += of[i].n;
    }
    w->pieces = ARENA_ARRAY(a, const char *, cap + 1);
    w->owner = ARENA_ARRAY(a, size_t, cap + 1);
    for (size_t i = 0; i < w->n_texts; i++)
        for (size_t k = 0; k < of[i].n; k++, w->n++) {
            w->pieces[w->n] = of[i].at[k];
            w->owner[w->n] = i;
        }
}

/* A sum of opposite directions has no length; such a text counts as one without a vector. */
static void embed_http_to_unit(struct embedded *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float *v = out->vectors + i * out->dim;
        double squares = 0;

        for (size_t j = 0; j < out->dim; j++)
            squares += (double)v[j] * (double)v[j];
        out->has[i] = out->has[i] && squares > 0;
        for (size_t j = 0; j < out->dim; j++)
            v[j] = out->has[i] ? (float)((double)v[j] / sqrt(squares)) : 0;
    }
}

err embed_http(struct ctx *c, const struct http_embedder *h, const char *name, size_t dim, const char *const *texts, size_t n,
               struct embedded *out)
{
    struct embedded got = {.dim = dim, .has = ARENA_ARRAY(c->arena, bool, n + 1), .precision = "f32"};
    struct work w = {.c = c, .h = h, .name = name, .out = &got, .n_texts = n};

    add_pieces(&w, c->arena, texts);
    for (size_t i = 0; i < w.n; i += h->batch)
        TRY(embed_http_run(&w, i, w.n - i < h->batch ? w.n - i : h->batch));
    if (!got.vectors)
        got.vectors = ARENA_ARRAY(c->arena, float, n *got.dim + 1);
    embed_http_to_unit(&got, n);
    *out = got;
    return ERR_OK;
}
