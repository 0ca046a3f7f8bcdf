/* Arrays that grow and last longer than a request: what segments and their builders are made of. */
#ifndef LOCI_GROW_H
#define LOCI_GROW_H

#include <stddef.h>
#include <stdint.h>

/* Elements of one size; begins as {.size = sizeof element}. Running out of memory aborts. */
struct grow {
    void *p;
    size_t n, cap, size;
};

/* Room for k more, zeroed; returns the first. */
void *grow_add(struct grow *g, size_t k);
/* What was added, in exactly the memory it needs, which the caller frees; *bytes counts it. The array is empty then.
 * Never NULL. */
void *grow_take(struct grow *g, size_t *bytes);
void grow_done(struct grow *g);

#define GROW_PUT(g, type, value) (*(type *)grow_add((g), 1) = (value))

/* Numbers by key; key 0 is none. Begins as {0}. */
struct grow_map {
    uint64_t *keys;
    uint32_t *values;
    size_t n, cap; /* cap: a power of two, or 0 */
};

/* Where the value of key stands; a new one is UINT32_MAX. Valid until the next call. */
uint32_t *grow_map_at(struct grow_map *m, uint64_t key);
void grow_map_done(struct grow_map *m);

#endif
