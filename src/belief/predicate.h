/* Predicates: what can be said of a subject, and whether of one value at a time. */
#ifndef LOCI_PREDICATE_H
#define LOCI_PREDICATE_H

#include <stdbool.h>
#include <stddef.h>

#define PREDICATE_NAME 64

struct predicate {
    const char *name, *group;
    bool single;       /* one value at a time: a new one supersedes */
    bool names_entity; /* its values are usually names of something */
};

/* Never NULL: one that is not in the table may have several values. */
const struct predicate *predicate_find(const char *name);
const struct predicate *predicate_at(size_t i); /* NULL past the end */
/* [a-z][a-z0-9_]{0,63} */
bool predicate_is_name(const char *name);

#endif
