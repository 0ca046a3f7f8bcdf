/* The guard on details, by words; see alike.h. */
#include "alike.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

/* ---- words */

static bool in_word(const char *p)
{
    unsigned char c = (unsigned char)*p;

    return isalnum(c) || c >= 0x80 || c == '_';
}

/* What joins two parts of one word or number: 1.5, 2026-11-18, v1.2, 10:30, a/b, don't. */
static bool joins(const char *p)
{
    return *p && strchr(".,-:/'", *p) && in_word(p + 1);
}

/* The next word at or after p, in small letters, with ’ as '; NULL at the end. */
static const char *alike_next_word(struct arena *a, const char **p)
{
    struct buf b;
    const char *s = *p;

    while (*s && !in_word(s))
        s++;
    if (!*s)
        return NULL;
    buf_init(&b, a, 16);
    for (; *s && (in_word(s) || joins(s)); s++) {
        if (strncmp(s, "\xe2\x80\x99", 3) == 0) {
            buf_putc(&b, '\'');
            s += 2;
        } else {
            buf_putc(&b, (char)tolower((unsigned char)*s));
        }
    }
    *p = s;
    return buf_str(&b);
}

bool alike_says_something(const char *text)
{
    size_t words = 0;

    for (const char *s = text; *s && words < 2;) {
        bool has_letter = false;

        while (*s && !in_word(s))
            s++;
        for (; *s && (in_word(s) || joins(s)); s++)
            has_letter |= isalpha((unsigned char)*s) || (unsigned char)*s >= 0x80;
        words += has_letter;
    }
    return words == 2;
}

/* ---- what may not differ */

static bool alike_is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

static bool is_detail(const char *word)
{
    static const char *const WORDS[] = {
        "zero",      "one",      "two",      "three",     "four",     "five",    "six",      "seven",
        "eight",     "nine",     "ten",      "eleven",    "twelve",   "twenty",  "thirty",   "forty",
        "fifty",     "sixty",    "seventy",  "eighty",    "ninety",   "hundred", "thousand", "million",
        "billion",   "first",    "second",   "third",     "fourth",   "fifth",   "half",     "double",
        "twice",     "monday",   "tuesday",  "wednesday", "thursday", "friday",  "saturday", "sunday",
        "january",   "february", "march",    "april",     "may",      "june",    "july",     "august",
        "september", "october",  "november", "december",
    };

    for (const char *p = word; *p; p++)
        if (isdigit((unsigned char)*p))
            return true;
    return alike_is_one_of(word, WORDS, sizeof WORDS / sizeof *WORDS);
}

static bool is_negation(const char *word)
{
    static const char *const WORDS[] = {
        "not",    "no",      "never",  "none",    "nothing", "nobody", "nowhere", "neither", "nor",
        "cannot", "without", "nicht",  "kein",    "keine",   "keinen", "keinem",  "keiner",  "keines",
        "nie",    "niemals", "nichts", "niemand", "ohne",    "ne",     "pas",     "jamais",  "rien",
        "sans",   "nunca",   "sin",    "nada",    "non",     "mai",    "senza",
    };
    size_t n = strlen(word);

    return alike_is_one_of(word, WORDS, sizeof WORDS / sizeof *WORDS) ||
           (n > 3 && strcmp(word + n - 3, "n't") == 0);
}

struct details {
    const char **v; /* sorted, each once */
    size_t n, negations;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct details details_of(struct arena *a, const char *text)
{
    struct details d = {.v = ARENA_ARRAY(a, const char *, strlen(text) / 2 + 1)};
    const char *word;
    size_t kept = 0;

    while ((word = alike_next_word(a, &text))) {
        if (is_detail(word))
            d.v[d.n++] = word;
        d.negations += is_negation(word);
    }
    qsort(d.v, d.n, sizeof *d.v, by_text);
    for (size_t i = 0; i < d.n; i++)
        if (!kept || strcmp(d.v[kept - 1], d.v[i]) != 0)
            d.v[kept++] = d.v[i];
    d.n = kept;
    return d;
}

bool alike_differs(struct arena *a, const char *x, const char *y)
{
    struct details dx = details_of(a, x), dy = details_of(a, y);

    if (dx.n != dy.n || dx.negations != dy.negations)
        return true;
    for (size_t i = 0; i < dx.n; i++)
        if (strcmp(dx.v[i], dy.v[i]) != 0)
            return true;
    return false;
}

bool similar_enough(struct arena *a, double similarity, const char *x, const char *y)
{
    return similarity >= ALIKE && !alike_differs(a, x, y);
}
