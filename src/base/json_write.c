/* Writes JSON trees through yajl's generator. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "json.h"

static void print(void *ctx, const char *s, size_t n)
{
    buf_add(ctx, s, n);
}

/* '<' stands only inside strings; without it no text can open a comment or a tag, or close the script block. */
static void print_for_html(void *ctx, const char *s, size_t n)
{
    for (const char *end = s + n, *at; s < end; s = at) {
        at = memchr(s, '<', (size_t)(end - s));
        at = at ? at : end;
        buf_add(ctx, s, (size_t)(at - s));
        if (at < end) {
            buf_puts(ctx, "\\u003c");
            at++;
        }
    }
}

static void number(yajl_gen g, const char *text)
{
    yajl_gen_number(g, text, strlen(text));
}

/* The digits of v in front of `end`; where they begin. */
static char *digits_before(char *end, uint64_t v)
{
    do
        *--end = (char)('0' + v % 10);
    while (v /= 10);
    return end;
}

static uint64_t magnitude(int64_t i)
{
    return i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
}

static void integer(yajl_gen g, int64_t i)
{
    char text[24], *end = text + sizeof text, *at = digits_before(end, magnitude(i));

    if (i < 0)
        *--at = '-';
    yajl_gen_number(g, at, (size_t)(end - at));
}

/* Most numbers have few decimals: i / 10000 is rounded as reading the decimal text would be, so the text is exact. */
static bool few_decimals(yajl_gen g, double v)
{
    double scaled = v * 10000;
    int64_t i;
    char text[40], *end = text + sizeof text, *at;

    if (!(fabs(scaled) < 1e15))
        return false;
    i = llrint(scaled);
    if ((double)i / 10000 < v || (double)i / 10000 > v || (i == 0 && signbit(v)))
        return false;
    if (i % 10000 == 0) {
        integer(g, i / 10000);
        return true;
    }
    at = digits_before(end, magnitude(i) % 10000);
    while (end - at < 4)
        *--at = '0';
    while (end[-1] == '0')
        end--;
    *--at = '.';
    at = digits_before(at, magnitude(i) / 10000);
    if (i < 0)
        *--at = '-';
    yajl_gen_number(g, at, (size_t)(end - at));
    return true;
}

/* The shortest of 15 to 17 digits that reads back as the same number; 17 always do. */
static void real(yajl_gen g, double v)
{
    char text[40];
    double back = 0;

    if (few_decimals(g, v))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        back = digits < 17 ? strtod(text, NULL) : v;
        if (!(back < v) && !(back > v))
            break;
    }
    number(g, text);
}

static void value(yajl_gen g, const struct json *j);

static void children(yajl_gen g, const struct json *j)
{
    bool object = j->type == JSON_OBJ;

    object ? yajl_gen_map_open(g) : yajl_gen_array_open(g);
    for (struct json *m = j->first; m; m = m->next) {
        if (object)
            yajl_gen_string(g, (const unsigned char *)m->key, strlen(m->key));
        value(g, m);
    }
    object ? yajl_gen_map_close(g) : yajl_gen_array_close(g);
}

static void value(yajl_gen g, const struct json *j)
{
    switch (j->type) {
    case JSON_NULL:
        yajl_gen_null(g);
        break;
    case JSON_BOOL:
        yajl_gen_bool(g, j->b);
        break;
    case JSON_INT:
        integer(g, j->i);
        break;
    case JSON_NUM:
        j->s ? number(g, j->s) : real(g, j->d);
        break;
    case JSON_STR:
        yajl_gen_string(g, (const unsigned char *)j->s, j->len);
        break;
    case JSON_RAW:
        number(g, j->s);
        break;
    case JSON_ARR:
    case JSON_OBJ:
        children(g, j);
        break;
    }
}

static void *take(void *ctx, size_t n)
{
    (void)ctx;
    return arena_alloc(ctx, n);
}

static void *more(void *ctx, void *p, size_t n)
{
    (void)ctx;
    (void)p;
    (void)n;
    abort();        /* the generator never enlarges: it prints through our callback */
}

static void leave(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

static void generate(struct buf *out, const struct json *j, bool for_html, bool pretty)
{
    yajl_alloc_funcs funcs = {take, more, leave, out->arena};
    yajl_gen g = yajl_gen_alloc(&funcs);

    assert(g);
    yajl_gen_config(g, yajl_gen_print_callback, for_html ? print_for_html : print, out);
    if (pretty) {
        yajl_gen_config(g, yajl_gen_beautify, 1);
        yajl_gen_config(g, yajl_gen_indent_string, "  ");
    }
    value(g, j);
    yajl_gen_free(g);
}

void json_write(struct buf *out, const struct json *j, bool for_html)
{
    generate(out, j, for_html, false);
}

const char *json_text(struct arena *a, const struct json *j)
{
    struct buf b;

    buf_init(&b, a, 256);
    generate(&b, j, false, false);
    return buf_str(&b);
}

const char *json_text_pretty(struct arena *a, const struct json *j)
{
    struct buf b;

    buf_init(&b, a, 256);
    generate(&b, j, false, true);
    return buf_str(&b);
}
