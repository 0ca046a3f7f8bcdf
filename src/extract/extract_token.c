/* Words of a sentence; see extract_impl.h. */
#include <ctype.h>
#include <string.h>

#include "extract_impl.h"

static bool token_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Stands inside a word if a letter follows: Node.js, v1.2, loci-web, a@b, and/or. */
static bool token_joins(const char *p, const char *end)
{
    if (*p == '\'' && p + 1 < end)
        return token_is_letter(p[1]);
    return strchr(".-_/@:+%", *p) && p + 1 < end && token_is_letter(p[1]) && !(*p == ':' && p[1] == ' ');
}

static size_t token_length(const char *p, const char *end)
{
    const char *at = p;

    while (at < end && (token_is_letter(*at) || (at > p && token_joins(at, end))))
        at++;
    while (at > p && at < end && (*at == '+' || *at == '#' || *at == '%'))
        at++;
    return (size_t)(at - p);
}

static const char *token_small(struct arena *a, const char *p, size_t n)
{
    char *s = arena_strndup(a, p, n);

    for (char *q = s; *q; q++)
        *q = *q >= 'A' && *q <= 'Z' ? (char)(*q + 32) : *q;
    return s;
}

static void token_push(struct arena *a, struct tokens *out, const char *text, const char *said, size_t n, size_t at)
{
    struct token *t = &out->v[out->n++];

    *t = (struct token){.text = arena_strndup(a, said, n), .low = token_small(a, said, n), .start = at, .end = at + n,
        .is_word = token_is_letter(*said)};
    t->capital = *said >= 'A' && *said <= 'Z';
    t->number = *said >= '0' && *said <= '9';
    (void)text;
}

/* "isn't" is two words, "she's" as well; "Bob's" is one that has something. */
static void token_split(struct arena *a, struct tokens *out, const char *text, size_t at, size_t n)
{
    static const struct {
        const char *tail, *word;
    } TAILS[] = {{"n't", "not"}, {"'m", "am"}, {"'re", "are"}, {"'ve", "have"}, {"'ll", "will"}, {"'d", "would"}};
    static const char PRONOUNS[] = " he she it that there here what who i ";
    const char *p = text + at, *low = token_small(a, p, n);

    for (size_t i = 0; i < sizeof TAILS / sizeof *TAILS; i++) {
        size_t k = strlen(TAILS[i].tail);

        if (n <= k || strcmp(low + n - k, TAILS[i].tail) != 0)
            continue;
        token_push(a, out, text, strcmp(low, "can't") == 0 ? "can" : strcmp(low, "won't") == 0 ? "will" : p, strcmp(low, "can't") == 0 ? 3 :
                   strcmp(low, "won't") == 0 ? 4 : n - k, at);
        token_push(a, out, text, TAILS[i].word, strlen(TAILS[i].word), at + n - k);
        out->v[out->n - 1].end = at + n;
        return;
    }
    if (n > 2 && strcmp(low + n - 2, "'s") == 0) {
        bool is = strstr(PRONOUNS, arena_printf(a, " %.*s ", (int)(n - 2), low)) != NULL;

        token_push(a, out, text, p, n - 2, at);
        out->v[out->n - 1].end = is ? at + n - 2 : at + n;
        out->v[out->n - 1].possessive = !is;
        if (is)
            token_push(a, out, text, "is", 2, at + n - 2);
        return;
    }
    token_push(a, out, text, p, n, at);
}

/* A quoted text is one token. */
static size_t token_quoted(struct arena *a, struct tokens *out, const char *text, size_t at, size_t end)
{
    const char *close = memchr(text + at + 1, text[at], end - at - 1);
    size_t n = close ? (size_t)(close - text) - at - 1 : 0;

    if (!n || n > 80 || memchr(text + at + 1, '\n', n))
        return 0;
    token_push(a, out, text, text + at + 1, n, at);
    out->v[out->n - 1].end = at + n + 2;
    out->v[out->n - 1].is_word = out->v[out->n - 1].quoted = out->v[out->n - 1].capital = true;
    return n + 2;
}

