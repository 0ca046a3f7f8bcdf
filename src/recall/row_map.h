/* A small table from rows (or other numbers) to places in a list; in an arena, for one request. */
#ifndef LOCI_ROW_MAP_H
#define LOCI_ROW_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/* Begins as {.arena = …}. */
struct row_map {
    struct arena *arena;
    uint64_t *keys; /* plus one; 0: free */
    uint32_t *values;
    size_t n, cap;
};

#define NO_PLACE UINT32_MAX

/* Where the value of key stands: NO_PLACE if it is new. Valid until the next call. key is not UINT64_MAX. */
uint32_t *row_map_at(struct row_map *m, uint64_t key);
/* The value, or NO_PLACE; adds nothing. */
uint32_t row_map_get(const struct row_map *m, uint64_t key);

#endif
