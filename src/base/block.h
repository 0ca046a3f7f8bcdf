/* Memory of arenas, in blocks that come from the kernel and go back to it, beside malloc: a request leaves no holes in malloc's
 * heaps, and a thread keeps nothing of a large one. */
#ifndef LOCI_BLOCK_H
#define LOCI_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/* Not zeroed; aborts when the kernel has none. */
void *block_take(size_t size) __attribute__((returns_nonnull));
void block_give(void *p, size_t size);

#define BLOCK_SPARE (8u * 1024 * 1024) /* bytes that are kept for the next request */

/* Of the process: bytes in use, and bytes kept for the next request. */
struct block_memory {
    size_t used, spare;
    size_t limit, before; /* limit: of what is used beyond before; 0: none */
};
struct block_memory block_memory(void);

/* How many bytes all arenas of the process may hold together beyond what they hold now (0: no limit), which only those feel that hold
 * more than their share. */
#define BLOCK_SHARE (8u * 1024 * 1024)
void block_limit(size_t bytes);
/* Would n more bytes for who holds `held` take the process past the limit? */
bool block_crowded(size_t held, size_t n);

#endif
