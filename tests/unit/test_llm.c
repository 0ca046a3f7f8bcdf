/* Asking a language model: the shape of its answers, its time box, its budget, and all that can be wrong with it. */
#include "graphtest.h"

#include "account.h"
#include "config.h"
#include "fake_http.h"
#include "llm.h"
#include "llm_schema.h"

static struct fake_http *fake;
static struct config conf;
static char url[80];

static struct {
    char body[1 << 16], path[64], authorization[64];
    struct fake_reply reply;
} seen;

static void answer(const struct fake_request *q, struct fake_reply *r)
{
    snprintf(seen.body, sizeof seen.body, "%s", q->body);
    snprintf(seen.path, sizeof seen.path, "%s", q->path);
    snprintf(seen.authorization, sizeof seen.authorization, "%s", q->authorization);
    *r = seen.reply;
}

#define SCHEMA \
    "{\"type\":\"object\",\"required\":[\"grade\",\"why\"],\"additionalProperties\":false,\"properties\":{" \
    "\"grade\":{\"type\":\"number\",\"minimum\":-1,\"maximum\":1},\"why\":{\"type\":\"string\",\"maxLength\":20}," \
    "\"kind\":{\"enum\":[\"a\",\"b\"]},\"ids\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"integer\"}}}}"

static struct llm_answer ask_with(const char *user, int ms)
{
    struct llm_answer a;

    llm_ask(&test, &(struct llm_ask){.purpose = "grade", .system = "Judge.", .user = user, .schema = test_json(SCHEMA), .ms = ms,
                                     .max_tokens = 100}, &a);
    assert_null(test.fault.message);
    return a;
}

static struct llm_answer ask(void)
{
    return ask_with("Is it so?", 10000); /* for the answers that come; valgrind is slow */
}

/* What a server says when the model wrote this; 30 tokens. */
static const char *wrote(const char *content)
{
    static char text[1024]; /* it outlives the request */
    struct json *all = test_json("{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\"}}],\"usage\":{\"total_tokens\":30}}");

    json_set_str(test.arena, json_get(json_get(all, "choices")->first, "message"), "content", content);
    snprintf(text, sizeof text, "%s", json_text(test.arena, all));
    return text;
}

static int64_t used(void)
{
    struct llm_budget b;

    OK(llm_budget(&test, &b));
    return b.used;
}

/* Questions of the hour, and those of them that failed. */
static void hour_is(int64_t calls, int64_t failed)
{
    scoped_cursor q = {0};
    int64_t n, bad;
    bool found;

    OK(db_query(&test, &q, "SELECT hour_calls, hour_failed FROM llm_usage WHERE hour = ?", IN(test.now.us / (3600 * SECOND_US))));
    OK(db_row(&q, &test, &found, OUT(&n), OUT(&bad)));
    assert_int_equal(n, calls);
    assert_int_equal(bad, failed);
}

static void use_fake(void)
{
    snprintf(url, sizeof url, "%s/", fake_http_url(fake));
    conf.llm_url = url;
}

static void begin(void)
{
    act(OWNER);
    conf = *test_conf;
    use_fake();
    conf.llm_model = "a-model";
    conf.llm_key = "secret";
    conf.llm_private_addresses = true;
    test_app.conf = &conf;
    memset(&seen, 0, sizeof seen);
    OK(db_run_text(&test, "DELETE FROM llm_usage", 21));
}

static void an_answer_of_the_shape_asked_for(void **state)
{
    struct llm_answer a;

    (void)state;
    begin();
    seen.reply.body = wrote("{\"grade\":0.5,\"why\":\"because\",\"kind\":\"b\",\"ids\":[1,2]}");
    a = ask();
    assert_int_equal(a.used, LLM_USED_LLM);
    assert_string_equal(json_get_str(a.json, "why"), "because");
    assert_int_equal(a.tokens, 30);
    assert_int_equal(used(), 30);
    assert_string_equal(seen.path, "/v1/chat/completions");
    assert_string_equal(seen.authorization, "Bearer secret");
    assert_non_null(strstr(seen.body, "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"grade\""));
    assert_non_null(strstr(seen.body, "{\"role\":\"user\",\"content\":\"Is it so?\"}"));
    seen.reply.body = wrote("\n```json\n{\"grade\":-1,\"why\":\"\"}\n```\n");
    assert_int_equal(ask().used, LLM_USED_LLM);
    assert_int_equal(used(), 60);
}

