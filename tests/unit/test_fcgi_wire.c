/* FastCGI record by record: a request in pieces of any size, what is no request, and the answer's records. */
#include "fcgi_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bytes_of {
    unsigned char data[8192];
    size_t n;
};

static void record(struct bytes_of *b, int type, int request, const void *p, size_t n, size_t padding)
{
    unsigned char head[8] = {1, (unsigned char)type, (unsigned char)(request >> 8), (unsigned char)request, (unsigned char)(n >> 8),
                             (unsigned char)n, (unsigned char)padding, 0};

    memcpy(b->data + b->n, head, 8);
    if (n)
        memcpy(b->data + b->n + 8, p, n);
    memset(b->data + b->n + 8 + n, 0xaa, padding);
    b->n += 8 + n + padding;
}

/* REQUEST_METHOD = GET, and a header field whose length takes four bytes. */
static void request(struct bytes_of *b)
{
    static const unsigned char BEGIN[8] = {0, 1, 0};
    unsigned char params[512] = {14, 3};
    size_t n = 2;

    memcpy(params + n, "REQUEST_METHODGET", 17);
    n += 17;
    params[n++] = 6;
    params[n++] = 0x80;
    params[n++] = 0;
    params[n++] = 1;
    params[n++] = 0x2c; /* 300 */
    memcpy(params + n, "HTTP_X", 6);
    memset(params + n + 6, 'v', 300);
    n += 306;
    record(b, 1, 7, BEGIN, sizeof BEGIN, 0);
    record(b, 4, 7, params, 100, 4);
    record(b, 4, 7, params + 100, n - 100, 0);
    record(b, 4, 7, "", 0, 0);
    record(b, 5, 7, "body", 4, 4);
    record(b, 5, 7, "", 0, 0);
}

static const char *value_of(const struct fcgi_pair *p, const char *name)
{
    for (; p; p = p->next)
        if (strcmp(p->name, name) == 0)
            return p->value;
    return NULL;
}

/* Each piece on a buffer of its exact size, so that a sanitizer sees a byte too many. */
static enum fcgi_state feed(struct fcgi_wire *w, const unsigned char *p, size_t n)
{
    unsigned char *own = malloc(n ? n : 1);
    enum fcgi_state state;

    assert_non_null(own);
    memcpy(own, p, n);
    state = fcgi_wire_take(w, own, n);
    free(own);
    return state;
}

static void in_pieces_of_any_size(void **unused)
{
    struct bytes_of b = {.n = 0};

    (void)unused;
    request(&b);
    for (size_t size = 1; size <= b.n; size++) {
        struct fcgi_wire w = {0};
        struct arena *a = arena_new(1 << 20);
        enum fcgi_state state = FCGI_MORE;
        const struct fcgi_pair *pairs;
        size_t at = 0;

        for (; at < b.n && state == FCGI_MORE; at += size)
            state = feed(&w, b.data + at, b.n - at < size ? b.n - at : size);
        assert_int_equal(state, FCGI_WHOLE);
        pairs = fcgi_wire_params(&w, a);
        assert_string_equal(value_of(pairs, "REQUEST_METHOD"), "GET");
        assert_int_equal(strlen(value_of(pairs, "HTTP_X")), 300);
        assert_null(value_of(pairs, "HTTP_Y"));
        fcgi_wire_done(&w);
        arena_free(a);
    }
}

static void what_is_no_request(void **unused)
{
    static const unsigned char BEGIN[8] = {0, 1, 0}, AUTHORIZER[8] = {0, 2, 0};
    struct bytes_of wrong[6] = {{.n = 0}};

    (void)unused;
    record(&wrong[0], 4, 7, "x", 1, 0); /* before it begins */
    record(&wrong[1], 1, 7, AUTHORIZER, 8, 0);
    record(&wrong[2], 1, 7, BEGIN, 8, 0);
    record(&wrong[2], 4, 8, "x", 1, 0); /* of another one */
    record(&wrong[3], 1, 7, BEGIN, 8, 0);
    record(&wrong[3], 2, 7, "", 0, 0); /* taken back */
    record(&wrong[4], 1, 7, BEGIN, 3, 0);
    request(&wrong[5]);
    wrong[5].data[0] = 2; /* another version */
    for (size_t i = 0; i < 6; i++) {
        struct fcgi_wire w = {0};

        assert_int_equal(feed(&w, wrong[i].data, wrong[i].n), FCGI_BROKEN);
        fcgi_wire_done(&w);
    }
}

static void lengths_that_lie(void **unused)
{
    static const unsigned char PARAMS[][6] = {{200, 0}, {1, 200, 'a'}, {0x80, 0, 0}, {0xff, 0xff, 0xff, 0xff, 1, 'a'},
                                              {1, 0x80, 0, 0, 9, 'a'}};

    (void)unused;
    for (size_t i = 0; i < sizeof PARAMS / sizeof *PARAMS; i++)
        for (size_t n = 1; n <= sizeof *PARAMS; n++) {
            struct fcgi_wire w = {0};
            struct arena *a = arena_new(1 << 20);

            w.params = malloc(n);
            memcpy(w.params, PARAMS[i], n);
            w.n_params = n;
            assert_true(fcgi_wire_params(&w, a) == NULL || n < sizeof *PARAMS);
            fcgi_wire_done(&w);
            arena_free(a);
        }
}

static void more_than_it_may_have(void **unused)
{
    static const unsigned char BEGIN[8] = {0, 1, 0};
    struct bytes_of b = {.n = 0}, more = {.n = 0};
    struct fcgi_wire w = {0};
    enum fcgi_state state;
    char filler[4096];

    (void)unused;
    memset(filler, 'x', sizeof filler);
    record(&b, 1, 7, BEGIN, 8, 0);
    record(&more, 4, 7, filler, sizeof filler, 0);
    state = feed(&w, b.data, b.n);
    for (size_t n = 0; n < FCGI_WIRE_MAX; n += sizeof filler) {
        assert_int_equal(state, FCGI_MORE);
        state = feed(&w, more.data, more.n);
    }
    assert_int_equal(state, FCGI_MORE);
    assert_int_equal(feed(&w, more.data, more.n), FCGI_BROKEN);
    fcgi_wire_done(&w);
}

/* Large answers are cut into records; what was sent makes room. */
static void the_answer(void **unused)
{
    size_t size = 200000, got = 0, ends = 0;
    char *text = malloc(size);
    struct fcgi_wire w = {.request = 7};

    (void)unused;
    memset(text, 'y', size);
    fcgi_wire_write(&w, "gone", 4);
    w.sent = w.n_out;
    fcgi_wire_write(&w, text, size);
    fcgi_wire_end(&w);
    for (size_t at = 0; at < w.n_out;) {
        size_t n = (size_t)w.out[at + 4] << 8 | w.out[at + 5];

        assert_int_equal(w.out[at + 3], 7);
        got += w.out[at + 1] == 6 ? n : 0;
        ends += w.out[at + 1] == 3;
        at += 8 + n + w.out[at + 6];
        assert_true(at <= w.n_out);
    }
    assert_int_equal(got, size);
    assert_int_equal(ends, 1);
    fcgi_wire_done(&w);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_pieces_of_any_size),
        cmocka_unit_test(what_is_no_request),
        cmocka_unit_test(lengths_that_lie),
        cmocka_unit_test(more_than_it_may_have),
        cmocka_unit_test(the_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
