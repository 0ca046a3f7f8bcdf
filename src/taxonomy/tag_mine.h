/* Sets of tags that enough owners hold: frequent patterns, counted in owners. A pure function. */
#ifndef LOCI_TAG_MINE_H
#define LOCI_TAG_MINE_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define MINE_ITEMS 2000 /* different tags that are mined */
#define MINE_SIZE 5     /* tags of one pattern */
#define MINE_FOUND 1000 /* patterns that are kept */

/* A subject holds an item. Sorted by owner, then by subject; a subject has one owner. */
struct mine_row {
    uint32_t owner, subject, item;
};

struct mined {
    uint32_t items[MINE_SIZE]; /* ascending */
    size_t n;
    int64_t owners;
    double support, lift;
};

/* Each set of 1 to MINE_SIZE items that at least *least different owners hold, each of them within one subject; those with the highest
 * support × lift, at most MINE_FOUND. *least grows by half where a bound is met. Every part of a set is held by at least as many. */
size_t tag_mine(struct arena *a, const struct mine_row *rows, size_t n, uint32_t n_items, uint32_t n_owners, int64_t *least,
                struct mined **out);

#endif
