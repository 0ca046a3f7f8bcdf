/* Text to terms: which characters belong together, and in which forms they can be found. */
#include <assert.h>
#include <string.h>

#include "analyze_impl.h"

#define PARTS_MAX  32 /* of one identifier; what follows begins another */
#define PIECE_GAP  16 /* between two pieces of one field */
#define POOL_BYTES 4096      /* for the texts of terms, at a time */

/* What is being read, and where its terms go. */
struct scan {
    struct analyzer *z;
    struct chars c;
    enum text_field field;
    unsigned options;
    struct text_terms *out;
    bool opens; /* nothing was said since the sentence began */
};

/* From and up to a character; joiner is the one before it, 0 at the beginning. */
struct part {
    size_t from, to;
    int32_t joiner;
};

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

static void add_term(struct scan *s, const struct stem *stem, uint32_t position, unsigned flags)
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

static void add_word(struct scan *s, struct word *w, uint32_t position, unsigned flags)
{
    struct stem stem = word_stem(s->z, w, s->options);

    add_term(s, &stem, position, flags);
}

static void add_ascii(struct scan *s, const char *text, uint32_t position, unsigned flags)
{
    struct word w = { .n = strlen(text) };

    memcpy(w.text, text, w.n);
    add_word(s, &w, position, flags);
}

/* As it is written, but for case and accents. */
static void add_whole(struct scan *s, struct word *w, uint32_t position)
{
    struct stem stem;

    if (w->cut)
        return;
    stem = word_stem(s->z, w, ANALYZE_EXACT);
    add_term(s, &stem, position, TERM_EXTRA);
}

static uint32_t step(struct scan *s)
{
    s->opens = false;
    return s->out->next[s->field]++;
}

/* ---- one word */

static enum char_class class_at(const struct scan *s, size_t i)
{
    return i < s->c.n ? char_class(s->c.at[i]) : CHAR_OTHER;
}

/* camelCase and HTTPServer: where the next word begins, to if there is none. Neither side may be a single
   letter: iPhone, mRNA and PrP are words. */
static size_t camel_end(const struct scan *s, size_t from, size_t to)
{
    for (size_t i = from + 2; i + 2 <= to; i++) {
        enum char_class before = class_at(s, i - 1), here = class_at(s, i), after = class_at(s, i + 1);

        if (here != CHAR_UPPER)
            continue;
        if (before == CHAR_LOWER || before == CHAR_DIGIT ||
            (before == CHAR_UPPER && after == CHAR_LOWER && i + 2 < to))
            return i;
    }
    return to;
}

static void spell(const struct scan *s, size_t from, size_t to, struct word *w)
{
    for (size_t i = from; i < to; i++)
        if (s->c.at[i] != ',') /* of 1,000,000 */
            word_add(w, s->c.at[i]);
}

static void add_range(struct scan *s, size_t from, size_t to, uint32_t position, unsigned flags)
{
    struct word w = { .n = 0 };

    spell(s, from, to, &w);
    add_word(s, &w, position, flags);
}

/* The flags of a word that begins at from. */
static unsigned capital(const struct scan *s, size_t from)
{
    return (class_at(s, from) == CHAR_UPPER ? TERM_CAPITAL : 0u) | (s->opens ? TERM_OPENS : 0u);
}

static void add_part(struct scan *s, size_t from, size_t to)
{
    size_t end = camel_end(s, from, to);

    if (end < to)
        add_range(s, from, to, s->out->next[s->field], TERM_EXTRA);
    for (; from < to; from = end, end = camel_end(s, from, to)) {
        unsigned flags = capital(s, from);

        add_range(s, from, end, step(s), flags);
    }
}

/* ---- words and identifiers */

static bool is_digit_at(const struct scan *s, size_t i)
{
    return class_at(s, i) == CHAR_DIGIT;
}

/* A comma that groups the digits of a number. */
static bool groups_digits(const struct scan *s, size_t i)
{
    return s->c.at[i] == ',' && i > 0 && is_digit_at(s, i - 1) && is_digit_at(s, i + 1) &&
           is_digit_at(s, i + 2) && is_digit_at(s, i + 3) && !char_in_word(class_at(s, i + 4));
}

static size_t part_end(const struct scan *s, size_t i)
{
    while (i < s->c.n && (char_in_word(class_at(s, i)) || groups_digits(s, i)))
        i++;
    return i;
}

/* How many characters at i join the word before them to one after them; 0: the identifier ends. */
static size_t joiner_length(const struct scan *s, size_t i)
{
    const int32_t *c = s->c.at;
    size_t n = 1, left = s->c.n - i;

    if (i >= s->c.n || c[i] >= 0x80 || c[i] == 0 || !strchr("_-./@:'+#&\\", (char)c[i]))
        return 0;
    if (c[i] == '_')
        while (n < left && c[i + n] == '_')
            n++;
    else if (c[i] == ':' && left > 1 && c[i + 1] == ':')
        n = 2;
    else if (c[i] == ':' && left > 2 && c[i + 1] == '/' && c[i + 2] == '/')
        n = 3;
    return char_in_word(class_at(s, i + n)) ? n : 0;
}

