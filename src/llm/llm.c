/* One question to a chat server, within budget and time box; see llm.h. */
#include "llm.h"

#include <assert.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "db.h"
#include "llm_schema.h"
#include "llm_store.h"
#include "metrics.h"
#include "net.h"

#define TOKENS_OTHERWISE 512
#define BYTES_PER_TOKEN 3 /* fewer than a token has: what is reserved is rather too much */
#define OVERHEAD_TOKENS 64

ENUMX_DEFINE(llm_used, LLM_USED);

static const struct metric ASKS = {"loci_llm_asks_total", METRIC_COUNTER, "questions for a language model, and which way was taken"};
static const struct metric TOKENS = {"loci_llm_tokens_total", METRIC_COUNTER, "tokens that language models were given and gave"};
static const struct metric SECONDS = {"loci_llm_seconds", METRIC_HISTOGRAM, "time that language models took"};

bool llm_is_configured(const struct ctx *c)
{
    return c->app->conf && *c->app->conf->llm_url && *c->app->conf->llm_model;
}

static int64_t llm_today(const struct ctx *c)
{
    return c->now.us / DAY_US;
}

/* What an account says for itself goes before what the installation says. */
static int64_t limit_of(const struct ctx *c, const struct json *settings)
{
    int64_t limit = json_get_int(settings, "daily_tokens", c->app->conf->llm_daily_tokens);

    return limit < 0 ? 0 : limit;
}

err llm_budget(struct ctx *c, struct llm_budget *out)
{
    const struct json *settings;
    int64_t used;

    TRY(llm_store_read(c, llm_today(c), &settings, &used));
    *out = (struct llm_budget){used, limit_of(c, settings)};
    return ERR_OK;
}

/* ---- the question */

static struct json *llm_message(struct arena *a, const char *role, const char *text)
{
    struct json *m = json_obj(a);

    json_set_str(a, m, "role", role);
    json_set_str(a, m, "content", text);
    return m;
}

static struct json *answer_format(struct arena *a, const struct llm_ask *ask)
{
    struct json *f = json_obj(a), *s = json_obj(a);

    json_set_str(a, f, "type", "json_schema");
    json_set(a, f, "json_schema", s);
    json_set_str(a, s, "name", ask->purpose);
    json_set_bool(a, s, "strict", true);
    json_set(a, s, "schema", json_raw(a, json_text(a, ask->schema)));
    return f;
}

static int llm_tokens_of(const struct llm_ask *ask)
{
    return ask->max_tokens ? ask->max_tokens : TOKENS_OTHERWISE;
}

static struct bytes llm_question(struct ctx *c, const struct llm_ask *ask)
{
    struct arena *a = c->arena;
    struct json *q = json_obj(a), *messages = json_arr(a);
    struct buf b;

    json_push(messages, llm_message(a, "system", ask->system));
    json_push(messages, llm_message(a, "user", ask->user));
    json_set_str(a, q, "model", c->app->conf->llm_model);
    json_set(a, q, "messages", messages);
    json_set_int(a, q, "max_tokens", llm_tokens_of(ask));
    json_set_int(a, q, "temperature", 0);
    json_set(a, q, "response_format", answer_format(a, ask));
    buf_init(&b, a, 4096);
    json_write(&b, q, false);
    return (struct bytes){b.data, b.len};
}

static const char *llm_address(struct ctx *c)
{
    const char *base = c->app->conf->llm_url;
    size_t n = strlen(base);

    while (n && base[n - 1] == '/')
        n--;
    return arena_printf(c->arena, "%.*s/v1/chat/completions", (int)n, base);
}

/* Where the request's own end is nearer than the box, its caller keeps a quarter of what is left for its rules. */
static int64_t time_box(const struct ctx *c, const struct llm_ask *ask)
{
    int64_t most = ask->ms ? ask->ms : c->app->conf->llm_timeout_ms, left = net_ms_left(c, most);

    return left < most ? left * 3 / 4 : most;
}

/* ---- the answer */

/* Some models wrap what they were told to write in a fence of Markdown. */
static struct bytes without_fence(const char *text)
{
    const char *end = text + strlen(text);

    text += strspn(text, " \t\r\n");
    if (strncmp(text, "```", 3) != 0)
        return (struct bytes){text, (size_t)(end - text)};
    text += strcspn(text, "\n");
    for (const char *p = end; p > text + 3; p--)
        if (strncmp(p - 3, "```", 3) == 0)
            return (struct bytes){text, (size_t)(p - 3 - text)};
    return (struct bytes){text, (size_t)(end - text)};
}

static void bad(struct llm_answer *out, const char *why)
{
    out->used = LLM_USED_BAD_ANSWER;
    out->why = why;
}

