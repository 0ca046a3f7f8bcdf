/* Who computes a vector; see embed.h. */
#include "embed.h"

#include <stdatomic.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "embed_http.h"
#include "embedder.h"
#include "errand.h"
#include "metrics.h"
#include "model_layout.h"

#define BUILTIN_DEFAULT MODEL_BERT /* where neither the account nor the installation names a built-in model */
#define DOWN_US (5 * SECOND_US)    /* so long nobody who is in a hurry asks a server that failed */
#define PIECE_BYTES 2048           /* of texts that one thread of the crew takes at once: some 20 ms; a longer text is one piece */
#define PATIENCE_US SECOND_US      /* where requests keep the crew from a processor for so long, its work is done at our own priority */

ENUMX_DEFINE(embed_provider, EMBED_PROVIDER);

static const struct metric TEXTS = {"loci_embed_texts_total", METRIC_COUNTER, "texts made to vectors"};
static const struct metric FAILURES = {"loci_embed_failures_total", METRIC_COUNTER, "calls for vectors that failed"};
static const struct metric SECONDS = {"loci_embed_seconds", METRIC_HISTOGRAM, "time to make the vectors of a call"};
static const struct metric CPU = {"loci_embed_cpu_seconds_total", METRIC_COUNTER, "processor time of the built-in model"};

struct embed {
    const struct config *conf;
    enum embed_provider provider;             /* of accounts that say nothing */
    enum model_kind kind;                     /* of accounts that name no built-in model */
    const struct embedder *builtin[N_MODELS]; /* NULL: cannot be used */
    const char *builtin_why[N_MODELS];
    struct http_embedder http;
    _Atomic int64_t down_until; /* monotonic */
};

static const char *choice_fault(struct arena *a, const struct enumx *e, const char *key, const char *value, int *out)
{
    if (enumx_parse(e, value, out))
        return NULL;
    return arena_printf(a, "%s must be %s, %s or %s, not '%s'", key, e->names[0], e->names[1], e->names[2], value);
}

/* Where the server takes texts, below the address that is configured. */
static const char *embed_address(struct arena *a, const char *base, enum embed_api api)
{
    static const char *const PATHS[] = {[API_OPENAI] = "/v1/embeddings", [API_OLLAMA] = "/api/embed", [API_TEI] = "/embed"};
    size_t n = strlen(base);

    while (n && base[n - 1] == '/')
        n--;
    return arena_printf(a, "%.*s%s", (int)n, base, PATHS[api]);
}

/* One file for each model, and one that stands for the file of whichever model it holds. */
static void open_builtin(struct arena *a, struct embed *e, const struct simd_kernels *k)
{
    const struct config *conf = e->conf;
    const char *dir = *conf->embed_model_dir ? conf->embed_model_dir : arena_printf(a, "%s/models", conf->data_dir);
    const struct embedder *given = NULL;
    const char *why = NULL;
    enum model_kind kind = e->kind;

    for (enum model_kind m = 0; m < N_MODELS; m++)
        if (!embedder_open(a, arena_printf(a, "%s/%s.model", dir, model_plan_of(m)->name), conf->embed_precision, k,
                           &e->builtin[m], &e->builtin_why[m]))
            e->builtin[m] = NULL;
    if (!*conf->embed_model_file)
        return;
    if (embedder_open(a, conf->embed_model_file, conf->embed_precision, k, &given, &why))
        (void)model_kind_named(embedder_model(given), &kind);
    e->builtin[kind] = given;
    e->builtin_why[kind] = why;
}

struct embed *embed_open(struct arena *a, const struct config *conf, const struct simd_kernels *k, const char **why)
{
    struct embed *e = ARENA_NEW(a, struct embed);
    int provider = 0, api = 0;

    e->conf = conf;
    *why = choice_fault(a, &embed_provider_enumx, "embed.provider", conf->embed_provider, &provider);
    if (!*why)
        *why = choice_fault(a, &embed_api_enumx, "embed.api", conf->embed_api, &api);
    if (*why)
        return NULL;
    e->provider = (enum embed_provider)provider;
    e->http = (struct http_embedder){.api = (enum embed_api)api, .url = embed_address(a, conf->embed_url, (enum embed_api)api),
                                     .key = conf->embed_key, .may_be_private = conf->embed_private_addresses,
                                     .timeout_ms = conf->embed_timeout_ms, .batch = (size_t)conf->embed_batch,
                                     .window = (size_t)conf->embed_window};
    if (!model_kind_named(conf->embed_model, &e->kind))
        e->kind = BUILTIN_DEFAULT;
    open_builtin(a, e, k);
    return e;
}

struct embed_model embed_of(const struct embed *e, enum embed_provider provider, const char *name)
{
    enum model_kind kind = e->kind;

    if (provider == EMBED_BUILTIN) {
        (void)model_kind_named(name, &kind);
        return (struct embed_model){EMBED_BUILTIN, model_plan_of(kind)->name, model_plan_of(kind)->dim};
    }
    if (provider == EMBED_NONE)
        return (struct embed_model){EMBED_NONE, "", 0};
    return (struct embed_model){EMBED_HTTP, str_empty(name) ? e->conf->embed_model : name, 0};
}

struct embed_model embed_default(const struct embed *e)
{
    return embed_of(e, e->provider, NULL);
}

/* NULL: cannot be used; *why says so. */
static const struct embedder *builtin_of(const struct embed *e, const struct embed_model *m, const char **why)
{
    enum model_kind kind;

    if (!model_kind_named(m->name, &kind)) {
        *why = "this version has no built-in model of that name";
        return NULL;
    }
    *why = e->builtin_why[kind];
    return e->builtin[kind];
}