static size_t find_parts(const struct scan *s, size_t from, struct part *parts)
{
    size_t n = 0, joined;
    int32_t joiner = 0;

    for (;; from += joined) {
        parts[n++] = (struct part){ from, part_end(s, from), joiner };
        from = parts[n - 1].to;
        joined = n < PARTS_MAX ? joiner_length(s, from) : 0;
        if (joined == 0)
            return n;
        joiner = s->c.at[from];
    }
}

static bool part_is(const struct scan *s, const struct part *p, const char *ascii)
{
    size_t n = strlen(ascii);

    if (p->to - p->from != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((s->c.at[p->from + i] | 0x20) != ascii[i])
            return false;
    return true;
}

/* The ends that English hangs on words with an apostrophe: 's, 'll and the like say nothing, n't says not.
   Takes them off parts; true if it says not. */
static bool take_contraction(const struct scan *s, struct part *parts, size_t *n)
{
    static const char *const EMPTY[] = { "s", "m", "d", "re", "ve", "ll" };
    struct part *last = &parts[*n - 1];

    if (*n < 2 || last->joiner != '\'')
        return false;
    if (part_is(s, last, "t") && last[-1].to - last[-1].from > 1 &&
        (s->c.at[last[-1].to - 1] | 0x20) == 'n') {
        bool can = part_is(s, &last[-1], "can");

        last[-1].to -= !can;
        *n -= 1;
        return true;
    }
    for (size_t i = 0; i < sizeof EMPTY / sizeof *EMPTY; i++) {
        if (part_is(s, last, EMPTY[i])) {
            *n -= 1;
            return false;
        }
    }
    return false;
}

/* won't and shan't have lost more than an o. */
static void add_negated(struct scan *s, const struct part *p)
{
    if (part_is(s, p, "wo"))
        add_ascii(s, "will", step(s), 0);
    else if (part_is(s, p, "sha"))
        add_ascii(s, "shall", step(s), 0);
    else
        add_part(s, p->from, p->to);
    add_ascii(s, "not", step(s), 0);
}

/* C++, C#, F#: a single letter with a sign after it, or any name with ++. */
static size_t sign_suffix(const struct scan *s, const struct part *last)
{
    const int32_t *c = s->c.at + last->to;
    size_t left = s->c.n - last->to, n = 0;
    bool letter = last->to - last->from == 1;

    if (left > 1 && c[0] == '+' && c[1] == '+')
        n = 2;
    else if (letter && left > 0 && (c[0] == '#' || c[0] == '+'))
        n = 1;
    return n && !char_in_word(class_at(s, last->to + n)) ? n : 0;
}

static bool all_digits(const struct scan *s, const struct part *p)
{
    for (size_t i = p->from; i < p->to; i++)
        if (!is_digit_at(s, i))
            return false;
    return true;
}

/* wi-fi and gpt-4 are also written in one word, 1990-1995 is not. */
static bool is_hyphenated(const struct scan *s, const struct part *parts, size_t n)
{
    bool letters = false;

    for (size_t i = 0; i < n; i++) {
        if (i > 0 && parts[i].joiner != '-')
            return false;
        letters |= !all_digits(s, &parts[i]);
    }
    return letters;
}

/* The forms of several parts in one: an identifier as it is, a hyphenated word without its hyphens. */
static void add_joined(struct scan *s, const struct part *parts, size_t n, uint32_t position)
{
    struct word w = { .n = 0 };

    if (is_hyphenated(s, parts, n)) {
        for (size_t i = 0; i < n; i++)
            spell(s, parts[i].from, parts[i].to, &w);
        add_word(s, &w, position, TERM_EXTRA);
        return;
    }
    spell(s, parts[0].from, parts[n - 1].to, &w);
    add_whole(s, &w, position);
}

static bool parts_further(int32_t joiner)
{
    return joiner == '@' || joiner == '/' || joiner == ':' || joiner == '\\';
}

/* How many of the parts stand together where a path, an address or a URL is taken apart. */
static size_t group_size(const struct part *parts, size_t n)
{
    size_t k = 1;

    while (k < n && !parts_further(parts[k].joiner))
        k++;
    return k;
}

static int number_of(const struct scan *s, const struct part *p)
{
    int value = 0;

    for (size_t i = p->from; i < p->to; i++)
        value = value * 10 + (int)(s->c.at[i] - '0');
    return value;
}

static bool ascii_digits(const struct scan *s, const struct part *p, size_t n)
{
    for (size_t i = p->from; i < p->to; i++)
        if (s->c.at[i] < '0' || s->c.at[i] > '9')
            return false;
    return p->to - p->from == n;
}

/* 2023-05-08 is also found as "8 May 2023". */
static void add_date_words(struct scan *s, const struct part *p, size_t n, uint32_t position)
{
    static const char *const MONTHS[] = { "january",   "february", "march",    "april",
                                          "may",       "june",     "july",     "august",
                                          "september", "october",  "november", "december" };
    int month, day;
    char text[] = { '0', '\0' };

    if (n != 3 || p[1].joiner != '-' || p[2].joiner != '-' || !ascii_digits(s, &p[0], 4) ||
        !ascii_digits(s, &p[1], 2) || !ascii_digits(s, &p[2], 2))
        return;
    month = number_of(s, &p[1]);
    day = number_of(s, &p[2]);
    if (month < 1 || month > 12 || day < 1 || day > 31)
        return;
    add_ascii(s, MONTHS[month - 1], position + 1, TERM_EXTRA);
    text[0] = (char)('0' + day % 10);
    if (day < 10)
        add_ascii(s, text, position + 2, TERM_EXTRA);
}

/* Parts of what is taken apart once more, each group whole and in parts. */
static void add_groups(struct scan *s, const struct part *parts, size_t n)
{
    for (size_t all = n; n > 0;) {
        size_t k = group_size(parts, n);

        if (k > 1 && k < all)
            add_joined(s, parts, k, s->out->next[s->field]);
        for (size_t i = 0; i < k; i++)
            add_part(s, parts[i].from, parts[i].to);
        parts += k;
        n -= k;
    }
}

/* A word or an identifier that begins at i; returns where it ends. */
static size_t add_compound(struct scan *s, size_t i)
{
    struct part parts[PARTS_MAX];
    size_t n = find_parts(s, i, parts), end = parts[n - 1].to, suffix = sign_suffix(s, &parts[n - 1]);
    uint32_t position = s->out->next[s->field];
    bool negated = !suffix && take_contraction(s, parts, &n);

    if (suffix) {
        struct word w = { .n = 0 };

        spell(s, parts[0].from, end + suffix, &w);
        add_whole(s, &w, position);
    } else if (n > 1) {
        add_joined(s, parts, n, position);
        add_date_words(s, parts, n, position);
    }
    if (negated && n == 1)
        add_negated(s, &parts[0]);
    else
        add_groups(s, parts, n);
    return end + suffix;
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

/* Adds what add_compound() would, sooner; returns where the word ends, or from if it is not as simple as
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
    add_word(s, &w, s->out->next[s->field],
             (c[from] <= 'Z' ? TERM_CAPITAL : 0u) | (s->opens ? TERM_OPENS : 0u));
    step(s);
    return to;
}

/* ---- scripts without spaces, and the whole text */

static void add_pair(struct scan *s, size_t from, size_t to, uint32_t position, unsigned flags)
{
    struct word w = { .n = 0 };
    struct stem stem;

    for (size_t i = from; i < to; i++)
        word_add(&w, s->c.at[i]);
    stem = word_stem(s->z, &w, ANALYZE_EXACT);
    add_term(s, &stem, position, flags);
}

/* Pairs of characters; documents can be found by each character too. */
static size_t add_dense(struct scan *s, size_t from)
{
    size_t to = from;

    while (class_at(s, to) == CHAR_DENSE)
        to++;
    if (to - from == 1)
        add_pair(s, from, to, step(s), 0);
    for (size_t i = from; to - from > 1 && i < to; i++) {
        uint32_t position = s->out->next[s->field];

        if (i + 1 < to)
            add_pair(s, i, i + 2, step(s), 0);
        if (!(s->options & ANALYZE_QUERY))
            add_pair(s, i, i + 1, position, TERM_EXTRA);
    }
    return to;
}

void analyze(struct analyzer *z, enum text_field field, const char *text, size_t n, unsigned options,
             struct text_terms *out)
{
    struct scan s = { .z = z, .field = field, .options = options, .out = out, .opens = true };

    assert(field < TEXT_FIELDS);
    s.c = chars_of(out->arena, text, n);
    for (size_t i = 0; i < s.c.n;) {
        size_t simple_end = add_simple(&s, i);
        enum char_class k = class_at(&s, i);

        if (simple_end > i) {
            i = simple_end;
        } else if (char_in_word(k) && k != CHAR_MARK) {
            i = add_compound(&s, i);
        } else if (k == CHAR_DENSE) {
            i = add_dense(&s, i);
        } else {
            if (k == CHAR_SIGN)
                add_pair(&s, i, i + 1, step(&s), 0);
            s.opens |= s.c.at[i] == '.' || s.c.at[i] == '!' || s.c.at[i] == '?' || s.c.at[i] == '\n';
            i++;
        }
    }
    if (out->next[field] > 0)
        out->next[field] += PIECE_GAP;
}
