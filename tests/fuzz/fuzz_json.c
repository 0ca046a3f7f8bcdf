/* Fuzzes the JSON reader against a second recogniser of RFC 8259, and the writer against the reader. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- what JSON is, written down once more */

struct scan {
    const uint8_t *p, *end;
    int depth;
};

static bool next_is(struct scan *s, uint8_t ch)
{
    if (s->p == s->end || *s->p != ch)
        return false;
    s->p++;
    return true;
}

static void skip_space(struct scan *s)
{
    while (next_is(s, ' ') || next_is(s, '\t') || next_is(s, '\n') || next_is(s, '\r'))
        ;
}

static bool digits(struct scan *s)
{
    const uint8_t *begin = s->p;

    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > begin;
}

static bool number(struct scan *s)
{
    next_is(s, '-');
    if (!next_is(s, '0') && !digits(s))
        return false;
    if (next_is(s, '.') && !digits(s))
        return false;
    if (!next_is(s, 'e') && !next_is(s, 'E'))
        return true;
    if (!next_is(s, '+'))
        next_is(s, '-');
    return digits(s);
}

static bool unit(struct scan *s, unsigned *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, s->p++) {
        unsigned ch = s->p < s->end ? *s->p : 0u;

        if (ch >= '0' && ch <= '9')
            *out = *out << 4 | (ch - '0');
        else if ((ch | 32) >= 'a' && (ch | 32) <= 'f')
            *out = *out << 4 | ((ch | 32) - 'a' + 10);
        else
            return false;
    }
    return true;
}

static bool escape(struct scan *s)
{
    unsigned high, low;

    if (s->p == s->end || !strchr("\"\\/bfnrtu", *s->p) || !*s->p)
        return false;
    if (*s->p++ != 'u')
        return true;
    if (!unit(s, &high) || high == 0 || (high >= 0xdc00 && high <= 0xdfff))
        return false;
    if (high < 0xd800 || high > 0xdbff)
        return true;
    return next_is(s, '\\') && next_is(s, 'u') && unit(s, &low) && low >= 0xdc00 && low <= 0xdfff;
}

static bool string(struct scan *s)
{
    if (!next_is(s, '"'))
        return false;
    while (s->p < s->end && *s->p >= 0x20 && *s->p != '"')
        if (*s->p++ == '\\' && !escape(s))
            return false;
    return next_is(s, '"');
}

static bool word(struct scan *s, const char *w)
{
    while (*w)
        if (!next_is(s, (uint8_t)*w++))
            return false;
    return true;
}

static bool value(struct scan *s);

static bool container(struct scan *s, uint8_t close)
{
    s->p++;
    skip_space(s);
    if (++s->depth > JSON_DEPTH_READ)
        return false;
    if (!next_is(s, close)) {
        do {
            skip_space(s);
            if (close == '}') {
                if (!string(s))
                    return false;
                skip_space(s);
                if (!next_is(s, ':'))
                    return false;
            }
            if (!value(s))
                return false;
        } while (next_is(s, ','));
        if (!next_is(s, close))
            return false;
    }
    s->depth--;
    return true;
}

/* With the white space on both sides. */
static bool value(struct scan *s)
{
    uint8_t first;
    bool good;

    skip_space(s);
    first = s->p < s->end ? *s->p : 0;
    good = first == '['   ? container(s, ']')
           : first == '{' ? container(s, '}')
           : first == '"' ? string(s)
           : first == 't' ? word(s, "true")
           : first == 'f' ? word(s, "false")
           : first == 'n' ? word(s, "null")
                          : number(s);
    skip_space(s);
    return good;
}

static bool is_json(const uint8_t *data, size_t size)
{
    struct scan s = {data, data + size, 0};

    return str_is_utf8((const char *)data, size) && value(&s) && s.p == s.end;
}

/* ---- the target */

static struct json *again(struct arena *a, const char *text)
{
    struct json *j = NULL;
    const char *why;
    enum json_fault f = json_parse(a, text, strlen(text), &j, &why);

    assert(f == JSON_OK);
    return j;
}

static void write_and_read(struct arena *a, struct json *j)
{
    const char *text = json_text(a, j);
    struct json *back = again(a, text);
    struct buf html;

    assert(json_equal(j, back) && json_equal(back, j));
    assert(strcmp(json_text(a, back), text) == 0);
    assert(json_equal(j, again(a, json_text_pretty(a, j))));
    buf_init(&html, a, 64);
    json_write(&html, j, true);
    assert(!strchr(buf_str(&html), '<'));
    assert(json_equal(j, again(a, buf_str(&html))));
    again(a, json_text(a, json_merge_patch(a, j, back)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a = arena_new((size_t)1 << 30);
    struct json *j = NULL;
    const char *why = NULL;
    enum json_fault f = json_parse(a, (const char *)data, size, &j, &why);

    if (f == JSON_OK) {
        assert(is_json(data, size));
        write_and_read(a, j);
    } else {
        assert(why && *why && !j);
        assert(f == JSON_DUPLICATE_KEY || f == JSON_BAD_NUMBER || f == JSON_TOO_MANY || !is_json(data, size));
        assert((f == JSON_NOT_UTF8) == !str_is_utf8((const char *)data, size));
    }
    arena_free(a);
    return 0;
}