const char *embed_why_not(const struct embed *e, const struct embed_model *m)
{
    const char *why = NULL;

    if (m->provider == EMBED_NONE)
        return "embedding is switched off";
    if (m->provider == EMBED_BUILTIN)
        return builtin_of(e, m, &why) ? NULL : why;
    if (!*e->conf->embed_url)
        return "embed.url is not set";
    return str_empty(m->name) ? "embed.model is not set" : NULL;
}

double embed_letters(const struct embed *e, const struct embed_model *m, const char *text)
{
    const char *why = NULL;
    const struct embedder *b = e && m->provider == EMBED_BUILTIN ? builtin_of(e, m, &why) : NULL;

    return b ? embedder_letters(b, text) : 0;
}

bool embed_is_down(const struct embed *e, const struct embed_model *m)
{
    return m->provider == EMBED_HTTP && clock_monotonic_us() < atomic_load(&e->down_until);
}

/* ---- the built-in model */

/* Texts that one thread makes to vectors. */
struct piece {
    const struct embedder *by;
    const char *const *texts;
    size_t n;
    float *vectors;
    bool *has;
    int64_t cpu_us; /* what it took */
    struct errand errand;
};

static void embed_piece(void *arg)
{
    struct piece *p = arg;
    int64_t began = clock_thread_cpu_us();

    embedder_embed(p->by, p->texts, p->n, p->vectors, p->has);
    p->cpu_us = clock_thread_cpu_us() - began;
}

static size_t texts_of_piece(const char *const *texts, size_t n)
{
    size_t k = 0, bytes = 0;

    while (k < n && (!k || bytes < PIECE_BYTES))
        bytes += strlen(texts[k++]);
    return k;
}

/* The pieces of them all; few enough for one thread: one. */
static size_t cut_in_pieces(const struct embedder *b, bool behind, const char *const *texts, size_t n, struct embedded *out,
                            struct piece *pieces)
{
    size_t n_pieces = 0, dim = embedder_dim(b);

    for (size_t i = 0, k; i < n; i += k) {
        k = behind ? texts_of_piece(texts + i, n - i) : n;
        pieces[n_pieces++] = (struct piece){.by = b, .texts = texts + i, .n = k, .vectors = out->vectors + i * dim,
                                            .has = out->has + i};
    }
    return n_pieces;
}

static void run_pieces(struct helpers *crew, struct piece *pieces, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pieces[i].errand.run = embed_piece;
        pieces[i].errand.arg = &pieces[i];
        errand_begin(n > 1 ? crew : NULL, &pieces[i].errand);
    }
    for (size_t i = 0; i < n; i++)
        errand_end_patiently(&pieces[i].errand, PATIENCE_US);
}

static void run_builtin(struct ctx *c, const struct embedder *b, bool behind, const char *const *texts, size_t n, struct embedded *out)
{
    struct piece *pieces = ARENA_ARRAY(c->arena, struct piece, n + 1);
    size_t n_pieces, dim = embedder_dim(b);
    int64_t cpu_us = 0;

    *out = (struct embedded){.vectors = ARENA_ARRAY(c->arena, float, n * dim + 1), .dim = dim,
                             .has = ARENA_ARRAY(c->arena, bool, n + 1), .precision = embedder_precision(b)};
    n_pieces = cut_in_pieces(b, behind && c->app->embed_crew, texts, n, out, pieces);
    run_pieces(c->app->embed_crew, pieces, n_pieces);
    for (size_t i = 0; i < n_pieces; i++)
        cpu_us += pieces[i].cpu_us;
    if (c->app->metrics)
        metrics_add(c->app->metrics, &CPU, "provider=\"builtin\"", (double)cpu_us / SECOND_US);
}

/* ---- all */

static err run_http(struct ctx *c, struct embed *e, const struct embed_model *m, const char *const *texts, size_t n,
                    struct embedded *out)
{
    err r = embed_http(c, &e->http, m->name, m->dim, texts, n, out);

    atomic_store(&e->down_until, r == ERR_OK ? 0 : clock_monotonic_us() + DOWN_US);
    return r;
}

static void embed_count(struct ctx *c, const struct embed_model *m, err r, size_t n, int64_t us)
{
    const char *label = arena_printf(c->arena, "provider=\"%s\"", enumx_name(&embed_provider_enumx, (int)m->provider));

    if (!c->app->metrics)
        return;
    if (r == ERR_OK)
        metrics_add(c->app->metrics, &TEXTS, label, (double)n);
    else
        metrics_add(c->app->metrics, &FAILURES, label, 1);
    metrics_observe(c->app->metrics, &SECONDS, label, (double)us / SECOND_US);
}

static err embed_by_provider(struct ctx *c, const struct embed_model *m, bool behind, const char *const *texts, size_t n,
                             struct embedded *out)
{
    struct embed *e = c->app->embed;
    const char *why = e ? embed_why_not(e, m) : "this program makes no vectors";
    int64_t began = clock_monotonic_us();
    err r = ERR_OK;

    if (why)
        return fail(c, ERR_UNAVAILABLE, "no vectors: %s", why);
    TRY(ctx_check_deadline(c));
    if (m->provider == EMBED_BUILTIN)
        run_builtin(c, builtin_of(e, m, &why), behind, texts, n, out);
    else
        r = run_http(c, e, m, texts, n, out);
    embed_count(c, m, r, n, clock_monotonic_us() - began);
    return r;
}

err embed_texts(struct ctx *c, const struct embed_model *m, const char *const *texts, size_t n, struct embedded *out)
{
    return embed_by_provider(c, m, false, texts, n, out);
}

err embed_texts_behind(struct ctx *c, const struct embed_model *m, const char *const *texts, size_t n, struct embedded *out)
{
    return embed_by_provider(c, m, true, texts, n, out);
}
