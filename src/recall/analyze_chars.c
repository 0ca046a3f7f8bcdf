/* Bytes to characters: UTF-8 that may be broken, normal form KC, and the classes that words are made of. */
#include <string.h>
#include <utf8proc.h>

#include "analyze_impl.h"

/* ASCII: 1 lower, 2 upper, 3 digit, as in enum char_class. */
static enum char_class ascii_class(int32_t c)
{
    if (c >= 'a' && c <= 'z')
        return CHAR_LOWER;
    if (c >= 'A' && c <= 'Z')
        return CHAR_UPPER;
    return c >= '0' && c <= '9' ? CHAR_DIGIT : CHAR_OTHER;
}

/* Scripts written without spaces: their words are found by pairs of characters. */
static bool is_dense(int32_t c)
{
    static const int32_t RANGES[][2] = {
        { 0x0e00, 0x0eff },                     /* Thai, Lao */
        { 0x1000, 0x109f },                     /* Myanmar */
        { 0x1780, 0x17ff },                     /* Khmer */
        { 0x3005, 0x3007 }, { 0x3040, 0x312f }, /* Hiragana, Katakana, Bopomofo */
        { 0x31a0, 0x31bf }, { 0x31f0, 0x31ff }, { 0x3400, 0x4dbf },
        { 0x4e00, 0x9fff }, { 0xf900, 0xfaff }, { 0x20000, 0x3ffff }, /* Han */
        { 0xac00, 0xd7ff },                                           /* Hangul */
    };

    if (c < RANGES[0][0])
        return false;
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++)
        if (c >= RANGES[i][0] && c <= RANGES[i][1])
            return true;
    return false;
}

enum char_class char_class(int32_t c)
{
    if (c < 0x80)
        return ascii_class(c);
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT: return CHAR_UPPER;
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return is_dense(c) ? CHAR_DENSE : CHAR_LOWER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return is_dense(c) ? CHAR_DENSE : CHAR_MARK;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return is_dense(c) ? CHAR_DENSE : CHAR_DIGIT;
    case UTF8PROC_CATEGORY_SO: return c >= 0x2190 ? CHAR_SIGN : CHAR_OTHER;
    default: return CHAR_OTHER;
    }
}

/* One code point of s[0..n), or a space for a byte that starts none; returns how many bytes it took. */
static size_t next_char(const unsigned char *s, size_t n, int32_t *c)
{
    static const int32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4
                               : s[0] >= 0xe0   ? 3
                                                : 2;

    *c = ' ';
    if (len == 1) {
        *c = s[0];
        return 1;
    }
    if (s[0] < 0xc2 || s[0] > 0xf4 || len > n)
        return 1;
    int32_t value = s[0] & (0x7f >> len);
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 1;
        value = value << 6 | (s[i] & 0x3f);
    }
    if (value < LEAST[len] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 1;
    *c = value;
    return len;
}

/* Frequent characters, and those whose compatibility form would run into the word before them; 0: none of
   them. */
static int32_t simple_form(int32_t c)
{
    switch (c) {
    case 0xa0: /* no-break space */
    case 0xa9: /* copyright, registered, trade and service mark */
    case 0xae:
    case 0x2120:
    case 0x2122:
    case 0x200b: /* zero-width space: a place to break a line at */
    case 0x201c:
    case 0x201d:
    case 0x2013:
    case 0x2014:
    case 0x2018:
    case 0x2026: return ' ';
    case 0x2bc:
    case 0x2019: return '\'';
    case 0x2010:
    case 0x2011: return '-';
    default: return 0;
    }
}

/* Marks in canonical order: stable, by combining class, between two starters. */
static void order_marks(int32_t *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        int class = at[i] < 0x300 ? 0 : (int)utf8proc_get_property(at[i])->combining_class;
        int32_t moved = at[i];
        size_t k = i;

        for (; class > 0 && k > 0 && utf8proc_get_property(at[k - 1])->combining_class > class; k--)
            at[k] = at[k - 1];
        at[k] = moved;
    }
}

static size_t widen_ascii(const unsigned char *s, size_t n, int32_t *out)
{
    size_t i = 0;

    for (; i < n && s[i] < 0x80; i++)
        out[i] = s[i];
    return i;
}

/* The longest compatibility form of one character (U+FDFA). */
#define FORM_MAX 18

/* Room for one more form and for what is still to come. */
static void analyze_chars_reserve(struct arena *a, struct chars *out, size_t *cap, size_t need)
{
    int32_t *wider;

    if (need <= *cap)
        return;
    *cap = need * 2;
    wider = arena_array(a, *cap, sizeof *wider);
    out->at = memcpy(wider, out->at, out->n * sizeof *wider);
}

/* Appends c in compatibility form, decomposed; true if marks may have to be ordered and composed. */
static bool analyze_chars_add_form(struct chars *out, int32_t c)
{
    int boundclass = 0;
    utf8proc_ssize_t n = utf8proc_decompose_char(
        c, out->at + out->n, FORM_MAX, UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_IGNORE, &boundclass);

    if (n > 0 && n <= FORM_MAX)
        out->n += (size_t)n;
    return n > 1 || c >= 0x300;
}

struct chars chars_of(struct arena *a, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t cap = n + FORM_MAX, at;
    struct chars out = {arena_array(a, cap, sizeof(int32_t)), 0};
    bool complex = false;

    out.n = at = widen_ascii(s, n, out.at);
    while (at < n) {
        int32_t c, simple;

        at += next_char(s + at, n - at, &c);
        simple = c < 0x80 ? c : simple_form(c);
        if (simple) {
            out.at[out.n++] = simple;
        } else {
            analyze_chars_reserve(a, &out, &cap, out.n + FORM_MAX + (n - at));
            complex |= analyze_chars_add_form(&out, c);
        }
    }
    if (complex) {
        order_marks(out.at, out.n);
        out.n = (size_t)utf8proc_normalize_utf32(out.at, (utf8proc_ssize_t)out.n, UTF8PROC_COMPOSE);
    }
    return out;
}
