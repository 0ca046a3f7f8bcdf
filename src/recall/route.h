/* What a query seems to want, from its words alone: a soft weight for each route. */
#ifndef LOCI_ROUTE_H
#define LOCI_ROUTE_H

#include <stdbool.h>

enum route { ROUTE_TEMPORAL, ROUTE_ENTITY, ROUTE_QUOTE, ROUTE_MULTIHOP, ROUTE_FACTUAL, ROUTE_PREFERENCE, ROUTE_PROCEDURAL, ROUTES };

const char *route_name(enum route r); /* temporal, entity … */
/* 0 to 1 each. has_date: the query names a time; names: names in it that texts know. */
void route_query(const char *query, bool has_date, unsigned names, double out[ROUTES]);
/* Weight of being new: above 0 where the query asks for the latest of something. */
double route_recency(const char *query);

#endif
