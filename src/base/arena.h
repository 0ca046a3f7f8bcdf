/* One region of memory per request or job run: allocate freely, release once, with foreign resources in tow. */
#ifndef LOCI_ARENA_H
#define LOCI_ARENA_H

#include <stddef.h>
#include <stdarg.h>

struct arena;

/* cap: the most bytes it may hold; exceeding it is a fault of ours (input limits make it unreachable) and aborts. */
struct arena *arena_new(size_t cap);
void arena_free(struct arena *a);

/* Runs the deferred releases and gives all but the first block back. */
void arena_reset(struct arena *a);

/* Never returns NULL. Memory is zeroed. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull, malloc));

/* n elements of size each, zeroed; aborts on overflow. */
void *arena_array(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));

char *arena_strdup(struct arena *a, const char *s);                 /* NULL stays NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);      /* always NUL-terminated */
void *arena_memdup(struct arena *a, const void *p, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3), returns_nonnull));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* release(what) runs at reset or free, last deferred first. */
void arena_defer(struct arena *a, void (*release)(void *), void *what);

size_t arena_used(const struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_array((a), (n), sizeof(type)))

#endif
