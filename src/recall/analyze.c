/* Text to terms: which characters belong together, and in which forms they can be found. */
#include <assert.h>
#include <string.h>

#include "analyze_impl.h"

#define PIECE_GAP 16    /* between two pieces of one field */
#define POOL_BYTES 4096 /* for the texts of terms, at a time */

/* ---- terms */

static char *pool_copy(struct text_terms *t, const char *text, size_t n)
{
    char *copy;

    if (t->pool_left < n) {
        t->pool_left = t->n < 8 ? 2 * TERM_BYTES : POOL_BYTES;
        t->pool = arena_alloc(t->arena, t->pool_left);
    }
    copy = memcpy(t->pool, text, n);
    t->pool += n;
    t->pool_left -= n;
    return copy;
}

static void analyze_add_term(struct scan *s, const struct stem *stem, uint32_t position, unsigned flags)
{
    struct text_terms *t = s->out;

    if (stem->n == 0)
        return;
    if (t->n == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 8;
        struct text_term *wider = arena_array(t->arena, cap, sizeof *wider);

        if (t->n)
            memcpy(wider, t->at, t->n * sizeof *wider);
        t->at = wider;
        t->cap = cap;
    }
    t->at[t->n++] = (struct text_term){
        .text = pool_copy(t, stem->text, stem->n),
        .position = position,
        .hash = stem->hash,
        .length = (uint16_t)stem->n,
        .field = (uint8_t)s->field,
        .flags = (uint8_t)(flags | (stem->stop ? TERM_STOP : 0)),
    };
}

void analyze_add_word(struct scan *s, struct word *w, uint32_t position, unsigned flags)
{
    struct stem stem = word_stem(s->z, w, s->options);

    analyze_add_term(s, &stem, position, flags);
}

void analyze_add_ascii(struct scan *s, const char *text, uint32_t position, unsigned flags)
{
    struct word w = {.n = strlen(text)};

    memcpy(w.text, text, w.n);
    analyze_add_word(s, &w, position, flags);
}

void analyze_add_whole(struct scan *s, struct word *w, uint32_t position)
{
    struct stem stem;

    if (w->cut)
        return;
    stem = word_stem(s->z, w, ANALYZE_EXACT);
    analyze_add_term(s, &stem, position, TERM_EXTRA);
}

uint32_t analyze_step(struct scan *s)
{
    s->opens = false;
    return s->out->next[s->field]++;
}

/* ---- one word */

/* camelCase and HTTPServer: where the next word begins, to if there is none. Neither side may be a single
   letter: iPhone, mRNA and PrP are words. */
static size_t camel_end(const struct scan *s, size_t from, size_t to)
{
    for (size_t i = from + 2; i + 2 <= to; i++) {
        enum char_class before = analyze_class(s, i - 1), here = analyze_class(s, i), after = analyze_class(s, i + 1);

        if (here != CHAR_UPPER)
            continue;
        if (before == CHAR_LOWER || before == CHAR_DIGIT ||
            (before == CHAR_UPPER && after == CHAR_LOWER && i + 2 < to))
            return i;
    }
    return to;
}

void analyze_spell(const struct scan *s, size_t from, size_t to, struct word *w)
{
    for (size_t i = from; i < to; i++)
        if (s->c.at[i] != ',') /* of 1,000,000 */
            word_add(w, s->c.at[i]);
}

static void add_range(struct scan *s, size_t from, size_t to, uint32_t position, unsigned flags)
{
    struct word w = {.n = 0};

    analyze_spell(s, from, to, &w);
    analyze_add_word(s, &w, position, flags);
}

/* The flags of a word that begins at from. */
static unsigned capital(const struct scan *s, size_t from)
{
    return (analyze_class(s, from) == CHAR_UPPER ? TERM_CAPITAL : 0u) | (s->opens ? TERM_OPENS : 0u);
}

