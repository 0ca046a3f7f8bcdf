/* SentencePiece's unigram model: the best way to cut normalised text into pieces, by dynamic programming. */
#include "tokenizer.h"

#include <assert.h>
#include <string.h>
#include <utf8proc.h>

#include "str.h"

#define REPLACEMENT 0xfffd

/* utf8proc sorts a run of combining marks in quadratic time, so text without any ASCII goes to it in portions. */
#define PORTION 4096

struct code_points {
    utf8proc_int32_t *s;
    size_t n, room;
};

static void tokenizer_reserve(struct arena *a, struct code_points *c, size_t more)
{
    struct code_points old = *c;

    if (c->room - c->n >= more)
        return;
    c->room = c->room * 2 + more;
    c->s = ARENA_ARRAY(a, utf8proc_int32_t, c->room);
    if (old.n)
        memcpy(c->s, old.s, old.n * sizeof *c->s);
}

#define NFKC (UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT)

/* Adds normal form KC of valid UTF-8. */
static void add_normal(struct arena *a, struct code_points *c, const utf8proc_uint8_t *p, size_t bytes)
{
    utf8proc_ssize_t n;

    tokenizer_reserve(a, c, bytes + 32);
    n = utf8proc_decompose(p, (utf8proc_ssize_t)bytes, c->s + c->n, (utf8proc_ssize_t)(c->room - c->n), NFKC);
    if (n > (utf8proc_ssize_t)(c->room - c->n)) {
        tokenizer_reserve(a, c, (size_t)n);
        n = utf8proc_decompose(p, (utf8proc_ssize_t)bytes, c->s + c->n, n, NFKC);
    }
    assert(n >= 0);
    n = utf8proc_normalize_utf32(c->s + c->n, n, NFKC);
    assert(n >= 0);
    c->n += (size_t)n;
}

static void add_ascii(struct arena *a, struct code_points *c, const utf8proc_uint8_t *p, size_t n)
{
    tokenizer_reserve(a, c, n);
    for (size_t i = 0; i < n; i++)
        c->s[c->n++] = p[i];
}

/* Valid UTF-8: faulty bytes become U+FFFD. */
static const utf8proc_uint8_t *mend(struct arena *a, const char *text, size_t *n)
{
    const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)text, *end = p + *n;
    utf8proc_uint8_t *out, *o;

    if (str_is_utf8(text, *n))
        return p;
    out = o = arena_alloc(a, 3 * *n);
    while (p < end) {
        utf8proc_int32_t code_point;
        utf8proc_ssize_t used = utf8proc_iterate(p, end - p, &code_point);

        o += utf8proc_encode_char(used > 0 ? code_point : REPLACEMENT, o);
        p += used > 0 ? used : 1;
    }
    *n = (size_t)(o - out);
    return out;
}

/* Nothing composes with an ASCII character before it, so text may be taken apart there: each stretch of ASCII as it is,
 * but its last character, with which marks that follow may compose, together with what follows. */
static void tokenizer_add_text(struct arena *a, struct code_points *c, const utf8proc_uint8_t *p, size_t n)
{
    const utf8proc_uint8_t *end = p + n;

    while (p < end) {
        const utf8proc_uint8_t *ascii = p, *other;

        while (p < end && *p < 0x80)
            p++;
        if (p < end && p > ascii)
            p--;
        add_ascii(a, c, ascii, (size_t)(p - ascii));
        for (other = p; p < end && (p == other || *p >= 0x80) && p - other < PORTION; p++)
            ;
        while (p < end && (*p & 0xc0) == 0x80)
            p++;
        if (p > other)
            add_normal(a, c, other, (size_t)(p - other));
    }
}

/* What the pieces are looked for in: a space in front, and every space visible. */
static struct code_points prepare(struct arena *a, const char *text, size_t n)
{
    struct code_points c = {0};
    const utf8proc_uint8_t *p = mend(a, text, &n);

    tokenizer_reserve(a, &c, n + 1);
    c.s[c.n++] = WORD_START;
    tokenizer_add_text(a, &c, p, n);
    for (size_t i = 0; i < c.n; i++)
        if (c.s[i] == ' ')
            c.s[i] = WORD_START;
    return c;
}

/* The best way found to the place behind a code point. */
struct step {
    double score;
    uint32_t from;
    uint16_t piece;
};

/* On equal scores the later start wins, and a score of exactly 0 counts as none yet: both as in the reference. */
static void relax(struct step *to, double score, size_t from, uint16_t piece)
{
    if (to->score == 0 || score >= to->score)
        *to = (struct step){.score = score, .from = (uint32_t)from, .piece = piece};
}

/* best[i] for every i up to n. */
static struct step *tokenizer_search(const struct vocabulary *v, struct arena *a, const struct code_points *c)
{
    struct step *best = ARENA_ARRAY(a, struct step, c->n + 1);

    for (size_t i = 1; i <= c->n; i++)
        best[i].from = (uint32_t)(i - 1);
    for (size_t i = 0; i < c->n; i++) {
        uint16_t node = 0;
        bool any = false;

        for (size_t e = i; e < c->n && (node = vocabulary_step(v, node, (uint32_t)c->s[e])) != 0; e++)
            if (v->piece[node] != PIECE_UNKNOWN) {
                relax(&best[e + 1], v->score[v->piece[node]] + best[i].score, i, v->piece[node]);
                any = true;
            }
        if (!any)
            relax(&best[i + 1], best[i].score, i, PIECE_UNKNOWN);
    }
    return best;
}

/* From the end back; neighbours that are unknown count once. */
static struct tokens collect(struct arena *a, const struct code_points *c, const struct step *best)
{
    struct tokens t = {.ids = ARENA_ARRAY(a, uint16_t, c->n), .starts_word = ARENA_ARRAY(a, bool, c->n)};
    size_t put = c->n;

    for (size_t i = c->n; i > 0; i = best[i].from) {
        if (best[i].piece != PIECE_UNKNOWN || put == c->n || t.ids[put] != PIECE_UNKNOWN)
            t.ids[--put] = best[i].piece;
        t.starts_word[put] = c->s[best[i].from] == WORD_START;
    }
    t.ids += put;
    t.starts_word += put;
    t.n = c->n - put;
    return t;
}

struct tokens tokenize(const struct vocabulary *v, struct arena *a, const char *text, size_t n)
{
    struct code_points c = prepare(a, text, n);

    /* only the space that was put in front */
    return c.n > 1 ? collect(a, &c, tokenizer_search(v, a, &c)) : (struct tokens){0};
}
