/* A filter: which rows of a snapshot a request may see and wants, as a bitmap that every signal obeys. */
#ifndef LOCI_FILTER_H
#define LOCI_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

struct facet_group {
    const uint32_t *keys;
    size_t n;
};

struct filter_in {
    /* Sorted, as in struct access. What is not in it does not exist. */
    const struct uuid *readable;
    size_t n_readable;
    const struct uuid *spaces; /* of those; n_spaces 0: all */
    size_t n_spaces;
    uint64_t kinds;                   /* bit segment_kind(name); 0: all but scaffold */
    unsigned include;                 /* of ROW_HIDDEN: these, too */
    int64_t now;                      /* nothing that expired before it; microseconds, as all times */
    int64_t as_of;                    /* true in the world then; 0: whenever */
    int64_t as_known_at;              /* as we knew it then; 0: now */
    int64_t created_from, created_to; /* to is not in it; 0: open */
    double min_importance;            /* as it is now */
    double min_confidence;
    struct uuid author;     /* nil: any */
    const char *session;    /* NULL: any */
    const uint32_t *facets; /* of facet_key: all of them */
    size_t n_facets;
    const struct facet_group *groups; /* of each of these, one */
    size_t n_groups;
};

struct filter {
    const uint64_t *bits; /* n_words, as the snapshot's live; never more than those */
    size_t n_words;
    size_t count;
};

/* Every search, count and statistic goes over these rows and no others. */
void filter_make(struct arena *a, const struct snapshot *s, const struct filter_in *in, struct filter *out);

/* Its rows whose vectors are still to be made. What pools hold is not counted: much of it wants none, the rest gets it later. */
size_t filter_waiting(struct arena *a, const struct snapshot *s, const struct filter *f);

static inline bool filter_has(const struct filter *f, uint32_t row)
{
    return bit_is_set(f->bits, row);
}

/* The row's importance at an instant, by the one lifecycle of the house. */
double row_importance(struct row_at at, int64_t now);

#endif
