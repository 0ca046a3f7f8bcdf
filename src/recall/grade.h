/* Grades: how well a text answers a query, from −1 to 1, and what the grades of all hits together mean. */
#ifndef LOCI_GRADE_H
#define LOCI_GRADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "enumx.h"
#include "word_match.h"

#define GRADE_UPPER 0.5  /* one hit so good, and the answer is there */
#define GRADE_LOWER -0.5 /* all hits so bad, and it is not */

/* correct: what is below lower goes, so do sentences that do not bear on the query. incorrect: nothing found answers it, and
 * the fallbacks are tried. ambiguous: perhaps; both. */
#define GRADE_VERDICT(X)                                                                                     \
    X(VERDICT_CORRECT, "correct") X(VERDICT_AMBIGUOUS, "ambiguous") X(VERDICT_INCORRECT, "incorrect")
ENUMX_DECLARE(grade_verdict, GRADE_VERDICT);

struct grade_evidence {
    double similarity; /* calibrated; below 0: unknown */
    struct word_match match;
    bool has_names, has_numbers; /* the query has such */
    size_t words;                /* of the query, that say something */
};

/* Without a model: meaning and words each make it likely that the text bears on the query; that names or numbers of the
 * query are missing makes it less so. */
double grade_of(const struct grade_evidence *e);

/* high, medium or low: as sure as a verdict would be that this text answers, that it may, that it does not. */
const char *grade_band(double grade);
#define GRADE_BAND_LOW "low"

struct grade_sum {
    enum grade_verdict verdict;
    double best;       /* −1 without hits */
    double confidence; /* in the verdict, 0 to 1 */
};
struct grade_sum grade_sum(const double *grades, size_t n, double lower, double upper);

/* The sentences of text that bear on the query, with "…" between those that were apart; those that only go on about it
 * ("It was …") stay with the one before. text itself when nothing goes. *stripped counts what went. */
const char *grade_strip(const struct query_words *q, struct arena *a, struct analyzer *z, const char *text, size_t *stripped);

#endif
