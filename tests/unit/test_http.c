/* Exchanges and routing, without a web server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#undef fail

#include "answer.h"
#include "fake_carrier.h"
#include "router.h"

struct bed {
    struct ctx c;
    struct fake_carrier carrier;
    struct exchange x;
};

static int set_up(void **state)
{
    static struct bed bed;

    bed = (struct bed){.c = {.arena = request_arena_new(), .request_id = "r1"}};
    *state = &bed;
    return 0;
}

static int tear_down(void **state)
{
    arena_free(((struct bed *)*state)->c.arena);
    return 0;
}

static void request(struct bed *b, const char *method, const char *uri)
{
    b->carrier.vars[0][0] = "REQUEST_METHOD";
    b->carrier.vars[0][1] = method;
    b->carrier.vars[1][0] = "REQUEST_URI";
    b->carrier.vars[1][1] = uri;
    exchange_begin(&b->x, b->c.arena, &FAKE_IO, &b->carrier);
}

static void nothing(struct ctx *c, struct exchange *x, const struct route *r)
{
    (void)c;
    (void)x;
    (void)r;
}

static const struct route ROUTES[] = {
    {"GET", "/", "root", nothing, NULL},
    {"GET", "/a/:id", "a", nothing, NULL},
    {"PUT", "/a/:id", "a.put", nothing, NULL},
    {"GET", "/a/fixed", "a.fixed", nothing, NULL},
    {"GET", "/a/:id/b/:key", "ab", nothing, NULL},
    {"GET", "/a/fixed/c", "ac", nothing, NULL},
};

static struct router *routes(struct arena *a)
{
    struct router *r = router_new(a);

    for (size_t i = 0; i < sizeof ROUTES / sizeof *ROUTES; i++)
        router_add(r, &ROUTES[i]);
    return r;
}

static const char *found(struct bed *b, const char *method, const char *uri, const char **allow, bool *bad)
{
    const struct route *r;

    request(b, method, uri);
    r = router_find(routes(b->c.arena), &b->x, allow, bad);
    return r ? r->name : "none";
}

static void routing(void **state)
{
    struct bed *b = *state;
    const char *allow;
    bool bad;

    assert_string_equal(found(b, "GET", "/", &allow, &bad), "root");
    assert_string_equal(found(b, "GET", "/a/1?x=/b", &allow, &bad), "a");
    assert_string_equal(b->x.params[0], "1");
    assert_string_equal(found(b, "HEAD", "/a/1", &allow, &bad), "a");
    assert_string_equal(found(b, "GET", "/a/fixed", &allow, &bad), "a.fixed");
    assert_string_equal(found(b, "PUT", "/a/fixed", &allow, &bad), "none");
    assert_string_equal(allow, "GET, HEAD");
    assert_string_equal(found(b, "GET", "/a/fixed/c", &allow, &bad), "ac");
    assert_string_equal(found(b, "GET", "/a/fixed/b/k%2Fl", &allow, &bad), "ab");
    assert_string_equal(b->x.params[0], "fixed");
    assert_string_equal(b->x.params[1], "k/l");
    assert_int_equal(b->x.n_params, 2);
    assert_string_equal(found(b, "GET", "/a/%zz", &allow, &bad), "none");
    assert_true(bad);
    assert_string_equal(found(b, "GET", "/a/%00", &allow, &bad), "none");
    assert_true(bad);
    assert_string_equal(found(b, "GET", "/a/%ff", &allow, &bad), "none");
    assert_true(bad);
    assert_string_equal(found(b, "GET", "/a/", &allow, &bad), "none");
    assert_string_equal(found(b, "GET", "/a", &allow, &bad), "none");
    assert_null(allow);
    assert_string_equal(found(b, "DELETE", "/a/1", &allow, &bad), "none");
    assert_string_equal(allow, "GET, HEAD, PUT");
}

static void pairs(void **state)
{
    struct bed *b = *state;
    struct json *p;

    assert_int_equal(exchange_pairs(&b->c, "a=1&b=x+y%26&a=2&&c&=v", 22, "it", &p), ERR_OK);
    assert_string_equal(json_text(b->c.arena, p), "{\"a\":[\"1\",\"2\"],\"b\":\"x y&\",\"c\":\"\"}");
    assert_int_equal(exchange_pairs(&b->c, "a=%", 3, "it", &p), ERR_BAD_REQUEST);
    assert_int_equal(exchange_pairs(&b->c, "a=%4", 4, "it", &p), ERR_BAD_REQUEST);
    assert_int_equal(exchange_pairs(&b->c, "a=%C3%28", 8, "it", &p), ERR_BAD_REQUEST);
    assert_int_equal(exchange_pairs(&b->c, "", 0, "it", &p), ERR_OK);
}

static void cookies(void **state)
{
    struct bed *b = *state;

    b->carrier.vars[2][0] = "HTTP_COOKIE";
    b->carrier.vars[2][1] = "xa=1; a=2;b=; aa=3; a=4";
    request(b, "GET", "/");
    assert_string_equal(exchange_cookie(&b->x, "a"), "2");
    assert_string_equal(exchange_cookie(&b->x, "aa"), "3");
    assert_null(exchange_cookie(&b->x, "c"));
}

static void bodies(void **state)
{
    struct bed *b = *state;
    struct bytes body;

    b->carrier.vars[2][0] = "CONTENT_LENGTH";
    b->carrier.vars[2][1] = "5";
    b->carrier.body = "hello and what nginx would never send";
    b->carrier.body_len = 5;
    request(b, "POST", "/");
    assert_int_equal(exchange_body(&b->c, &b->x, 5, &body), ERR_OK);
    assert_string_equal(body.p, "hello");
    b->carrier.taken = 0;
    request(b, "POST", "/");
    assert_int_equal(exchange_body(&b->c, &b->x, 4, &body), ERR_TOO_LARGE);
    ctx_forgive(&b->c);
    b->carrier.taken = 2;
    request(b, "POST", "/");
    assert_int_equal(exchange_body(&b->c, &b->x, 5, &body), ERR_BAD_REQUEST);
    ctx_forgive(&b->c);
    b->carrier.vars[2][1] = "";
    b->carrier.taken = 0;
    request(b, "POST", "/");
    assert_int_equal(exchange_body(&b->c, &b->x, 4, &body), ERR_TOO_LARGE);
}

static void problems(void **state)
{
    struct bed *b = *state;

    request(b, "GET", "/");
    answer_problem(&b->c, &b->x, fail_field(&b->c, "/limit", "limit must be 1 to 100"));
    exchange_send(&b->x);
    assert_non_null(strstr(b->carrier.answer, "Status: 422 Unprocessable Content\r\n"));
    assert_non_null(strstr(b->carrier.answer, "Content-Type: application/problem+json\r\n"));
    assert_non_null(strstr(b->carrier.answer, "\"errors\":[{\"pointer\":\"/limit\",\"detail\":\"limit must be 1 to 100\"}]"));
    assert_non_null(strstr(b->carrier.answer, "\"code\":\"VALIDATION_ERROR\""));
}

static void faults_of_ours_stay_inside(void **state)
{
    struct bed *b = *state;

    request(b, "GET", "/");
    answer_problem(&b->c, &b->x, fail(&b->c, ERR_INTERNAL, "column 'secret' of table x"));
    exchange_send(&b->x);
    assert_null(strstr(b->carrier.answer, "secret"));
    assert_non_null(strstr(b->carrier.answer, "\"request_id\":\"r1\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(routing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cookies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bodies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(problems, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_of_ours_stay_inside, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
