/* What the tests of JSON share: reading from exact-size memory, and repeated pieces of text. */
#ifndef LOCI_TESTS_JSON_HELP_H
#define LOCI_TESTS_JSON_HELP_H

#include <stdlib.h>
#include <string.h>

#include "json.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct arena *arena;

static inline int open_arena(void **unused)
{
    (void)unused;
    arena = arena_new((size_t)1 << 30);
    return 0;
}

static inline int close_arena(void **unused)
{
    (void)unused;
    arena_free(arena);
    return 0;
}

/* Reads from an exact-size heap copy, so that ASan sees any byte read behind the end. */
static inline enum json_fault parse_n(const char *text, size_t n, struct json **out)
{
    char *exact = malloc(n);
    const char *why = NULL;
    struct json *untouched = *out;
    enum json_fault f;

    assert_true(exact || !n);
    if (n)
        memcpy(exact, text, n);
    f = json_parse(arena, exact, n, out, &why);
    free(exact);
    if (f == JSON_OK)
        assert_non_null(*out);
    else
        assert_true(*out == untouched && why && *why);
    return f;
}

static inline enum json_fault parse(const char *text, struct json **out)
{
    return parse_n(text, strlen(text), out);
}

static inline struct json *must(const char *text)
{
    struct json *j = NULL;
    enum json_fault f = parse(text, &j);

    if (f != JSON_OK)
        fail_msg("fault %d: %.100s", (int)f, text);
    return j;
}

static inline char *repeat(const char *piece, size_t times, const char *middle, const char *end_piece)
{
    struct buf b;

    buf_init(&b, arena, 256);
    for (size_t i = 0; i < times; i++)
        buf_puts(&b, piece);
    buf_puts(&b, middle);
    for (size_t i = 0; i < times; i++)
        buf_puts(&b, end_piece);
    buf_puts(&b, "");
    return b.data;
}

#endif
