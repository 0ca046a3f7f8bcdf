/* Reading a text word by word, noting how each is written; see mention_words.h. */
#include "mention_words.h"

#include <string.h>
#include <utf8proc.h>

#include "stopwords.h"

struct sign {
    int32_t c;               /* code point; 0: the end */
    size_t n;                /* bytes */
    bool letter, upper, digit;
};

static struct sign sign_at(const char *p)
{
    unsigned char b = (unsigned char)*p;
    struct sign s = {b, b ? 1 : 0, false, false, false};
    utf8proc_category_t category;

    if (b < 0x80) {
        s.upper = b >= 'A' && b <= 'Z';
        s.letter = s.upper || (b >= 'a' && b <= 'z');
        s.digit = b >= '0' && b <= '9';
        return s;
    }
    s.n = (size_t)utf8proc_iterate((const utf8proc_uint8_t *)p, -1, &s.c);
    if (s.c < 0)
        return (struct sign){' ', 1, false, false, false};
    category = utf8proc_category(s.c);
    s.upper = category == UTF8PROC_CATEGORY_LU;
    s.letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
    s.digit = category == UTF8PROC_CATEGORY_ND;
    return s;
}

static bool is_quote(int32_t c)
{
    return c == '"' || c == 0x201C || c == 0x201D || c == 0xAB || c == 0xBB;
}

/* May stand inside a word, when a letter or digit follows. */
static bool joins(int32_t c)
{
    return (c < 0x80 && c && strchr("._'-@/&+#", c)) || c == 0x2019;
}

static bool ends_sentence(int32_t c)
{
    return c == '.' || c == '!' || c == '?' || c == '\n' || c == ':' || c == 0x3002;
}

/* Up to the next word; notes what is passed. */
static struct sign skip(struct word_reader *r)
{
    for (;;) {
        struct sign s = sign_at(r->p);

        if (!s.c || s.letter || s.digit || (s.c == '_' && r->p[1]))
            return s;
        if (is_quote(s.c)) {
            r->quoted = s.c == '"' ? !r->quoted : s.c == 0x201C || s.c == 0xAB;
            r->quote_opens = r->quoted;
        }
        if (ends_sentence(s.c))
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

static void note(struct shape *shape, const struct sign *s)
{
    if (s->upper && shape->lower)
        shape->inner_upper++;
    shape->letters += s->letter;
    shape->lower += s->letter && !s->upper;
    shape->digits += s->digit;
    shape->signs += !s->letter && !s->digit && s->c != '-' && s->c != '\'' && s->c != 0x2019 && s->c != '&';
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

static unsigned flags_of(const struct shape *shape, const struct name_word *w, bool capital)
{
    unsigned flags = 0;

    if (capital)
        flags |= WORD_CAPITAL;
    if (shape->digits && !shape->letters)
        flags |= WORD_NUMBER;
    else if (shape->inner_upper || (shape->digits && shape->letters) || (shape->signs && shape->letters > 1))
        flags |= WORD_IDENTIFIER;
    if (stopwords_has(w->text, w->n))
        flags |= WORD_STOP;
    return flags;
}

bool next_word(struct word_reader *r, struct name_word *out)
{
    struct sign s = skip(r), next;
    struct shape shape = {0};
    bool capital = s.upper;

    if (!s.c)
        return false;
    out->n = 0;
    while (s.letter || s.digit || s.c == '_' || joins(s.c)) {
        if (s.c >= 'a' && s.c <= 'z') {
            pass_small(r, &shape, out);
            s = sign_at(r->p);
            continue;
        }
        if (joins(s.c) && s.c != '_') {
            next = sign_at(r->p + s.n);
            if (!next.letter && !next.digit)
                break;
        }
        note(&shape, &s);
        fold_into(out, s.c);
        r->p += s.n;
        s = sign_at(r->p);
    }
    if (out->n > WORD_BYTES)
        out->n = WORD_BYTES;
    without_possessive(out);
    out->flags = flags_of(&shape, out, capital) | (r->opens ? WORD_OPENS : 0) | (r->apart ? WORD_APART : 0) |
                 (r->quoted ? WORD_QUOTED : 0) | (r->quote_opens ? WORD_QUOTE_OPENS : 0);
    r->opens = r->apart = r->quote_opens = false;
    return true;
}