void analyze_add_part(struct scan *s, size_t from, size_t to)
{
    size_t end = camel_end(s, from, to);

    if (end < to)
        add_range(s, from, to, s->out->next[s->field], TERM_EXTRA);
    for (; from < to; from = end, end = camel_end(s, from, to)) {
        unsigned flags = capital(s, from);

        add_range(s, from, end, analyze_step(s), flags);
    }
}

/* ---- most of any text: words of ASCII letters that nothing is joined to */

static bool ends_word(const struct scan *s, size_t i)
{
    const int32_t *c = s->c.at + i;

    if (i == s->c.n || (*c <= ' ' && *c > 0))
        return true;
    if (*c >= 0x80 || *c == 0 || *c == '+' || *c == '#' || char_in_word(char_class(*c)))
        return false;
    return !strchr("_-./@:'&\\", (char)*c) || i + 1 == s->c.n || (c[1] <= ' ' && c[1] > 0);
}

/* Adds what analyze_compound() would, sooner; returns where the word ends, or from if it is not as simple as
   that. */
static size_t add_simple(struct scan *s, size_t from)
{
    const int32_t *c = s->c.at;
    size_t to = from;
    struct word w;

    for (; to < s->c.n && to - from < CACHE_WORD; to++) {
        int32_t lower = c[to] | 0x20;

        if (c[to] > 'z' || lower < 'a' || lower > 'z')
            break;
        if (lower != c[to] && to > from)
            return from;
        w.text[to - from] = (char)lower;
    }
    if (to == from || !ends_word(s, to))
        return from;
    w.n = to - from;
    w.cut = false;
    analyze_add_word(s, &w, s->out->next[s->field],
             (c[from] <= 'Z' ? TERM_CAPITAL : 0u) | (s->opens ? TERM_OPENS : 0u));
    analyze_step(s);
    return to;
}

/* ---- scripts without spaces, and the whole text */

static void add_pair(struct scan *s, size_t from, size_t to, uint32_t position, unsigned flags)
{
    struct word w = {.n = 0};
    struct stem stem;

    for (size_t i = from; i < to; i++)
        word_add(&w, s->c.at[i]);
    stem = word_stem(s->z, &w, ANALYZE_EXACT);
    analyze_add_term(s, &stem, position, flags);
}

/* Pairs of characters; documents can be found by each character too. */
static size_t add_dense(struct scan *s, size_t from)
{
    size_t to = from;

    while (analyze_class(s, to) == CHAR_DENSE)
        to++;
    if (to - from == 1)
        add_pair(s, from, to, analyze_step(s), 0);
    for (size_t i = from; to - from > 1 && i < to; i++) {
        uint32_t position = s->out->next[s->field];

        if (i + 1 < to)
            add_pair(s, i, i + 2, analyze_step(s), 0);
        if (!(s->options & ANALYZE_QUERY))
            add_pair(s, i, i + 1, position, TERM_EXTRA);
    }
    return to;
}

void analyze(struct analyzer *z, enum text_field field, const char *text, size_t n, unsigned options,
             struct text_terms *out)
{
    struct scan s = {.z = z, .field = field, .options = options, .out = out, .opens = true};

    assert(field < TEXT_FIELDS);
    s.c = chars_of(out->arena, text, n);
    for (size_t i = 0; i < s.c.n;) {
        size_t simple_end = add_simple(&s, i);
        enum char_class k = analyze_class(&s, i);

        if (simple_end > i) {
            i = simple_end;
        } else if (char_in_word(k) && k != CHAR_MARK) {
            i = analyze_compound(&s, i);
        } else if (k == CHAR_DENSE) {
            i = add_dense(&s, i);
        } else {
            if (k == CHAR_SIGN)
                add_pair(&s, i, i + 1, analyze_step(&s), 0);
            s.opens |= s.c.at[i] == '.' || s.c.at[i] == '!' || s.c.at[i] == '?' || s.c.at[i] == '\n';
            i++;
        }
    }
    if (out->next[field] > 0)
        out->next[field] += PIECE_GAP;
}
