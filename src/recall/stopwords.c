/* The list of English stop words, our own: function words, question words and what people say to be polite. */
#include "stopwords.h"

#include <string.h>

#define LONGEST 10

/* By first letter. Left out on purpose: no, not, nor, never, without (they turn a sentence around), may (a month), will
   (a name), like, know, want (what people say about themselves). */
static const char A[][LONGEST + 1] = {"a", "about", "above", "after", "again", "against", "all", "also",
    "am", "an", "and", "any", "anybody", "anyone", "anything", "are", "as", "at"};
static const char B[][LONGEST + 1] = {"be", "because", "been", "before", "being", "below", "between",
    "both", "but", "by"};
static const char C[][LONGEST + 1] = {"can", "could"};
static const char D[][LONGEST + 1] = {"did", "do", "does", "doing", "done", "down", "during"};
static const char E[][LONGEST + 1] = {"each", "else", "ever"};
static const char F[][LONGEST + 1] = {"few", "for", "from", "further"};
static const char H[][LONGEST + 1] = {"had", "has", "have", "having", "he", "her", "here", "hers",
    "herself", "him", "himself", "his", "how"};
static const char I[][LONGEST + 1] = {"i", "if", "in", "into", "is", "it", "its", "itself"};
static const char J[][LONGEST + 1] = {"just"};
static const char L[][LONGEST + 1] = {"let"};
static const char M[][LONGEST + 1] = {"many", "me", "might", "mine", "more", "most", "much", "must", "my",
    "myself"};
static const char O[][LONGEST + 1] = {"of", "off", "on", "once", "only", "or", "other", "our", "ours",
    "ourselves", "out", "over", "own"};
static const char P[][LONGEST + 1] = {"please"};
static const char S[][LONGEST + 1] = {"same", "shall", "she", "should", "so", "some", "somebody", "someone",
    "something", "such"};
static const char T[][LONGEST + 1] = {"than", "that", "the", "their", "theirs", "them", "themselves",
    "then", "there", "these", "they", "this", "those", "through", "to", "too"};
static const char U[][LONGEST + 1] = {"under", "until", "up", "us"};
static const char V[][LONGEST + 1] = {"very"};
static const char W[][LONGEST + 1] = {"was", "we", "were", "what", "whatever", "when", "where", "whether",
    "which", "while", "who", "whom", "whose", "why", "with", "would"};
static const char Y[][LONGEST + 1] = {"you", "your", "yours", "yourself", "yourselves"};

static const struct {
    const char (*at)[LONGEST + 1];
    size_t n;
} WORDS[26] = {
#define LETTER(low, words) [low - 'a'] = {words, sizeof words / sizeof *words}
    LETTER('a', A), LETTER('b', B), LETTER('c', C), LETTER('d', D), LETTER('e', E), LETTER('f', F),
    LETTER('h', H), LETTER('i', I), LETTER('j', J), LETTER('l', L), LETTER('m', M), LETTER('o', O),
    LETTER('p', P), LETTER('s', S), LETTER('t', T), LETTER('u', U), LETTER('v', V), LETTER('w', W),
    LETTER('y', Y),
};

bool stopwords_has(const char *word, size_t n)
{
    size_t letter;

    if (n == 0 || n > LONGEST || *word < 'a' || *word > 'z')
        return false;
    letter = (size_t)(*word - 'a');
    for (size_t i = 0; i < WORDS[letter].n; i++)
        if (WORDS[letter].at[i][n] == '\0' && memcmp(WORDS[letter].at[i], word, n) == 0)
            return true;
    return false;
}