static void answers_of_another_shape(void **state)
{
    static const char *const WROTE[] = {
        "", "so it is", "{", "[]", "{}", "{\"grade\":2,\"why\":\"x\"}", "{\"grade\":\"0\",\"why\":\"x\"}", "{\"grade\":0}",
        "{\"grade\":0,\"why\":\"longer than the twenty allowed\"}", "{\"grade\":0,\"why\":\"x\",\"more\":1}",
        "{\"grade\":0,\"why\":\"x\",\"kind\":\"c\"}", "{\"grade\":0,\"why\":\"x\",\"ids\":[1,2,3]}",
        "{\"grade\":0,\"why\":\"x\",\"ids\":[1.5]}", "{\"grade\":0,\"why\":\"x\"} and more"};
    static const char *const SAID[] = {"", "no json", "{}", "{\"choices\":[]}", "{\"choices\":[{\"message\":{\"content\":null}}]}",
                                       "{\"choices\":{\"message\":{\"content\":\"{}\"}}}", "[1,2"};

    (void)state;
    begin();
    for (size_t i = 0; i < sizeof WROTE / sizeof *WROTE; i++) {
        struct llm_answer a;

        seen.reply.body = wrote(WROTE[i]);
        a = ask();
        if (a.used != LLM_USED_BAD_ANSWER)
            print_error("%s\n", WROTE[i]);
        assert_int_equal(a.used, LLM_USED_BAD_ANSWER);
        assert_null(a.json);
        assert_non_null(a.why);
    }
    assert_int_equal(used(), 30 * (int64_t)(sizeof WROTE / sizeof *WROTE)); /* they cost all the same */
    for (size_t i = 0; i < sizeof SAID / sizeof *SAID; i++) {
        seen.reply.body = SAID[i];
        assert_int_equal(ask().used, LLM_USED_BAD_ANSWER);
    }
}

static void a_server_that_is_slow_large_or_away(void **state)
{
    int64_t before = clock_monotonic_us();

    (void)state;
    begin();
    seen.reply = (struct fake_reply){.body = wrote("{\"grade\":0,\"why\":\"x\"}"), .delay_ms = 6000};
    assert_int_equal(ask_with("?", 300).used, LLM_USED_TIMEOUT);
    assert_true(clock_monotonic_us() - before < 4000 * 1000);
    fake_http_stop(fake); /* which still waits */
    fake = fake_http_start(answer);
    use_fake();
    test.deadline_us = clock_monotonic_us() + 2000 * 1000; /* the request's own end is nearer */
    assert_int_equal(ask_with("?", 9000).used, LLM_USED_TIMEOUT);
    assert_true(clock_monotonic_us() < test.deadline_us);
    test.deadline_us = 0;
    fake_http_stop(fake);
    fake = fake_http_start(answer);
    use_fake();
    seen.reply = (struct fake_reply){.body = "{}", .filler = 1u << 20};
    assert_int_equal(ask_with("?", 10000).used, LLM_USED_FAILED);
    seen.reply = (struct fake_reply){.hang_up = 1};
    assert_int_equal(ask().used, LLM_USED_FAILED);
    for (int status = 400; status <= 503; status += status == 400 ? 1 : status == 401 ? 28 : 37) {
        seen.reply = (struct fake_reply){.status = status, .body = "{\"error\":\"no\"}"};
        assert_int_equal(ask().used, LLM_USED_FAILED);
    }
    conf.llm_private_addresses = false;
    assert_int_equal(ask().used, LLM_USED_FAILED);
}

