/* Entropy: how much a text says for its length, by its characters and by its words. */
#ifndef LOCI_ENTROPY_H
#define LOCI_ENTROPY_H

#include "arena.h"
#include "enumx.h"

#define ENTROPY_CHARS 8192 /* characters of a text that are looked at */
#define ENTROPY_HIGH 0.65
#define ENTROPY_LOW 0.35

#define ENTROPY_BAND(X) X(BAND_LOW, "low") X(BAND_MEDIUM, "medium") X(BAND_HIGH, "high")
ENUMX_DECLARE(entropy_band, ENTROPY_BAND);

/* All from 0 to 1. */
struct entropy {
    double chars; /* bits a character, of 5.5 */
    double words; /* bits a word, of the most that so many words could have; 0 for less than two words */
    double score; /* the mean of both */
    enum entropy_band band;
};

struct entropy entropy_of(struct arena *a, const char *text);

#endif
