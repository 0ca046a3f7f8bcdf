/* The registry of relations: how each is spelt, what it may join, and who writes it. */
#ifndef LOCI_RELATION_H
#define LOCI_RELATION_H

#include <stdbool.h>
#include <stddef.h>

#define RELATION_MAX 64 /* characters of a name */

#define REL_PLASTIC 1u   /* its weight learns from use */
#define REL_SYMMETRIC 2u /* holds both ways: stored bidirectional */
#define REL_OWNED 4u     /* written by its room only, never by hand */
#define REL_VIRTUAL 8u   /* computed when asked for, never stored */

struct relation {
    const char *name;      /* as it is stored */
    const char *from, *to; /* kinds, separated by spaces; "" is any */
    unsigned flags;
    const char *help;
};

/* Case does not matter. NULL: not in the registry. */
const struct relation *relation_find(const char *name);
const struct relation *relation_at(size_t i); /* NULL past the end */
/* May a node of this kind be its source, or its target? */
bool relation_takes_from(const struct relation *r, const char *kind);
bool relation_takes_to(const struct relation *r, const char *kind);
/* A free relation, which is stored as written: [a-z][a-z0-9_]{0,63}. */
bool relation_is_free(const char *name);

#endif
