/* Names and words of pages; see wiki_text.h. */
#include "wiki_text.h"

#include <string.h>
#include <utf8proc.h>

#include "inert.h"
#include "str.h"
#include "unicode.h"
#include "utf8.h"

/* ---- names */

const char *wiki_name_key(struct arena *a, const char *name)
{
    char *key = arena_strdup(a, unicode_fold(a, unicode_nfc(a, name))), *to = key;

    for (const char *p = key; *p;) {
        const char *at = p;
        uint32_t ch = utf8_next(&p);

        if (utf8proc_category((utf8proc_int32_t)ch) == UTF8PROC_CATEGORY_ZS || (ch >= '\t' && ch <= '\r')) {
            if (to > key && to[-1] != ' ')
                *to++ = ' ';
        } else {
            memmove(to, at, (size_t)(p - at));
            to += p - at;
        }
    }
    *to = 0;
    if (to > key && to[-1] == ' ')
        to[-1] = 0;
    return key;
}

static bool is_slug_character(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9');
}

static bool wiki_is_blank(char ch)
{
    return ch == ' ' || (ch >= '\t' && ch <= '\r');
}

const char *wiki_slugify(struct arena *a, const char *title)
{
    const char *plain = unicode_plain(a, title);
    char *slug, *to;

    slug = to = arena_alloc(a, strlen(plain) + 1);
    for (const char *p = plain; *p; p++)
        if (is_slug_character(*p))
            *to++ = *p;
        else if ((wiki_is_blank(*p) || *p == '-') && to > slug && to[-1] != '-')
            *to++ = '-';
    if (to - slug > WIKI_SLUG)
        to = slug + WIKI_SLUG;
    while (to > slug && to[-1] == '-')
        to--;
    *to = 0;
    return slug;
}

const char *wiki_slug_for(struct arena *a, const char *title)
{
    const char *slug = wiki_slugify(a, title);

    return *slug ? slug : arena_printf(a, "page-%08x", (unsigned)hash_bytes(title, strlen(title), 18));
}

const char *wiki_slug_of_target(struct arena *a, const char *target)
{
    char *slug = arena_alloc(a, strlen(target) + 1), *to = slug;

    for (const char *p = target; *p; p++) {
        char ch = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;

        if (wiki_is_blank(ch)) {
            if (p == target || !wiki_is_blank(p[-1]))
                *to++ = '-';
        } else if (is_slug_character(ch) || ch == '-') {
            *to++ = ch;
        }
    }
    *to = 0;
    return slug;
}

/* ---- plain text */

struct plain_writer {
    struct buf out;
    const struct link_scan *scan;
    size_t link; /* the next one */
};

/* What a reader sees of a link whose target is written so. */
static const char *link_words(const struct wiki_link *l)
{
    return l->display ? l->display : l->target[0] == '#' ? l->target + 1 : l->target;
}

/* Marks at the beginning of a line: quotes, headings, lists. */
static size_t line_marks(const char *text, size_t at, size_t n)
{
    size_t i = at;

    while (i < n && strchr(" \t>#", text[i]) && text[i])
        i++;
    if (i + 1 < n && strchr("-+*", text[i]) && text[i + 1] == ' ')
        i += 2;
    if (i + 3 < n && text[i] == '[' && text[i + 2] == ']' && text[i + 3] == ' ')
        i += 4;
    return i;
}

/* In the area of a link that is no link of ours: [text](destination) without its marks, addresses as they are. */
static size_t other_link(struct plain_writer *w, size_t at)
{
    const struct link_scan *s = w->scan;
    size_t end = at, close = 0;

    while (end < s->n && s->area[end] == AREA_LINK && s->text[end] != '\n' &&
           !(w->link < s->n_links && s->links[w->link].at == end && end > at)) {
        if (s->text[end] == ']' && !close)
            close = end;
        end++;
        if (s->text[end - 1] == ')' && close)
            break;
    }
    if (end == at)
        return at + 1;
    if (s->text[at] == '[' && close)
        buf_add(&w->out, s->text + at + 1, close - at - 1);
    else if (s->text[at] != '!' && s->text[at] != '[')
        buf_add(&w->out, s->text + at, end - at);
    return end;
}

static size_t plain_character(struct plain_writer *w, size_t at)
{
    const struct link_scan *s = w->scan;
    char ch = s->text[at];

    if (ch == '\n' || (unsigned char)ch >= 0x80 || !strchr("*_`|~", ch))
        buf_putc(&w->out, ch);
    else if (ch == '_' && at > 0 && at + 1 < s->n && (unsigned char)s->text[at - 1] > ' ' && (unsigned char)s->text[at + 1] > ' ')
        buf_putc(&w->out, ch); /* within a word */
    else if (ch == '|')
        buf_putc(&w->out, ' ');
    return at + 1;
}

