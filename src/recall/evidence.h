/* Evidence: how likely it is that a text, or the best of an answer, bears on the query, whatever else was found. */
#ifndef LOCI_EVIDENCE_H
#define LOCI_EVIDENCE_H

#include "enumx.h"

#define EVIDENCE_LEVEL(X) X(EVIDENCE_NONE, "none") X(EVIDENCE_WEAK, "weak") X(EVIDENCE_STRONG, "strong")
ENUMX_DECLARE(evidence_level, EVIDENCE_LEVEL);

/* Probabilities from which on it is weak, and strong. */
#define EVIDENCE_LOWER 0.2
#define EVIDENCE_UPPER 0.8

#define LIKENESS_UNKNOWN (-10.0)

struct evidence {
    double coverage; /* which part of the query's words the text has, words that no text has included; below 0: not looked for */
    double likeness; /* 0: as near as the best of unrelated texts, 1: as an answer is to its question; LIKENESS_UNKNOWN: no vector */
    double known;    /* 0 to 1: how well the model reads the query */
};

double evidence_probability(const struct evidence *e);
enum evidence_level evidence_level_of(double probability);

#endif
