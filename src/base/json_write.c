/* Writes JSON trees. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

struct writer {
    struct buf *out;
    bool for_html, pretty;
    size_t depth;
};

/* ---- strings */

/* What stands behind the backslash; 0: the byte stands for itself. '<' stands only inside strings; without it no text can
 * open a comment or a tag, or close the script block. */
static char escape_of(const struct writer *w, unsigned char ch)
{
    switch (ch) {
    case '"': return '"';
    case '\\': return '\\';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\f': return 'f';
    case '\b': return 'b';
    case '<': return w->for_html ? 'u' : 0;
    default: return ch < 0x20 ? 'u' : 0;
    }
}

static void json_write_add_escaped(struct buf *out, char how, unsigned char ch)
{
    static const char HEX[] = "0123456789ABCDEF";

    if (how != 'u')
        buf_add(out, (const char[]){'\\', how}, 2);
    else if (ch == '<')
        buf_puts(out, "\\u003c");
    else
        buf_add(out, (const char[]){'\\', 'u', '0', '0', HEX[ch >> 4], HEX[ch & 15]}, 6);
}

static void json_write_string(struct writer *w, const char *s, size_t n)
{
    const char *end = s + n, *from = s;

    buf_putc(w->out, '"');
    for (; s < end; s++) {
        char how = escape_of(w, (unsigned char)*s);

        if (!how)
            continue;
        buf_add(w->out, from, (size_t)(s - from));
        json_write_add_escaped(w->out, how, (unsigned char)*s);
        from = s + 1;
    }
    buf_add(w->out, from, (size_t)(s - from));
    buf_putc(w->out, '"');
}

/* JSON text as it is; in a page without '<', which stands only inside its strings. */
static void raw(struct writer *w, const char *s, size_t n)
{
    const char *end = s + n, *at;

    for (; w->for_html && (at = memchr(s, '<', (size_t)(end - s))); s = at + 1) {
        buf_add(w->out, s, (size_t)(at - s));
        json_write_add_escaped(w->out, 'u', '<');
    }
    buf_add(w->out, s, (size_t)(end - s));
}

/* ---- numbers */

/* The digits of v in front of `end`; where they begin. */
static char *digits_before(char *end, uint64_t v)
{
    do
        *--end = (char)('0' + v % 10);
    while (v /= 10);
    return end;
}

static void add_signed(struct buf *out, char *at, const char *end, bool negative)
{
    if (negative)
        *--at = '-';
    buf_add(out, at, (size_t)(end - at));
}

static void json_write_integer(struct buf *out, int64_t i)
{
    char text[24], *end = text + sizeof text;

    add_signed(out, digits_before(end, i < 0 ? 0 - (uint64_t)i : (uint64_t)i), end, i < 0);
}

#define DECIMALS_FROM 1e-4 /* below, and from here … */
#define DECIMALS_TO 1e15   /* … on, an exponent is shorter */

/* v, of ordinary size, as i / 10^k with the smallest k that reads back as v: it is nearer to v than half a step to the next
 * double (a power of two has its lower neighbour at half the distance). Exact: v is m / 2^s with m of 53 bits and s of 3 to
 * 66, so that m * 10^21 fits, and 17 digits always do. Halves go to even, as printf has them. */
static uint64_t fewest_decimals(double v, unsigned *k)
{
    int exponent;
    uint64_t m = (uint64_t)ldexp(frexp(v, &exponent), 53), i;
    unsigned s = 53 - (unsigned)exponent, steps = m == UINT64_C(1) << 52 ? 4 : 2;
    unsigned __int128 ten = 1, one = (unsigned __int128)1 << s, exact, off;

    for (*k = 0;; ++*k, ten *= 10) {
        exact = m * ten;
        i = (uint64_t)(exact >> s);
        off = exact & (one - 1);
        if (off > one / 2 || (off == one / 2 && i % 2)) {
            off = one - off;
            i++;
        }
        if (!off || off * steps < ten)
            return i;
    }
}

static void decimals(struct buf *out, double v)
{
    char text[48], *end = text + sizeof text, *at;
    unsigned k;
    uint64_t i = fewest_decimals(fabs(v), &k);

    if (!k) {
        add_signed(out, digits_before(end, i), end, v < 0);
        return;
    }
    at = end;
    for (; k; k--, i /= 10)
        *--at = (char)('0' + i % 10);
    *--at = '.';
    add_signed(out, digits_before(at, i), end, v < 0);
}

/* The shortest of 15 to 17 digits that reads back as the same number; 17 always do. */
static void real(struct buf *out, double v)
{
    char text[40];
    double back = 0;

    if (fabs(v) >= DECIMALS_FROM && fabs(v) < DECIMALS_TO) {
        decimals(out, v);
        return;
    }
    if (fpclassify(v) == FP_ZERO) {
        buf_puts(out, signbit(v) ? "-0" : "0");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        back = digits < 17 ? strtod(text, NULL) : v;
        if (!(back < v) && !(back > v))
            break;
    }
    buf_puts(out, text);
}

/* ---- trees */

static void json_write_value(struct writer *w, const struct json *j);

static void new_line(struct writer *w)
{
    if (!w->pretty)
        return;
    buf_putc(w->out, '\n');
    for (size_t i = 0; i < w->depth; i++)
        buf_puts(w->out, "  ");
}

static void children(struct writer *w, const struct json *j)
{
    bool object = j->type == JSON_OBJ;

    buf_putc(w->out, object ? '{' : '[');
    w->depth++;
    for (const struct json *m = j->first; m; m = m->next) {
        new_line(w);
        if (object) {
            json_write_string(w, m->key, strlen(m->key));
            buf_add(w->out, ": ", w->pretty ? 2 : 1);
        }
        json_write_value(w, m);
        if (m->next)
            buf_putc(w->out, ',');
    }
    w->depth--;
    if (j->first)
        new_line(w);
    buf_putc(w->out, object ? '}' : ']');
}

static void json_write_value(struct writer *w, const struct json *j)
{
    switch ((enum json_type)j->type) {
    case JSON_NULL: buf_add(w->out, "null", 4); return;
    case JSON_BOOL: buf_puts(w->out, j->b ? "true" : "false"); return;
    case JSON_INT: json_write_integer(w->out, j->i); return;
    case JSON_NUM:
        if (j->s)
            buf_puts(w->out, j->s);
        else
            real(w->out, j->real);
        return;
    case JSON_STR: json_write_string(w, j->s, j->len); return;
    case JSON_RAW: raw(w, j->s, j->len); return;
    case JSON_ARR:
    case JSON_OBJ: children(w, j); return;
    }
}

void json_write(struct buf *out, const struct json *j, bool for_html)
{
    json_write_value(&(struct writer){.out = out, .for_html = for_html}, j);
}

const char *json_text(struct arena *a, const struct json *j)
{
    struct buf b;

    buf_init(&b, a, 256);
    json_write(&b, j, false);
    return buf_str(&b);
}

const char *json_text_pretty(struct arena *a, const struct json *j)
{
    struct buf b;

    buf_init(&b, a, 256);
    json_write_value(&(struct writer){.out = &b, .pretty = true}, j);
    buf_putc(&b, '\n');
    return buf_str(&b);
}
