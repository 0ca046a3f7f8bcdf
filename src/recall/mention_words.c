/* Reading a text word by word, noting how each is written; see mention_words.h. */
#include "mention_words.h"

#include <string.h>
#include <utf8proc.h>

#include "stopwords.h"

enum sign_kind {
    SIGN_LETTER = 1,
    SIGN_UPPER = 2,
    SIGN_DIGIT = 4,
    SIGN_JOINS = 8,          /* may stand inside a word, when a letter or digit follows */
    SIGN_ENDS = 16,          /* ends a sentence */
};

struct sign {
    int32_t c; /* code point; 0: the end */
    uint8_t n; /* bytes */
    uint8_t kind;
};

static const uint8_t ASCII[128] = {
    ['a' ... 'z'] = SIGN_LETTER, ['A' ... 'Z'] = SIGN_LETTER | SIGN_UPPER, ['0' ... '9'] = SIGN_DIGIT,
    ['_'] = SIGN_JOINS, ['\''] = SIGN_JOINS, ['-'] = SIGN_JOINS, ['@'] = SIGN_JOINS, ['/'] = SIGN_JOINS, ['&'] = SIGN_JOINS,
    ['+'] = SIGN_JOINS, ['#'] = SIGN_JOINS, ['.'] = SIGN_JOINS | SIGN_ENDS, ['!'] = SIGN_ENDS, ['?'] = SIGN_ENDS,
    ['\n'] = SIGN_ENDS, [':'] = SIGN_ENDS,
};

static struct sign wide_sign(const char *p)
{
    utf8proc_category_t category;
    unsigned kind = 0;
    int32_t c;
    utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)p, -1, &c);

    if (c < 0)
        return (struct sign){' ', 1, 0};
    category = utf8proc_category(c);
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME)
        kind = category == UTF8PROC_CATEGORY_LU ? SIGN_LETTER | SIGN_UPPER : SIGN_LETTER;
    else if (category == UTF8PROC_CATEGORY_ND)
        kind = SIGN_DIGIT;
    else if (c == 0x2019)
        kind = SIGN_JOINS;
    else if (c == 0x3002)
        kind = SIGN_ENDS;
    return (struct sign){c, (uint8_t)n, (uint8_t)kind};
}

static inline struct sign sign_at(const char *p)
{
    unsigned char b = (unsigned char)*p;

    return b < 0x80 ? (struct sign){b, b != 0, ASCII[b]} : wide_sign(p);
}

static bool is_quote(int32_t c)
{
    return c == '"' || c == 0x201C || c == 0x201D || c == 0xAB || c == 0xBB;
}

/* Up to the next word; notes what is passed. */
static struct sign skip(struct word_reader *r)
{
    for (;;) {
        struct sign s = sign_at(r->p);

        if (!s.c || s.kind & (SIGN_LETTER | SIGN_DIGIT) || (s.c == '_' && r->p[1]))
            return s;
        if (is_quote(s.c)) {
            r->quoted = s.c == '"' ? !r->quoted : s.c == 0x201C || s.c == 0xAB;
            r->quote_opens = r->quoted;
        }
        if (s.kind & SIGN_ENDS)
            r->opens = true;
        if (s.c != ' ' && s.c != '\t')
            r->apart = true;
        r->p += s.n;
    }
}

struct shape {
    unsigned letters, digits, inner_upper, lower, signs;
};

static void fold_into(struct name_word *w, int32_t c)
{
    utf8proc_uint8_t bytes[4];
    size_t n = (size_t)utf8proc_encode_char(utf8proc_tolower(c), bytes);

    if (w->n + n <= WORD_BYTES)
        memcpy(w->text + w->n, bytes, n);
    w->n += n;
}

static void mention_words_note(struct shape *shape, struct sign s)
{
    bool letter = s.kind & SIGN_LETTER, upper = s.kind & SIGN_UPPER, digit = s.kind & SIGN_DIGIT;

    if (upper && shape->lower)
        shape->inner_upper++;
    shape->letters += letter;
    shape->lower += letter && !upper;
    shape->digits += digit;
    shape->signs += !letter && !digit && s.c != '-' && s.c != '\'' && s.c != 0x2019 && s.c != '&';
}

/* Small letters of ASCII, which most of a text is. */
static void pass_small(struct word_reader *r, struct shape *shape, struct name_word *out)
{
    for (; *r->p >= 'a' && *r->p <= 'z'; r->p++) {
        if (out->n < WORD_BYTES)
            out->text[out->n] = *r->p;
        out->n++;
        shape->letters++;
        shape->lower++;
    }
}

/* "Mel's" is Mel. */
static void without_possessive(struct name_word *w)
{
    if (w->n > 2 && memcmp(w->text + w->n - 2, "'s", 2) == 0)
        w->n -= 2;
    else if (w->n > 4 && memcmp(w->text + w->n - 4, "\xE2\x80\x99s", 4) == 0)
        w->n -= 4;
}

static unsigned mention_words_flags_of(const struct shape *shape, bool capital)
{
    unsigned flags = 0;

    if (capital)
        flags |= WORD_CAPITAL;
    if (shape->digits && !shape->letters)
        flags |= WORD_NUMBER;
    else if (shape->inner_upper || (shape->digits && shape->letters) || (shape->signs && shape->letters > 1))
        flags |= WORD_IDENTIFIER;
    return flags;
}

bool word_is_stop(const struct name_word *w)
{
    return stopwords_has(w->text, w->n);
}

bool next_word(struct word_reader *r, struct name_word *out)
{
    struct sign s = skip(r), next;
    struct shape shape = {0};
    bool capital = s.kind & SIGN_UPPER;

    if (!s.c)
        return false;
    out->n = 0;
    while (s.kind & (SIGN_LETTER | SIGN_DIGIT | SIGN_JOINS)) {
        if (s.c >= 'a' && s.c <= 'z') {
            pass_small(r, &shape, out);
            s = sign_at(r->p);
            continue;
        }
        if (s.kind & SIGN_JOINS && s.c != '_') {
            next = sign_at(r->p + s.n);
            if (!(next.kind & (SIGN_LETTER | SIGN_DIGIT)))
                break;
        }
        mention_words_note(&shape, s);
        fold_into(out, s.c);
        r->p += s.n;
        s = sign_at(r->p);
    }
    if (out->n > WORD_BYTES)
        out->n = WORD_BYTES;
    without_possessive(out);
    out->flags = mention_words_flags_of(&shape, capital) | (r->opens ? WORD_OPENS : 0) | (r->apart ? WORD_APART : 0) |
                 (r->quoted ? WORD_QUOTED : 0) | (r->quote_opens ? WORD_QUOTE_OPENS : 0);
    r->opens = r->apart = r->quote_opens = false;
    return true;
}
