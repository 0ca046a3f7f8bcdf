/* One region of memory per request or job run: allocate freely, release once, with foreign resources in tow.
 *
 * Two limits. Past the soft one, whatever grows with data (rows read, JSON parsed, text written) is refused: it asks
 * arena_takes() first, and the work fails with ERR_TOO_LARGE. Past the cap the process aborts: only a fault of ours gets there. */
#ifndef LOCI_ARENA_H
#define LOCI_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* For work whose size is known: both limits are cap. */
struct arena *arena_new(size_t cap);
struct arena *arena_new_soft(size_t soft, size_t cap);
void arena_free(struct arena *a);

/* Runs the deferred releases and gives all but the first block back. */
void arena_reset(struct arena *a);

/* Back to how it was when it was marked: what was allocated since is gone, what was deferred since is released. */
struct arena_mark {
    void *block, *deferred;
    size_t used;
    bool refused;
};
struct arena_mark arena_mark(const struct arena *a);
void arena_rewind(struct arena *a, struct arena_mark m);

/* May n more bytes of data come in? A refusal is kept until the arena is reset: what was being built is incomplete, so it must
 * be neither stored nor sent (ctx_check_size). */
bool arena_takes(struct arena *a, size_t n);
bool arena_refused(const struct arena *a);
bool arena_crowded(const struct arena *a); /* it was refused because all arenas together hold too much (block_limit) */
void arena_refuse(struct arena *a);        /* something was left out of what is being built */
/* For who has dropped what was being built: the refusal is forgotten, and a little more may come in to record the failure. */
void arena_excuse(struct arena *a);

/* Never returns NULL. Memory is zeroed. */
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull, malloc));

/* n elements of size each, zeroed; aborts on overflow. */
void *arena_array(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));

char *arena_strdup(struct arena *a, const char *s);            /* NULL stays NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n); /* always NUL-terminated */
void *arena_memdup(struct arena *a, const void *p, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3), returns_nonnull));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* release(what) runs at reset or free, last deferred first. */
void arena_defer(struct arena *a, void (*release)(void *), void *what);

size_t arena_used(const struct arena *a);
size_t arena_peak(struct arena *a); /* the most that it held since this was asked last */

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_array((a), (n), sizeof(type)))

#endif