const char *wiki_plain(struct arena *a, const char *text, const struct link_scan *scan)
{
    struct plain_writer w = {.scan = scan};
    size_t at = 0;

    (void)text;
    buf_init(&w.out, a, scan->n + 1);
    while (at < scan->n) {
        uint8_t area = scan->area[at];

        while (w.link < scan->n_links && scan->links[w.link].at < at)
            w.link++;
        if (w.link < scan->n_links && scan->links[w.link].at == at) {
            buf_puts(&w.out, link_words(&scan->links[w.link]));
            at = scan->links[w.link].end;
        } else if (area == AREA_HTML || area == AREA_COMMENT || area == AREA_FRONT || area == AREA_ESCAPE) {
            at++;
        } else if (area == AREA_LINK) {
            at = other_link(&w, at);
        } else if (area == AREA_TEXT && (at == 0 || scan->text[at - 1] == '\n') && line_marks(scan->text, at, scan->n) > at) {
            at = line_marks(scan->text, at, scan->n);
        } else {
            at = plain_character(&w, at);
        }
    }
    return buf_str(&w.out);
}

const char *wiki_excerpt(struct arena *a, const char *plain)
{
    size_t n = strlen(plain);

    if (n > 8 * WIKI_EXCERPT)
        n = str_first_bytes(plain, 2 * WIKI_EXCERPT);
    return text_cut(a, arena_strndup(a, plain, n), WIKI_EXCERPT, true);
}

int64_t wiki_words(const char *plain)
{
    int64_t n = 0;
    bool in_word = false;

    for (; *plain; plain++) {
        bool is_in = (unsigned char)*plain > ' ';

        n += is_in && !in_word;
        in_word = is_in;
    }
    return n;
}

/* ---- mentions */

/* Is the character part of a word: a letter, a digit, a mark or _? Scripts without spaces have no words in this sense. */
static bool wiki_text_is_in_word(uint32_t ch)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)ch);

    if (ch == '_')
        return true;
    if ((ch >= 0x2e80 && ch < 0xa000) || (ch >= 0xac00 && ch < 0xd7b0) || (ch >= 0xf900 && ch < 0xfb00) || (ch >= 0x20000 && ch < 0x40000))
        return false;
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) && category != UTF8PROC_CATEGORY_CN;
}

static uint32_t character_before(const char *text, size_t at)
{
    const char *p;

    if (!at)
        return 0;
    for (at--; at && ((unsigned char)text[at] & 0xc0) == 0x80;)
        at--;
    p = text + at;
    return utf8_next(&p);
}

/* One character as keys have it; the number of its characters. */
static size_t character_folded(uint32_t ch, int32_t *out, size_t max)
{
    utf8proc_ssize_t n = ch < 0x80 ? 1 : utf8proc_decompose_char((utf8proc_int32_t)ch, out, (utf8proc_ssize_t)max, UTF8PROC_CASEFOLD, NULL);

    if (ch < 0x80)
        out[0] = (int32_t)(ch >= 'A' && ch <= 'Z' ? ch + 32 : ch);
    return n > 0 && (size_t)n <= max ? (size_t)n : 0;
}

/* Where the text goes on behind the name that begins at `at`; 0: it does not stand there. */
static size_t wiki_text_name_at(const struct link_scan *s, size_t at, const char *name)
{
    const char *p = s->text + at, *k = name;

    while (*k) {
        const char *here = p;
        uint32_t ch = utf8_next(&p);
        int32_t parts[4];
        size_t n;

        if (!ch || s->area[here - s->text] != AREA_TEXT)
            return 0;
        if (wiki_is_blank((char)ch) && ch < 0x80) {
            while (wiki_is_blank(*p))
                p++;
            ch = ' ';
        }
        n = character_folded(ch, parts, 4);
        if (!n)
            return 0;
        for (size_t i = 0; i < n; i++)
            if (utf8_next(&k) != (uint32_t)parts[i])
                return 0;
    }
    return (size_t)(p - s->text);
}

size_t wiki_mentions(struct arena *a, const char *text, const struct link_scan *scan, const char *name, struct wiki_mention *out,
    size_t max)
{
    const char *k = name, *last = name;
    uint32_t first = utf8_next(&k), final = first;
    size_t n = 0;

    (void)a;
    while (*last)
        final = utf8_next(&last);
    for (size_t at = 0; at < scan->n && n < max; at++) {
        const char *p = text + at;
        size_t end;

        if (scan->area[at] != AREA_TEXT || ((unsigned char)*p & 0xc0) == 0x80)
            continue;
        if (first < 0x80 && (unsigned char)*p < 0x80 && ((uint32_t)*p | 32) != (first | 32))
            continue;
        end = wiki_text_name_at(scan, at, name);
        if (!end || (wiki_text_is_in_word(first) && wiki_text_is_in_word(character_before(text, at))))
            continue;
        p = text + end;
        if (wiki_text_is_in_word(final) && wiki_text_is_in_word(utf8_next(&p)))
            continue;
        out[n++] = (struct wiki_mention){at, end};
        at = end - 1;
    }
    return n;
}
