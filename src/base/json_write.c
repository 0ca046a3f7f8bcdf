/* Writes JSON trees through yajl's generator. */
#include <assert.h>
#include <inttypes.h>
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

/* Most numbers have few decimals: i / 10000 is rounded as reading the decimal text would be, so the text is exact. */
static bool few_decimals(yajl_gen g, double v)
{
    double scaled = v * 10000;
    int64_t i;
    char text[40];
    int n;

    if (!(fabs(scaled) < 1e15))
        return false;
    i = llrint(scaled);
    if ((double)i / 10000 < v || (double)i / 10000 > v || (i == 0 && signbit(v)))
        return false;
    n = snprintf(text, sizeof text, "%s%" PRId64 ".%04d", i < 0 ? "-" : "", (i < 0 ? -i : i) / 10000,
                 (int)((i < 0 ? -i : i) % 10000));
    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    text[n] = 0;
    number(g, text);
    return true;
}

/* The shortest of 15 to 17 digits that reads back as the same number. */
static void real(yajl_gen g, double v)
{
    char text[40];

    if (few_decimals(g, v))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (!(strtod(text, NULL) < v) && !(strtod(text, NULL) > v))
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
    char text[24];

    switch (j->type) {
    case JSON_NULL:
        yajl_gen_null(g);
        break;
    case JSON_BOOL:
        yajl_gen_bool(g, j->b);
        break;
    case JSON_INT:
        snprintf(text, sizeof text, "%" PRId64, j->i);
        number(g, text);
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
