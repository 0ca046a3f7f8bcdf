/* Embedding servers over HTTP: what is asked, what is made of the answers, and what of everything that is no answer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours comes with ctx.h */

#include "app.h"
#include "config.h"
#include "embed.h"
#include "embed_http.h"
#include "fake_http.h"
#include "json.h"
#include "simd.h"

static struct ctx c;
static struct http_embedder server;
static struct fake_http *fake;

static struct {
    void (*answer)(const struct json *q, struct fake_reply *r);
    char path[64], authorization[64], body[1 << 16];
    char text[1 << 16];                  /* of the last reply */
    int asked;
} seen;

static struct arena *fake_arena;

/* Its vector of a text: (length, 1 if it has an x, 2, 0). */
static void put_vector(const char *text, char *to, size_t room)
{
    snprintf(to, room, "[%zu,%d,2,0]", strlen(text), strchr(text, 'x') ? 1 : 0);
}

static const struct json *texts_of(const struct json *q)
{
    return json_get(q, "input") ? json_get(q, "input") : json_get(q, "inputs");
}

static void reply(const struct fake_request *q, struct fake_reply *r)
{
    struct json *tree = NULL;
    const char *why;

    snprintf(seen.path, sizeof seen.path, "%s", q->path);
    snprintf(seen.authorization, sizeof seen.authorization, "%s", q->authorization);
    snprintf(seen.body, sizeof seen.body, "%s", q->body);
    seen.asked++;
    arena_reset(fake_arena);
    if (json_parse(fake_arena, q->body, strlen(q->body), &tree, &why) != JSON_OK) {
        r->status = 400;
        return;
    }
    r->body = seen.text;
    seen.answer(tree, r);
}

/* In the order of the texts, or, for OpenAI, backwards with their index. */
static void well(const struct json *q, struct fake_reply *r)
{
    const struct json *texts = texts_of(q);
    size_t n = 0, i = 0;
    char one[64];
    bool openai = server.api == API_OPENAI;

    (void)r;
    n += (size_t)snprintf(seen.text, sizeof seen.text, "%s", server.api == API_TEI ? "[" : openai ? "{\"data\":[" : "{\"embeddings\":[");
    for (i = 0; i < texts->len; i++) {
        const struct json *t = texts->first;
        size_t at = openai ? texts->len - 1 - i : i;

        for (size_t k = 0; k < at; k++)
            t = t->next;
        put_vector(t->s, one, sizeof one);
        n += (size_t)snprintf(seen.text + n, sizeof seen.text - n, openai ? "%s{\"index\":%zu,\"embedding\":%s}" : "%s%.0zu%s",
                              i ? "," : "", openai ? at : (size_t)0, one);
    }
    snprintf(seen.text + n, sizeof seen.text - n, "%s", server.api == API_TEI ? "]" : "]}");
}

static err ask(const char *const *texts, size_t n, size_t dim, struct embedded *out)
{
    seen.asked = 0;
    return embed_http(&c, &server, "test-model", dim, texts, n, out);
}

static int begin(void **state)
{
    static const char *const PATH[] = {"/v1/embeddings", "/api/embed", "/embed"};

    (void)state;
    memset(&seen, 0, sizeof seen);
    seen.answer = well;
    c = (struct ctx){.arena = request_arena_new()};
    ctx_begin(&c, 0);
    fake_arena = arena_new(16u << 20);
    fake = fake_http_start(reply);
    server = (struct http_embedder){.api = API_OPENAI, .url = arena_printf(c.arena, "%s%s", fake_http_url(fake), PATH[0]), .key = "k-1",
                                    .may_be_private = true, .timeout_ms = 10000, .batch = 4, .window = 100};
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_http_stop(fake);
    arena_free(fake_arena);
    arena_free(c.arena);
    return 0;
}

static void expect_vector(const struct embedded *e, size_t i, double a, double b)
{
    double length = sqrt(a * a + b * b + 4);
    const float *v = e->vectors + i * e->dim;

    assert_true(e->has[i]);
    assert_int_equal(e->dim, 4);
    assert_true(fabs((double)v[0] - a / length) < 1e-6 && fabs((double)v[1] - b / length) < 1e-6 && fabs((double)v[2] - 2 / length) < 1e-6);
}

static void three_kinds_of_server(void **state)
{
    static const char *const TEXTS[] = {"a word", "with x", "the third of\t\nthem "};
    struct embedded e;

    (void)state;
    for (int api = API_OPENAI; api <= API_TEI; api++) {
        server.api = (enum embed_api)api;
        assert_int_equal(ask(TEXTS, 3, 0, &e), ERR_OK);
        expect_vector(&e, 0, 6, 0);
        expect_vector(&e, 1, 6, 1);
        expect_vector(&e, 2, 17, 0); /* white space is one space, at the end none */
        assert_int_equal(seen.asked, 1);
        assert_string_equal(seen.authorization, "Bearer k-1");
        assert_string_equal(e.precision, "f32");
    }
    assert_non_null(strstr(seen.body, "\"truncate\":true"));
}

