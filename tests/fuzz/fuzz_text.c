/* Fuzzes the small readers: instants, numbers, base64url, hex; what they take, they give back the same. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void instants(const char *s)
{
    struct instant t, back;
    char text[INSTANT_TEXT];

    if (!instant_parse(s, &t))
        return;
    assert(t.us > 0);
    instant_text(t, text);
    assert(strlen(text) == INSTANT_TEXT - 1 && instant_parse(text, &back) && back.us == t.us);
    assert(civil_instant(instant_civil(t)).us == t.us);
}

static void numbers(struct arena *a, const char *s)
{
    int64_t i, back;
    double d;
    bool b;

    if (str_to_i64(s, &i))
        assert(str_to_i64(arena_printf(a, "%" PRId64, i), &back) && back == i);
    if (str_to_double(s, &d))
        assert(isfinite(d));
    (void)str_to_bool(s, &b);
}

static void base64url(struct arena *a, const char *s, const uint8_t *data, size_t size)
{
    struct bytes got;

    if (b64url_decode(a, s, &got))
        assert(strcmp(b64url_encode(a, got.p, got.n), s) == 0); /* one text for each value */
    assert(b64url_decode(a, b64url_encode(a, data, size), &got));
    assert(got.n == size && (!size || memcmp(got.p, data, size) == 0));
}

static void hex(struct arena *a, const char *s)
{
    size_t n = strlen(s);
    uint8_t *bytes = arena_alloc(a, n / 2 + 1);
    char *text = arena_alloc(a, n + 2);

    if (!hex_decode(s, n, bytes))
        return;
    hex_encode(bytes, n / 2, text);
    assert(strcasecmp(text, s) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new(64 << 20);
    const char *s = arena_strndup(a, (const char *)data, size);

    instants(s);
    numbers(a, s);
    base64url(a, s, data, size);
    hex(a, s);
    if (str_is_utf8((const char *)data, size))
        assert(str_code_points((const char *)data, size) <= size);
    if (str_is_slug(s))
        assert(strlen(s) <= 100 && str_is_utf8(s, strlen(s)));
    arena_free(a);
    return 0;
}
