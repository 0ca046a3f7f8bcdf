/* The grade that needs no model, verdicts, and stripping; see grade.h. */
#include "grade.h"

#include <string.h>
#include <strings.h>

#include "sentences.h"
#include "str.h"

/* How much of the doubt each kind of evidence takes away at its best. */
#define BY_MEANING 0.90
#define BY_WORDS 0.85
#define ONE_WORD 0.60 /* of that, where the query has but one word: anybody may use it */
#define NO_NAME 0.50  /* of the probability, when none of the query's names is there */
#define NO_NUMBER 0.70

ENUMX_DEFINE(grade_verdict, GRADE_VERDICT);

static double grade_clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

double grade_of(const struct grade_evidence *e)
{
    double words = BY_WORDS * (double)e->match.coverage * (e->words == 1 ? ONE_WORD : 1);
    double meaning = BY_MEANING * grade_clamp(e->similarity);
    double p = 1 - (1 - words) * (1 - meaning);

    if (e->has_names)
        p *= NO_NAME + (1 - NO_NAME) * (double)e->match.names;
    if (e->has_numbers)
        p *= NO_NUMBER + (1 - NO_NUMBER) * (double)e->match.numbers;
    return 2 * p - 1;
}

const char *grade_band(double grade)
{
    return grade >= GRADE_UPPER ? "high" : grade >= GRADE_LOWER ? "medium" : GRADE_BAND_LOW;
}

struct grade_sum grade_sum(const double *grades, size_t n, double lower, double upper)
{
    struct grade_sum s = {.verdict = VERDICT_INCORRECT, .best = -1};

    for (size_t i = 0; i < n; i++)
        s.best = grades[i] > s.best ? grades[i] : s.best;
    if (s.best >= upper)
        s.verdict = VERDICT_CORRECT;
    else if (s.best >= lower)
        s.verdict = VERDICT_AMBIGUOUS;
    s.confidence = s.verdict == VERDICT_CORRECT     ? (s.best + 1) / 2
                   : s.verdict == VERDICT_INCORRECT ? (1 - s.best) / 2
                                                    : 1 - (s.best > 0 ? s.best : -s.best);
    return s;
}

/* ---- stripping */

/* Whether a sentence begins with a word that stands for something said before. */
static bool goes_on(const char *p, size_t n)
{
    static const char *const WORDS[] = { "he", "she", "it", "they", "this", "that", "these", "those", "his", "her", "its",
                                         "their", "there" };

    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        size_t len = strlen(WORDS[i]);

        if (n > len && strncasecmp(p, WORDS[i], len) == 0 && (p[len] == ' ' || p[len] == '\''))
            return true;
    }
    return false;
}

/* Appends a sentence with what stood between it and the one before, or "…" for what was left out. */
static void grade_keep(struct buf *out, const char *last_end, bool left_out, const char *p, size_t n)
{
    if (left_out)
        buf_puts(out, out->len ? " \xe2\x80\xa6 " : "\xe2\x80\xa6 ");
    else if (last_end)
        buf_add(out, last_end, (size_t)(p - last_end));
    buf_add(out, p, n);
}

const char *grade_strip(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t *stripped)
{
    const char *last_end = NULL;
    bool before = false, left_out = false;
    size_t n, gone = 0;
    struct buf out;

    buf_init(&out, a, strlen(text) + 16);
    for (const char *p = text; (p = sentence_next(p, &n)); p += n) {
        before = words_found(q, a, z, p, n) != 0 || (before && goes_on(p, n));
        if (before) {
            grade_keep(&out, last_end, left_out, p, n);
            last_end = p + n;
        } else {
            gone++;
        }
        left_out = !before;
    }
    if (left_out && last_end)
        buf_puts(&out, " \xe2\x80\xa6");
    *stripped = last_end ? gone : 0;
    return *stripped ? buf_str(&out) : text;
}
