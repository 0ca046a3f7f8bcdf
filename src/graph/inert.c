/* Escaping and cutting of stored text; see inert.h. */
#include "inert.h"

#include <string.h>

#include "content.h"
#include "utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"
#define REPLACED "\xef\xbf\xbd"
#define WORD_BACK 24 /* so many characters may be given up to end at a word */

/* Characters that are not seen but change what is, in ascending ranges. The two selectors that tell an emoji from a plain
 * sign (U+FE0E, U+FE0F) stay. */
static const struct {
    uint32_t first, last;
} UNSEEN[] = {
    { 0x01, 0x08 },     { 0x0b, 0x1f },     { 0x7f, 0x9f },     { 0xad, 0xad },       { 0x34f, 0x34f },
    { 0x61c, 0x61c },   { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f },   { 0x200b, 0x200f },
    { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0d },   { 0xfeff, 0xfeff },
    { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
    { 0xe0000, 0xe0fff },
};

static bool is_unseen(uint32_t c)
{
    for (size_t i = 0; i < sizeof UNSEEN / sizeof *UNSEEN && UNSEEN[i].first <= c; i++)
        if (c <= UNSEEN[i].last)
            return true;
    return false;
}

static const char *entity_of(uint32_t c, bool in_attribute)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return in_attribute ? "&quot;" : NULL;
    default: return NULL;
    }
}

void inert_add(struct buf *out, const char *text, bool in_attribute)
{
    const char *p = text, *at;
    uint32_t c;

    while (at = p, (c = utf8_next(&p))) {
        const char *entity = entity_of(c, in_attribute);

        if (entity)
            buf_puts(out, entity);
        else if (c == '\r' && *p == '\n')
            continue;
        else if (in_attribute && (c == '\n' || c == '\t'))
            buf_putc(out, ' ');
        else if (c == UTF8_BROKEN || is_unseen(c))
            buf_puts(out, REPLACED);
        else
            buf_add(out, at, (size_t)(p - at));
    }
}

const char *inert_text(struct arena *a, const char *text)
{
    struct buf b;

    buf_init(&b, a, strlen(text) + 32);
    inert_add(&b, text, false);
    return buf_str(&b);
}

static bool inert_is_space(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200a);
}

static const char *on_one_line(struct arena *a, const char *text)
{
    const char *p = text, *at;
    bool gap = false;
    struct buf b;
    uint32_t c;

    buf_init(&b, a, strlen(text) + 1);
    while (at = p, (c = utf8_next(&p))) {
        if (inert_is_space(c)) {
            gap = b.len > 0;
            continue;
        }
        if (gap)
            buf_putc(&b, ' ');
        gap = false;
        buf_add(&b, at, (size_t)(p - at));
    }
    return buf_str(&b);
}

/* Of bytes: those of longer characters are none. */
static bool inert_is_gap(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* text[0…n) without the piece of a word at its end, if that is short, and without the space before it. */
static size_t back_to_word(const char *text, size_t n)
{
    size_t at = n;

    if (text[n] && !inert_is_gap(text[n]))
        while (at > 0 && n - at < WORD_BACK && !inert_is_gap(text[at - 1]))
            at--;
    if (at == 0 || n - at >= WORD_BACK)
        at = n;
    while (at > 0 && inert_is_gap(text[at - 1]))
        at--;
    return at;
}

const char *text_cut(struct arena *a, const char *text, size_t max, bool one_line)
{
    const char *whole = one_line ? on_one_line(a, text) : text, *p = whole, *last = whole;
    size_t n = 0;

    while (n < max && utf8_next(&p)) {
        if (++n == max - 1)
            last = p;
    }
    if (!*p)
        return whole;
    return arena_printf(a, "%.*s" ELLIPSIS, (int)back_to_word(whole, (size_t)(last - whole)), whole);
}

/* Where the character or entity at p ends. */
static const char *inert_behind(const char *p)
{
    const char *end = *p == '&' ? strchr(p, ';') : NULL;

    if (end)
        return end + 1;
    return utf8_next(&p) ? p : p;
}

/* What content_tokens counts for it, in quarters of a token. */
static int64_t quarters_of(const char *from, const char *to)
{
    int64_t sum = 0;

    for (const unsigned char *p = (const unsigned char *)from; p < (const unsigned char *)to; p++)
        sum += *p < 0x80 ? 1 : *p >= 0xe2 ? 4 : *p >= 0xc0 ? 2 : 0;
    return sum;
}

const char *inert_cut_tokens(struct arena *a, const char *inert, int64_t tokens)
{
    int64_t room = 4 * (tokens - 1);
    const char *p = inert;
    size_t n;

    if (content_tokens(inert) <= tokens)
        return inert;
    while (*p && room >= quarters_of(p, inert_behind(p))) {
        room -= quarters_of(p, inert_behind(p));
        p = inert_behind(p);
    }
    n = back_to_word(inert, (size_t)(p - inert));
    return n ? arena_printf(a, "%.*s" ELLIPSIS, (int)n, inert) : "";
}