static void too_long_a_question(void **state)
{
    char *text;

    (void)state;
    begin();
    text = arena_alloc(test.arena, LLM_PROMPT_MAX + 1);
    memset(text, 'x', LLM_PROMPT_MAX);
    assert_int_equal(ask_with(text, 300).used, LLM_USED_FAILED);
    assert_int_equal(used(), 0);
}

static void settings(const char *text)
{
    struct account a;

    OK(account_update(&test, &(struct account_patch){.set = ACCOUNT_SET_SETTINGS, .settings = test_json(text)}, &a));
}

static void the_budget_of_the_day(void **state)
{
    struct llm_budget b;

    (void)state;
    within_day();
    begin();
    seen.reply.body = wrote("{\"grade\":0,\"why\":\"x\"}");
    settings("{\"llm\":{\"daily_tokens\":420}}");
    assert_int_equal(ask().used, LLM_USED_LLM); /* 170 are reserved for each, 30 are used */
    for (int i = 0; i < 8; i++)
        assert_int_equal(ask().used, LLM_USED_LLM);
    assert_int_equal(used(), 270);
    assert_int_equal(ask().used, LLM_USED_BUDGET);
    assert_int_equal(used(), 270);
    act(STRANGER); /* another account has its own */
    assert_int_equal(ask().used, LLM_USED_LLM);
    act(OWNER); /* another process would read the same row */
    assert_int_equal(ask().used, LLM_USED_BUDGET);
    OK(llm_budget(&test, &b));
    assert_int_equal(b.limit, 420);
    days_pass(1);
    act(OWNER);
    assert_int_equal(ask().used, LLM_USED_LLM);
    settings("{\"llm\":{\"enabled\":false}}");
    assert_int_equal(ask().used, LLM_USED_RULES);
    settings("{\"llm\":null}");
    assert_int_equal(ask().used, LLM_USED_LLM);
}

static void what_failed_within_the_hour(void **state)
{
    (void)state;
    within_day();
    begin();
    seen.reply.body = wrote("{\"grade\":0,\"why\":\"x\"}");
    assert_int_equal(ask().used, LLM_USED_LLM);
    seen.reply = (struct fake_reply){.status = 500};
    assert_int_equal(ask().used, LLM_USED_FAILED);
    hour_is(2, 1);
    test.now.us += 3600 * SECOND_US;
    assert_int_equal(ask().used, LLM_USED_FAILED);
    hour_is(1, 1);
}

static void what_a_call_costs_that_never_ended(void **state)
{
    (void)state;
    begin();
    seen.reply = (struct fake_reply){.body = "{}", .delay_ms = 2000};
    assert_int_equal(ask_with("Is it so?", 300).used, LLM_USED_TIMEOUT);
    assert_int_equal(used(), 169); /* the server may have done all of it */
    seen.reply = (struct fake_reply){.status = 500};
    assert_int_equal(ask().used, LLM_USED_FAILED);
    assert_int_equal(used(), 169);
}

static void nothing_configured(void **state)
{
    int before = fake_http_count(fake);

    (void)state;
    begin();
    conf.llm_url = "";
    assert_false(llm_is_configured(&test));
    assert_int_equal(ask().used, LLM_USED_RULES);
    assert_int_equal(fake_http_count(fake), before);
}

static int group_begins(void **state)
{
    fake = fake_http_start(answer);
    return graph_group_begins(state);
}

static int group_ends(void **state)
{
    fake_http_stop(fake);
    return graph_group_ends(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_of_the_shape_asked_for), cmocka_unit_test(answers_of_another_shape),
        cmocka_unit_test(a_server_that_is_slow_large_or_away), cmocka_unit_test(too_long_a_question),
        cmocka_unit_test(the_budget_of_the_day), cmocka_unit_test(what_a_call_costs_that_never_ended),
        cmocka_unit_test(what_failed_within_the_hour),
        cmocka_unit_test(nothing_configured),
    };

    return cmocka_run_group_tests(tests, group_begins, group_ends);
}
