/* Surprise: how unlikely a cosine is by chance, in nats, the unit of BM25, so that both can be added. */
#ifndef LOCI_SURPRISE_H
#define LOCI_SURPRISE_H

#include <stddef.h>

/* How the cosines of one query lie over what is searched. */
struct surprise_scale {
    double mean, deviation;
};

/* Of n cosines with that mean and variance; where they are few, the usual scale counts like ten more. Two texts that are all alike
 * have no deviation; one that is far below the usual tells that the model makes little of the query. */
struct surprise_scale surprise_scale_of(size_t n, double mean, double variance, struct surprise_scale usual);

/* -ln of the probability that the tail of the normal gives to a deviation of z or more. */
double surprise_of_z(double z);
double surprise_of_cosine(double cosine, struct surprise_scale s);
double surprise_unknown(void); /* of a text without a vector: that of the mean */

/* What a text loses for its length: longer ones have more of everything. Negative for those longer than the mean. */
double surprise_of_length(double length, double mean);

#endif
