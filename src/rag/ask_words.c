/* The words of a question that say something, and what it asks for. */
#include <ctype.h>
#include <string.h>

#include "ask_impl.h"
#include "stopwords.h"
#include "unicode.h"

#define NAME_WEIGHT 2.0

static enum ask_kind ask_kind_of(const char *folded)
{
    static const struct { const char *start; enum ask_kind kind; } STARTS[] = {
        {"who ", ASK_WHO}, {"whose ", ASK_WHO}, {"when ", ASK_WHEN}, {"how many ", ASK_MANY}, {"how much ", ASK_MANY},
        {"where ", ASK_WHERE}, {"what year", ASK_WHEN}, {"in what year", ASK_WHEN}, {"in which year", ASK_WHEN}, {"which year", ASK_WHEN}};

    for (size_t i = 0; i < sizeof STARTS / sizeof *STARTS; i++)
        if (str_starts(folded, STARTS[i].start))
            return STARTS[i].kind;
    return ASK_ANY;
}

static bool ask_is_question_word(const char *w)
{
    static const char *const WORDS[] = {"who", "whose", "whom", "when", "where", "what", "which", "why", "how", "many",
                                        "much", "year", "did", "does"};

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
        if (str_eq(WORDS[i], w))
            return true;
    return false;
}

static bool ask_is_word_byte(char ch)
{
    return isalnum((unsigned char)ch) || (ch & 0x80) || ch == '-' || ch == '\'';
}

/* "founder", "founded" and "founding" have "found" in common. */
static void ask_shorten(char *w)
{
    static const char *const ENDS[] = {"ings", "ing", "ers", "ors", "ed", "er", "or", "es", "s"};
    size_t n = strlen(w);

    for (size_t i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        size_t k = strlen(ENDS[i]);

        if (n >= k + 4 && strcmp(w + n - k, ENDS[i]) == 0) {
            w[n - k] = 0;
            return;
        }
    }
}

void ask_words_of(struct ctx *c, const char *question, struct ask_words *out)
{
    const char *folded = unicode_fold(c->arena, question), *p = question;

    *out = (struct ask_words){.kind = ask_kind_of(folded)};
    while (*p && out->n < ASK_WORDS) {
        size_t n = 0;
        bool capital, is_first = p == question;
        char *word;

        while (*p && !ask_is_word_byte(*p))
            p++;
        while (ask_is_word_byte(p[n]))
            n++;
        if (!n)
            break;
        capital = isupper((unsigned char)*p) && !is_first;
        word = arena_strdup(c->arena, unicode_fold(c->arena, arena_strndup(c->arena, p, n)));
        p += n;
        if (strlen(word) > 2 && str_eq(word + strlen(word) - 2, "'s"))
            word[strlen(word) - 2] = 0;
        if (strlen(word) < 2 || stopwords_has(word, strlen(word)) || ask_is_question_word(word))
            continue;
        ask_shorten(word);
        out->v[out->n++] = (struct ask_word){.text = word, .weight = capital ? NAME_WEIGHT : 1};
    }
}

/* At the beginning of a word. */
bool ask_holds(const char *text, const struct ask_word *w)
{
    size_t n = strlen(w->text);

    for (const char *at = strcasestr(text, w->text); at; at = strcasestr(at + n, w->text))
        if (at == text || !ask_is_word_byte(at[-1]))
            return true;
    return false;
}
