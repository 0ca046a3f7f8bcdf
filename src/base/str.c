/* Text buffers and string questions; see str.h. */
#include "str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, struct arena *a, size_t first)
{
    *b = (struct buf){.arena = a, .cap = first ? first : 64};
    b->data = arena_alloc(a, b->cap);
}

/* false: there is no room for so much in the arena; the text stays incomplete, and the arena knows it. */
static bool str_reserve(struct buf *b, size_t more)
{
    size_t cap = b->cap;
    char *data;

    if (b->cap - b->len > more)
        return true;
    while (cap - b->len <= more)
        cap *= 2;
    if (!arena_takes(b->arena, cap))
        return false;
    data = arena_alloc(b->arena, cap);
    memcpy(data, b->data, b->len);
    b->data = data;
    b->cap = cap;
    return true;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
    if (!n || !str_reserve(b, n))
        return;
    memcpy(b->data + b->len, p, n);
    b->len += n;
    b->data[b->len] = 0;
}

void buf_puts(struct buf *b, const char *s)
{
    buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char ch)
{
    buf_add(b, &ch, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n >= b->cap - b->len) {
        if (str_reserve(b, (size_t)n))
            vsnprintf(b->data + b->len, b->cap - b->len, fmt, again);
        else
            n = 0;
    }
    va_end(again);
    if (n > 0)
        b->len += (size_t)n;
}

const char *buf_str(struct buf *b)
{
    b->data[b->len] = 0;
    return b->data;
}

bool str_eq(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_empty(const char *s)
{
    return !s || !*s;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

size_t str_size(const char *s)
{
    return s ? strlen(s) + 1 : 0;
}

const char *str_copy(char **at, const char *s)
{
    size_t n = str_size(s);
    char *copy = *at;

    *at += n;
    return s ? memcpy(copy, s, n) : NULL;
}

/* The length of the valid sequence at p, 0 if there is none. */
static size_t utf8_step(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    if (p[0] < 0xe0)
        return n >= 2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
    if (p[0] < 0xf0) {
        if (n < 3 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
            return 0;
        if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
            return 0;
        return 3;
    }
    if (n < 4 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 || (p[3] & 0xc0) != 0x80)
        return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
        return 0;
    return 4;
}

bool str_is_utf8(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t step;

    for (size_t i = 0; i < n; i += step) {
        step = utf8_step(p + i, n - i);
        if (!step)
            return false;
    }
    return true;
}

size_t str_code_points(const char *s, size_t n)
{
    size_t points = 0;

    for (size_t i = 0; i < n; i++)
        points += ((unsigned char)s[i] & 0xc0) != 0x80;
    return points;
}

size_t str_first_bytes(const char *s, size_t code_points)
{
    const char *p = s;

    for (; *p && code_points; code_points--)
        for (p++; ((unsigned char)*p & 0xc0) == 0x80; p++)
            ;
    return (size_t)(p - s);
}

bool str_is_slug(const char *s)
{
    size_t n = s ? strlen(s) : 0;

    if (n < 1 || n > 100 || !(islower((unsigned char)s[0]) || isdigit((unsigned char)s[0])))
        return false;
    return strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_.-") == n;
}

/* Local part, one @, a domain of labels: enough to catch mistakes; the rest only a delivered mail could tell. */
bool str_is_email(const char *s)
{
    const char *at = strchr(s, '@');

    if (!at || at == s || strchr(at + 1, '@') || strlen(s) > 254 || !at[1] || at[1] == '.')
        return false;
    for (const char *p = s; *p; p++)
        if ((unsigned char)*p <= ' ' || strchr("\"(),:;<>[\\]", *p))
            return false;
    return s[strlen(s) - 1] != '.' && !strstr(at, "..");
}

bool str_to_i64(const char *s, int64_t *out)
{
    char *end;
    long long v;
    const char *digits = s + (*s == '-' || *s == '+');

    if (!isdigit((unsigned char)*digits))
        return false;
    errno = 0;
    v = strtoll(s, &end, 10);
    if (errno || *end)
        return false;
    *out = v;
    return true;
}

bool str_to_double(const char *s, double *out)
{
    char *end;
    double v;

    if (!isdigit((unsigned char)*s) && !(*s == '-' && isdigit((unsigned char)s[1])))
        return false;
    if (strpbrk(s, "xXnNpP")) /* strtod also reads hex, nan and inf */
        return false;
    v = strtod(s, &end);
    if (*end || !isfinite(v))
        return false;
    *out = v;
    return true;
}

bool str_to_bool(const char *s, bool *out)
{
    static const struct { const char *word; bool value; } WORDS[] = {
        {"true", true}, {"false", false}, {"1", true}, {"0", false},
        {"yes", true}, {"no", false}, {"on", true}, {"off", false},
    };

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (strcmp(s, WORDS[i].word) == 0) {
            *out = WORDS[i].value;
            return true;
        }
    return false;
}

void hex_encode(const uint8_t *p, size_t n, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[p[i] >> 4];
        out[2 * i + 1] = digits[p[i] & 15];
    }
    out[2 * n] = 0;
}

static int hex_value(char ch)
{
    if (ch >= '0' && ch <= '9')
        return ch - '0';
    if (ch >= 'a' && ch <= 'f')
        return ch - 'a' + 10;
    if (ch >= 'A' && ch <= 'F')
        return ch - 'A' + 10;
    return -1;
}

bool hex_decode(const char *s, size_t n_chars, uint8_t *out)
{
    for (size_t i = 0; i + 1 < n_chars; i += 2) {
        int hi = hex_value(s[i]), lo = hex_value(s[i + 1]);

        if (hi < 0 || lo < 0)
            return false;
        out[i / 2] = (uint8_t)(hi << 4 | lo);
    }
    return n_chars % 2 == 0;
}

static const char B64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

char *b64url_encode(struct arena *a, const void *p, size_t n)
{
    const unsigned char *in = p;
    char *out = arena_alloc(a, n / 3 * 4 + 5), *o = out;

    for (size_t i = 0; i < n; i += 3) {
        unsigned v = (unsigned)in[i] << 16;

        if (i + 1 < n)
            v |= (unsigned)in[i + 1] << 8;
        if (i + 2 < n)
            v |= in[i + 2];
        *o++ = B64[v >> 18];
        *o++ = B64[v >> 12 & 63];
        if (i + 1 < n)
            *o++ = B64[v >> 6 & 63];
        if (i + 2 < n)
            *o++ = B64[v & 63];
    }
    *o = 0;
    return out;
}

bool b64url_decode(struct arena *a, const char *s, struct bytes *out)
{
    size_t n = strlen(s), len = 0;
    unsigned char *data;
    unsigned acc = 0, bits = 0;

    if (n % 4 == 1)
        return false;
    data = arena_alloc(a, n / 4 * 3 + 3);
    for (size_t i = 0; i < n; i++) {
        const char *at = memchr(B64, s[i], 64);

        if (!at)
            return false;
        acc = acc << 6 | (unsigned)(at - B64);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            data[len++] = (unsigned char)(acc >> bits & 255);
        }
    }
    if (acc & ((1u << bits) - 1)) /* bits that no encoder would have set */
        return false;
    *out = (struct bytes){data, len};
    return true;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u ^ seed;

    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}
