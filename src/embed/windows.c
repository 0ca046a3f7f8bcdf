/* Collapsing white space, finding sentence ends, and cutting a long row of tokens where it hurts least. */
#include "windows.h"

#include <string.h>
#include <utf8proc.h>

/* One code point at p; faulty bytes count singly. */
static size_t next_code_point(const char *p, const char *end, utf8proc_int32_t *code_point)
{
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)p, end - p, code_point);

    if (n > 0)
        return (size_t)n;
    *code_point = -1;
    return 1;
}

/* Unicode's property White_Space. */
static bool windows_is_space(utf8proc_int32_t c)
{
    return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
           c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

char *collapse_space(struct arena *a, const char *text, size_t bytes, size_t *n)
{
    char *out = arena_alloc(a, bytes + 1), *o = out;
    const char *end = text + bytes;
    bool gap = false;
    size_t step;

    for (const char *p = text; p < end; p += step) {
        utf8proc_int32_t c;

        step = next_code_point(p, end, &c);
        if (windows_is_space(c)) {
            gap = o > out;
            continue;
        }
        if (gap)
            *o++ = ' ';
        gap = false;
        memcpy(o, p, step);
        o += step;
    }
    *n = (size_t)(o - out);
    return out;
}

/* How good a place is to cut in front of it; equal ones: the later. */
enum cut { CUT_NOWHERE, CUT_WORD, CUT_LINE, CUT_SENTENCE };

static bool is_full_stop(utf8proc_int32_t c)
{
    return c == '.' || c == '!' || c == '?' || c == 0x2026 || c == 0x203d;
}

/* These need no space behind them. */
static bool is_wide_full_stop(utf8proc_int32_t c)
{
    return c == 0x3002 || c == 0xff01 || c == 0xff1f || c == 0x0964;
}

static bool is_closer(utf8proc_int32_t c)
{
    return c == '"' || c == '\'' || c == ')' || c == ']' || c == '}' || c == 0x2019 || c == 0x201d || c == 0xbb ||
           c == 0x300d || c == 0x300f;
}

static bool is_line_end(utf8proc_int32_t c)
{
    return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* Where the sentence or line at p ends, white space behind it included, and which of them it is. */
static const char *segment_end(const char *p, const char *end, enum cut *kind)
{
    bool stopped = false, wide = false;
    int lines = 0;
    bool in_space = false;
    size_t step;

    for (; p < end; p += step) {
        utf8proc_int32_t c;

        step = next_code_point(p, end, &c);
        if (windows_is_space(c)) {
            in_space = true;
            lines += is_line_end(c) && !(c == '\r' && p + 1 < end && p[1] == '\n');
            continue;
        }
        if (in_space && (stopped || lines))
            break;
        if (wide && !is_closer(c) && !is_wide_full_stop(c))
            break;
        in_space = false;
        wide = is_wide_full_stop(c) || (wide && is_closer(c));
        stopped = is_full_stop(c) || wide || (stopped && is_closer(c));
    }
    *kind = stopped || lines > 1 ? CUT_SENTENCE : lines ? CUT_LINE : CUT_WORD;
    return p;
}

/* Tokens with the quality of a cut in front of each. */
struct tape {
    uint16_t *ids;
    uint8_t *cuts;
    size_t n, room;
};

static void tape_add(struct arena *a, struct tape *t, const struct tokens *more, enum cut first)
{
    if (t->room - t->n < more->n) {
        struct tape old = *t;

        t->room = 2 * t->room + more->n;
        t->ids = ARENA_ARRAY(a, uint16_t, t->room);
        t->cuts = ARENA_ARRAY(a, uint8_t, t->room);
        if (old.n) {
            memcpy(t->ids, old.ids, old.n * sizeof *t->ids);
            memcpy(t->cuts, old.cuts, old.n);
        }
    }
    for (size_t i = 0; i < more->n; i++, t->n++) {
        t->ids[t->n] = more->ids[i];
        t->cuts[t->n] = (uint8_t)(i == 0 ? first : more->starts_word[i] ? CUT_WORD : CUT_NOWHERE);
    }
}

/* The whole text, sentence by sentence: no piece spans a space, so the tokens are those of the whole. */
static struct tape lay_tape(const struct vocabulary *v, struct arena *a, const char *text, size_t bytes)
{
    const char *end = text + bytes, *next;
    enum cut before = CUT_SENTENCE, kind;
    struct tape tape = {0};

    for (const char *p = text; p < end; p = next, before = kind) {
        size_t n;
        char *sentence;
        struct tokens t;

        next = segment_end(p, end, &kind);
        sentence = collapse_space(a, p, (size_t)(next - p), &n);
        t = tokenize(v, a, sentence, n);
        tape_add(a, &tape, &t, before);
    }
    return tape;
}

/* Where to cut the tape that begins at start and goes on past start + part. */
static size_t best_cut(const struct tape *t, size_t start, size_t part)
{
    size_t best = start + part;

    for (size_t i = start + part; i > start; i--)
        if (t->cuts[i] > t->cuts[best])
            best = i;
    return best;
}

static struct windows cut_tape(struct arena *a, const struct tape *t, size_t part)
{
    size_t *ends = ARENA_ARRAY(a, size_t, t->n), n = 0;

    for (size_t start = 0; start < t->n; start = ends[n++])
        ends[n] = t->n - start <= part ? t->n : best_cut(t, start, part);
    return (struct windows){.ids = t->ids, .ends = ends, .n = n};
}

struct windows windows_of(const struct vocabulary *v, struct arena *a, const char *text, size_t bytes, size_t whole,
                          size_t part)
{
    size_t n;
    char *collapsed = collapse_space(a, text, bytes, &n);
    struct tokens t = tokenize(v, a, collapsed, n);
    struct tape tape;

    if (t.n == 0)
        return (struct windows){0};
    if (t.n <= whole)
        return (struct windows){.ids = t.ids, .ends = arena_memdup(a, &t.n, sizeof t.n), .n = 1};
    tape = lay_tape(v, a, text, bytes);
    return cut_tape(a, &tape, part);
}

/* ---- pieces by bytes, for models whose tokens are not known here */

/* The most bytes of a collapsed text that end a word, or at least a character. */
static size_t word_cut(const char *text, size_t n, size_t most)
{
    size_t at = most;

    if (n <= most)
        return n;
    while (at > most / 2 && text[at] != ' ')
        at--;
    if (text[at] == ' ')
        return at;
    for (at = most; at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80;)
        at--;
    return at;
}

struct pieces {
    struct arena *a;
    const char **at;
    size_t n, max, most;
    char *open; /* the piece that sentences are added to */
    size_t len;
};

static void close_piece(struct pieces *p)
{
    if (p->len && p->n < p->max)
        p->at[p->n++] = arena_strndup(p->a, p->open, p->len);
    p->len = 0;
}

static void add_sentence(struct pieces *p, const char *s, size_t n)
{
    if (p->len && p->len + 1 + n > p->most)
        close_piece(p);
    while (n) {
        size_t room = p->most - p->len - (p->len != 0), take = word_cut(s, n, room);

        if (p->len)
            p->open[p->len++] = ' ';
        memcpy(p->open + p->len, s, take);
        p->len += take;
        s += take;
        n -= take;
        if (n)
            close_piece(p);
        if (n && *s == ' ')
            s++, n--;
    }
}

struct text_pieces pieces_of(struct arena *a, const char *text, size_t bytes, size_t most, size_t max)
{
    struct pieces p = {.a = a, .at = ARENA_ARRAY(a, const char *, max + 1), .max = max, .most = most,
                       .open = arena_alloc(a, most + 1)};
    const char *end = text + bytes, *next;
    enum cut kind;

    for (const char *s = text; s < end && p.n < max; s = next) {
        size_t n;
        char *sentence;

        next = segment_end(s, end, &kind);
        sentence = collapse_space(a, s, (size_t)(next - s), &n);
        add_sentence(&p, sentence, n);
    }
    close_piece(&p);
    return (struct text_pieces){p.at, p.n};
}
