/* A cross-encoder behind POST {rerank_url}/rerank, in the shape of text-embeddings-inference (no model named) or of Jina and
 * Cohere (with one); see rerank.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "inert.h"
#include "json.h"
#include "net.h"
#include "rerank.h"

#define TEXT_CHARS 2000 /* of a text that are sent */
#define ANSWER_BYTES (256 * 1024)

static struct json *texts_json(struct ctx *c, const struct rerank_text *texts, size_t n)
{
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < n; i++) {
        const char *title = texts[i].title ? texts[i].title : "", *body = texts[i].body ? texts[i].body : "";

        json_push(list, json_str(c->arena, text_cut(c->arena, arena_printf(c->arena, "%s%s%s", title, *title ? "\n" : "", body),
                                                    TEXT_CHARS, false)));
    }
    return list;
}

static const char *request_body(struct ctx *c, const char *query, const struct rerank_text *texts, size_t n)
{
    const char *model = c->app->conf->recall_rerank_model;
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "query", query);
    json_set(c->arena, o, *model ? "documents" : "texts", texts_json(c, texts, n));
    if (*model) {
        json_set_str(c->arena, o, "model", model);
        json_set_int(c->arena, o, "top_n", (int64_t)n);
        json_set_bool(c->arena, o, "return_documents", false);
    } else {
        json_set_bool(c->arena, o, "truncate", true);
    }
    return json_text(c->arena, o);
}

static bool is_number(const struct json *j)
{
    return json_is(j, JSON_NUM) || json_is(j, JSON_INT);
}

/* Each text must have got exactly one score. */
static bool read_scores(const struct json *list, size_t n, double *scores)
{
    uint64_t seen = 0;

    for (const struct json *r = json_is(list, JSON_ARR) ? list->first : NULL; r; r = r->next) {
        const struct json *score = json_get(r, "relevance_score");
        int64_t i = json_get_int(r, "index", -1);

        score = score ? score : json_get(r, "score");
        if (i < 0 || i >= (int64_t)n || !is_number(score) || seen >> i & 1)
            return false;
        scores[i] = json_number(score);
        seen |= 1ull << i;
    }
    return (size_t)__builtin_popcountll(seen) == n;
}

/* Some servers answer probabilities, some what comes before them. */
static void scale(double *scores, size_t n)
{
    bool are_raw = false;

    for (size_t i = 0; i < n; i++)
        are_raw = are_raw || scores[i] < 0 || scores[i] > 1;
    for (size_t i = 0; are_raw && i < n; i++)
        scores[i] = 1 / (1 + exp(-scores[i]));
}

static const char *rerank_http_address(struct ctx *c)
{
    const char *base = c->app->conf->recall_rerank_url;
    size_t n = strlen(base);

    return arena_printf(c->arena, "%.*s/rerank", (int)(n && base[n - 1] == '/' ? n - 1 : n), base);
}

err rerank_http(struct ctx *c, const char *query, const struct rerank_text *texts, size_t n, double *scores)
{
    const struct config *conf = c->app->conf;
    struct net_answer answer;
    const char *body, *why;
    struct json *all;

    static_assert(RERANK_DEPTH <= 64);
    if (str_empty(conf->recall_rerank_url))
        return fail(c, ERR_UNAVAILABLE, "no rerank server is configured");
    if (n == 0)
        return ERR_OK;
    body = request_body(c, query, texts, n);
    TRY(net_ask(c,
                &(struct net_request){ .url = rerank_http_address(c), .body = { body, strlen(body) }, .bearer = conf->recall_rerank_key,
                                       .ms = conf->recall_rerank_ms, .max = ANSWER_BYTES,
                                       .may_be_private = conf->recall_rerank_private },
                &answer));
    if (answer.status != 200 || json_parse(c->arena, answer.body.p, answer.body.n, &all, &why) != JSON_OK)
        return fail(c, ERR_PROVIDER, "the rerank server answered status %d, or not JSON", answer.status);
    if (!read_scores(json_is(all, JSON_OBJ) ? json_get(all, "results") : all, n, scores))
        return fail(c, ERR_PROVIDER, "the rerank server did not score every text once");
    scale(scores, n);
    return ERR_OK;
}