static void llm_read_answer(struct ctx *c, const struct llm_ask *ask, struct bytes body, struct llm_answer *out)
{
    const struct json *choices;
    struct json *all = NULL, *json = NULL;
    const char *why = NULL, *text;
    struct bytes inner;

    if (json_parse(c->arena, body.p, body.n, &all, &why) != JSON_OK)
        return bad(out, "the server's answer is no JSON");
    out->tokens = json_get_int(json_get(all, "usage"), "total_tokens", 0);
    choices = json_get(all, "choices");
    text = json_get_str(json_get(json_is(choices, JSON_ARR) ? choices->first : NULL, "message"), "content");
    if (!text)
        return bad(out, "the server's answer has no message");
    inner = without_fence(text);
    if (json_parse(c->arena, inner.p, inner.n, &json, &why) != JSON_OK)
        return bad(out, arena_printf(c->arena, "the model's answer is no JSON: %s", why));
    why = llm_schema_fault(c->arena, ask->schema, json);
    if (why)
        return bad(out, arena_printf(c->arena, "the model's answer has another shape: %s", why));
    out->used = LLM_USED_LLM;
    out->json = json;
}

static void ask_server(struct ctx *c, const struct llm_ask *ask, struct llm_answer *out)
{
    const struct config *conf = c->app->conf;
    struct net_answer a;
    err e = net_ask(c, &(struct net_request){.url = llm_address(c), .body = llm_question(c, ask), .bearer = conf->llm_key,
                                             .ms = time_box(c, ask), .max = LLM_ANSWER_MAX,
                                             .may_be_private = conf->llm_private_addresses}, &a);

    if (e == ERR_OK && a.status == 200)
        return llm_read_answer(c, ask, a.body, out);
    out->used = e == ERR_DEADLINE ? LLM_USED_TIMEOUT : LLM_USED_FAILED;
    out->why = e == ERR_OK ? arena_printf(c->arena, "the server answered %d", a.status) : c->fault.message;
}

/* ---- the budget */

static int64_t estimate(const struct llm_ask *ask, size_t bytes)
{
    return (int64_t)(bytes / BYTES_PER_TOKEN) + llm_tokens_of(ask) + OVERHEAD_TOKENS;
}

/* What is reserved before the call is there even if this process dies in it; what the call really cost replaces it. */
static err ask_within(struct ctx *c, const struct llm_ask *ask, size_t bytes, struct llm_answer *out)
{
    int64_t day = llm_today(c), reserved = estimate(ask, bytes), used;
    const struct json *settings;
    bool done;

    TRY(llm_store_read(c, day, &settings, &used));
    if (!json_get_bool(settings, "enabled", true))
        return ERR_OK;
    TRY(llm_store_reserve(c, day, reserved, limit_of(c, settings), &done));
    if (!done) {
        out->used = LLM_USED_BUDGET;
        out->why = "the tokens of the day are used up";
        return ERR_OK;
    }
    ask_server(c, ask, out);
    if (out->tokens <= 0 && (out->used == LLM_USED_LLM || out->used == LLM_USED_BAD_ANSWER || out->used == LLM_USED_TIMEOUT))
        out->tokens = reserved; /* it does not say, or nobody knows how far it came */
    ctx_forgive(c);
    return llm_store_settle(c, day, out->tokens - reserved, out->used != LLM_USED_LLM);
}

static void llm_count(struct ctx *c, const struct llm_ask *ask, const struct llm_answer *out, int64_t us)
{
    const char *labels = arena_printf(c->arena, "purpose=\"%s\",used=\"%s\"", ask->purpose,
                                      enumx_name(&llm_used_enumx, (int)out->used));

    if (!c->app->metrics)
        return;
    metrics_add(c->app->metrics, &ASKS, labels, 1);
    if (out->tokens > 0)
        metrics_add(c->app->metrics, &TOKENS, "", (double)out->tokens);
    metrics_observe(c->app->metrics, &SECONDS, "", (double)us / SECOND_US);
}

void llm_ask(struct ctx *c, const struct llm_ask *ask, struct llm_answer *out)
{
    struct fault before = c->fault;
    size_t bytes = strlen(ask->system) + strlen(ask->user);
    int64_t began = clock_monotonic_us();

    *out = (struct llm_answer){.used = LLM_USED_RULES};
    if (!llm_is_configured(c))
        return;
    assert(!db_in_tx(c));
    ctx_forgive(c);
    if (bytes > LLM_PROMPT_MAX)
        *out = (struct llm_answer){.used = LLM_USED_FAILED, .why = "the question is too long"};
    else if (ask_within(c, ask, bytes, out) != ERR_OK && !out->json)
        *out = (struct llm_answer){.used = LLM_USED_FAILED, .why = c->fault.message};
    c->fault = before;
    llm_count(c, ask, out, clock_monotonic_us() - began);
}