static void batches_and_empty_texts(void **state)
{
    static const char *const TEXTS[] = {"a", "", "x", " \n ", "bb", "ccc", "dddd", "x5"};
    struct embedded e;

    (void)state;
    assert_int_equal(ask(TEXTS, 8, 4, &e), ERR_OK);
    assert_int_equal(seen.asked, 2); /* six texts, four at once */
    expect_vector(&e, 0, 1, 0);
    expect_vector(&e, 6, 4, 0);
    expect_vector(&e, 7, 2, 1);
    assert_false(e.has[1] || e.has[3]);
    assert_int_equal(ask(TEXTS + 1, 1, 0, &e), ERR_OK);
    assert_int_equal(seen.asked, 0);
    assert_false(e.has[0]);
}

static void long_texts_are_split_at_sentences(void **state)
{
    /* two sentences of 60 and 41 bytes do not fit in one window of 100 */
    const char *text = "Aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa. xaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa.";
    const char *const one[] = {text};
    double a[2] = {60 / sqrt(3604), 40 / sqrt(1605)}, x[2] = {0, 1 / sqrt(1605)}, two[2] = {2 / sqrt(3604), 2 / sqrt(1605)};
    double v[3] = {60 * a[0] + 40 * a[1], 40 * x[1], 60 * two[0] + 40 * two[1]}, n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    struct embedded e;

    (void)state;
    assert_int_equal(ask(one, 1, 0, &e), ERR_OK);
    assert_non_null(strstr(seen.body, "aaa.\",\"xaaa"));
    for (int i = 0; i < 3; i++)
        assert_true(fabs((double)e.vectors[i] - v[i] / n) < 1e-5);
}

static void refuse_x(const struct json *q, struct fake_reply *r)
{
    for (const struct json *t = texts_of(q)->first; t; t = t->next)
        if (strchr(t->s, 'x')) {
            r->status = 400;
            return;
        }
    well(q, r);
}

static void only_the_text_to_blame_is_left_out(void **state)
{
    static const char *const TEXTS[] = {"a", "bb", "x", "dddd"};
    struct embedded e;

    (void)state;
    seen.answer = refuse_x;
    assert_int_equal(ask(TEXTS, 4, 0, &e), ERR_OK);
    expect_vector(&e, 0, 1, 0);
    expect_vector(&e, 3, 4, 0);
    assert_false(e.has[2]);
    assert_int_equal(ask(TEXTS + 2, 1, 0, &e), ERR_PROVIDER); /* all of them: the server does not do it */
}

static void twice_busy(const struct json *q, struct fake_reply *r)
{
    if (seen.asked < 3)
        r->status = seen.asked == 1 ? 503 : 429;
    else
        well(q, r);
}

static void busy(const struct json *q, struct fake_reply *r)
{
    (void)q;
    r->status = 429;
    r->headers = "Retry-After: 120\r\n";
}

static void what_passes_is_tried_again(void **state)
{
    static const char *const TEXTS[] = {"a"};
    struct embedded e;

    (void)state;
    seen.answer = twice_busy;
    assert_int_equal(ask(TEXTS, 1, 0, &e), ERR_OK);
    assert_int_equal(seen.asked, 3);
    seen.answer = busy; /* longer than it may wait: at once, and it says how long */
    assert_int_equal(ask(TEXTS, 1, 0, &e), ERR_PROVIDER);
    assert_int_equal(seen.asked, 1);
    assert_int_equal(c.fault.retry_after_s, 120);
}

static void slow(const struct json *q, struct fake_reply *r)
{
    well(q, r);
    r->delay_ms = 6000;
}

static void no_longer_than_the_deadline(void **state)
{
    static const char *const TEXTS[] = {"a"};
    struct embedded e;
    int64_t began = clock_monotonic_us();

    (void)state;
    seen.answer = slow;
    c.deadline_us = began + 500 * 1000;
    assert_int_equal(ask(TEXTS, 1, 0, &e), ERR_DEADLINE);
    assert_true(clock_monotonic_us() - began < 4000 * 1000);
}