bool tokens_read(struct arena *a, const char *text, size_t start, size_t end, struct tokens *out)
{
    out->n = 0;
    for (size_t i = start, n; i < end; i += n) {
        n = token_length(text + i, text + end);
        if (out->n + 3 > TOKENS_MAX)
            return false;
        if (n) {
            token_split(a, out, text, i, n);
            continue;
        }
        n = text[i] == '"' || text[i] == '`' ? token_quoted(a, out, text, i, end) : 0;
        if (n)
            continue;
        n = 1;
        if (!isspace((unsigned char)text[i]))
            token_push(a, out, text, text + i, 1, i);
    }
    return true;
}

bool token_is(const struct token *t, const char *words)
{
    size_t n = strlen(t->low);

    for (const char *at = words; n && (at = strstr(at, t->low)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

/* ---- forms of verbs */

static const struct {
    const char *form, *lemma;
    enum token_form is;
} IRREGULAR[] = {
    {"is", "be", FORM_PRESENT}, {"are", "be", FORM_PRESENT}, {"am", "be", FORM_PRESENT}, {"was", "be", FORM_PAST}, {"were", "be",
        FORM_PAST},
    {"been", "be", FORM_PAST}, {"being", "be", FORM_ING}, {"has", "have", FORM_PRESENT}, {"had", "have", FORM_PAST}, {"bought", "buy",
        FORM_PAST},
    {"chose", "choose", FORM_PAST}, {"chosen", "choose", FORM_PAST}, {"left", "leave", FORM_PAST}, {"met", "meet", FORM_PAST},
    {"led", "lead", FORM_PAST}, {"ran", "run", FORM_PAST}, {"wrote", "write", FORM_PAST}, {"written", "write", FORM_PAST},
    {"spoke", "speak", FORM_PAST}, {"built", "build", FORM_PAST}, {"began", "begin", FORM_PAST}, {"held", "hold", FORM_PAST},
    {"kept", "keep", FORM_PAST}, {"went", "go", FORM_PAST}, {"goes", "go", FORM_PRESENT}, {"grew", "grow", FORM_PAST}, {"drove", "drive",
        FORM_PAST},
    {"taught", "teach", FORM_PAST}, {"became", "become", FORM_PAST}, {"stuck", "stick", FORM_PAST}, {"knew", "know", FORM_PAST},
    {"set", "set", FORM_PAST}, {"quit", "quit", FORM_PAST}, {"cost", "cost", FORM_PRESENT}, {"drank", "drink", FORM_PAST}, {"does", "do",
        FORM_PRESENT},
};

static bool ends_form(const char *low, const char *lemma, size_t keep, const char *tail)
{
    return strncmp(low, lemma, keep) == 0 && strcmp(low + keep, tail) == 0;
}

enum token_form token_form_of(const char *low, const char *lemma)
{
    size_t n = strlen(lemma), k = n - 1;

    if (strcmp(low, lemma) == 0)
        return FORM_BASE;
    for (size_t i = 0; i < sizeof IRREGULAR / sizeof *IRREGULAR; i++)
        if (strcmp(IRREGULAR[i].form, low) == 0 && strcmp(IRREGULAR[i].lemma, lemma) == 0)
            return IRREGULAR[i].is;
    if (n < 3 || strlen(low) < n)
        return FORM_OTHER;
    if (ends_form(low, lemma, n, "s") || ends_form(low, lemma, n, "es") || (lemma[k] == 'y' && ends_form(low, lemma, k, "ies")))
        return FORM_PRESENT;
    bool shortened = lemma[k] == 'y' && ends_form(low, lemma, k, "ied");
    if (ends_form(low, lemma, n, "ed") || (lemma[k] == 'e' && ends_form(low, lemma, n, "d")) || shortened)
        return FORM_PAST;
    if (ends_form(low, lemma, n, "ing") || (lemma[k] == 'e' && ends_form(low, lemma, k, "ing")))
        return FORM_ING;
    if (strncmp(low, lemma, n) == 0 && low[n] == lemma[k] && (strcmp(low + n + 1, "ed") == 0 || strcmp(low + n + 1, "ing") == 0))
        return low[n + 1] == 'e' ? FORM_PAST : FORM_ING;
    return FORM_OTHER;
}
