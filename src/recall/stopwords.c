/* The list of English stop words, our own: function words, question words and what people say to be polite.
   */
#include "stopwords.h"

#include <stdlib.h>
#include <string.h>

/* In the order of strcmp. Left out on purpose: no, not, nor, never, without (they turn a sentence around),
   may (a month), will (a name), like, know, want (what people say about themselves). */
static const char *const WORDS[] = {
    "a",       "about",    "above",   "after",      "again",   "against",  "all",        "also",
    "am",      "an",       "and",     "any",        "anybody", "anyone",   "anything",   "are",
    "as",      "at",       "be",      "because",    "been",    "before",   "being",      "below",
    "between", "both",     "but",     "by",         "can",     "could",    "did",        "do",
    "does",    "doing",    "done",    "down",       "during",  "each",     "else",       "ever",
    "few",     "for",      "from",    "further",    "had",     "has",      "have",       "having",
    "he",      "her",      "here",    "hers",       "herself", "him",      "himself",    "his",
    "how",     "i",        "if",      "in",         "into",    "is",       "it",         "its",
    "itself",  "just",     "let",     "many",       "me",      "might",    "mine",       "more",
    "most",    "much",     "must",    "my",         "myself",  "of",       "off",        "on",
    "once",    "only",     "or",      "other",      "our",     "ours",     "ourselves",  "out",
    "over",    "own",      "please",  "same",       "shall",   "she",      "should",     "so",
    "some",    "somebody", "someone", "something",  "such",    "than",     "that",       "the",
    "their",   "theirs",   "them",    "themselves", "then",    "there",    "these",      "they",
    "this",    "those",    "through", "to",         "too",     "under",    "until",      "up",
    "us",      "very",     "was",     "we",         "were",    "what",     "whatever",   "when",
    "where",   "whether",  "which",   "while",      "who",     "whom",     "whose",      "why",
    "with",    "would",    "you",     "your",       "yours",   "yourself", "yourselves",
};

#define LONGEST 10       /* themselves */

struct key {
    const char *word;
    size_t n;
};

static int compare(const void *a, const void *b)
{
    const struct key *key = a;
    const char *word = *(const char *const *)b;
    int order = strncmp(key->word, word, key->n);

    return order ? order : -(word[key->n] != '\0');
}

bool stopwords_has(const char *word, size_t n)
{
    const struct key key = { word, n };

    return n > 0 && n <= LONGEST && bsearch(&key, WORDS, sizeof WORDS / sizeof *WORDS, sizeof *WORDS, compare) != NULL;
}