static const char *WRONG[] = {
    "no json", "{}", "[]", "{\"data\":[]}", "{\"data\":[{\"index\":0}]}", "{\"data\":[{\"index\":0,\"embedding\":[]}]}",
    "{\"data\":[{\"index\":3,\"embedding\":[1,2]}]}", "{\"data\":[{\"index\":0,\"embedding\":[0,0]}]}",
    "{\"data\":[{\"index\":0,\"embedding\":[1e200,1e200]}]}", "{\"data\":[{\"index\":0,\"embedding\":[1,2,3]}]}",
    "{\"data\":[{\"index\":0,\"embedding\":[\"1\",\"2\"]}]}",
};
static size_t wrong_at;

static void wrong(const struct json *q, struct fake_reply *r)
{
    (void)q;
    r->body = WRONG[wrong_at];
}

static void answers_that_are_none(void **state)
{
    static const char *const TEXTS[] = {"a"};
    struct embedded e;

    (void)state;
    seen.answer = wrong;
    for (wrong_at = 0; wrong_at < sizeof WRONG / sizeof *WRONG; wrong_at++) {
        err r;

        ctx_forgive(&c);
        r = ask(TEXTS, 1, 2, &e);
        if (r != ERR_PROVIDER)
            print_error("%s: %d\n", WRONG[wrong_at], (int)r);
        assert_int_equal(r, ERR_PROVIDER);
    }
}

static void huge(const struct json *q, struct fake_reply *r)
{
    (void)q;
    r->body = "{}";
    r->filler = 40u * 1024 * 1024;
}

static void hang_up(const struct json *q, struct fake_reply *r)
{
    (void)q;
    r->hang_up = 1;
}

static void huge_answers_and_none_at_all(void **state)
{
    static const char *const TEXTS[] = {"a"};
    struct embedded e;

    (void)state;
    seen.answer = huge;
    assert_int_equal(ask(TEXTS, 1, 0, &e), ERR_PROVIDER);
    ctx_forgive(&c);
    seen.answer = hang_up;
    assert_int_equal(ask(TEXTS, 1, 0, &e), ERR_PROVIDER);
    assert_int_equal(seen.asked, 3);
    ctx_forgive(&c);
    server.may_be_private = false; /* the rule of net_ask holds here, too */
    assert_int_equal(ask(TEXTS, 1, 0, &e), ERR_PROVIDER);
    assert_int_equal(seen.asked, 0);
}

/* ---- through the interface that the rooms use */

static struct embed *open_with(struct config *conf, const char **why)
{
    char text[256];

    conf->embed_model_file = "/nonexistent/model";
    return embed_open(c.arena, conf, simd_choose("scalar", text, sizeof text), why);
}

static void providers(void **state)
{
    static const char *const TEXTS[] = {"a", "x"};
    const char *why = NULL;
    struct config *conf = config_load(c.arena, NULL, &why);
    struct app app = {.conf = conf};
    struct embed_model m;
    struct embedded e;

    (void)state;
    c.app = &app;
    app.embed = open_with(conf, &why);
    m = embed_default(app.embed);
    assert_int_equal(m.provider, EMBED_BUILTIN);
    assert_int_equal(m.dim, 384);
    assert_non_null(embed_why_not(app.embed, &m)); /* its file is missing: said, not died of */
    assert_int_equal(embed_texts(&c, &m, TEXTS, 2, &e), ERR_UNAVAILABLE);
    ctx_forgive(&c);
    m = embed_of(app.embed, EMBED_NONE, NULL);
    assert_int_equal(embed_texts(&c, &m, TEXTS, 2, &e), ERR_UNAVAILABLE);
    ctx_forgive(&c);

    conf->embed_provider = "http";
    conf->embed_url = arena_printf(c.arena, "%s//", fake_http_url(fake));
    conf->embed_private_addresses = true;
    conf->embed_model = "the-model";
    app.embed = open_with(conf, &why);
    m = embed_default(app.embed);
    assert_int_equal(embed_texts(&c, &m, TEXTS, 2, &e), ERR_OK);
    assert_string_equal(seen.path, "/v1/embeddings");
    assert_non_null(strstr(seen.body, "\"model\":\"the-model\""));
    expect_vector(&e, 1, 1, 1);
    assert_false(embed_is_down(app.embed, &m));
    seen.answer = hang_up;
    assert_int_equal(embed_texts(&c, &m, TEXTS, 2, &e), ERR_PROVIDER);
    assert_true(embed_is_down(app.embed, &m));

    conf->embed_api = "soap";
    assert_null(open_with(conf, &why));
    assert_string_equal(why, "embed.api must be openai, ollama or tei, not 'soap'");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        T(three_kinds_of_server), T(batches_and_empty_texts), T(long_texts_are_split_at_sentences),
        T(only_the_text_to_blame_is_left_out), T(what_passes_is_tried_again), T(no_longer_than_the_deadline), T(answers_that_are_none),
        T(huge_answers_and_none_at_all), T(providers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
