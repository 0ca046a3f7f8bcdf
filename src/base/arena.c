/* A chain of blocks with a bump pointer; see arena.h for the contract. */
#include "arena.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

#define BLOCK_MIN (16u * 1024)
#define ALIGN 16u
#define EXCUSE (16u * 1024 * 1024)

struct block {
    struct block *next;
    size_t size, used;
    _Alignas(ALIGN) unsigned char data[];
};

struct deferred {
    struct deferred *next;
    void (*release)(void *);
    void *what;
};

struct arena {
    struct block *head;  /* the block being filled; older ones follow */
    struct block *first; /* kept across resets */
    struct deferred *deferred;
    size_t soft, cap, held, peak;
    bool refused, crowded;
    size_t more; /* allowed beyond soft, so that a failure can be told */
};

static struct block *block_new(size_t size)
{
    struct block *b = block_take(sizeof *b + size);

    b->next = NULL;
    b->size = size;
    b->used = 0;
    return b;
}

static void block_free(struct block *b)
{
    block_give(b, sizeof *b + b->size);
}

struct arena *arena_new(size_t cap)
{
    return arena_new_soft(cap, cap);
}

struct arena *arena_new_soft(size_t soft, size_t cap)
{
    struct arena *a = calloc(1, sizeof *a);

    assert(a && soft <= cap);
    a->soft = soft;
    a->cap = cap;
    a->head = a->first = block_new(BLOCK_MIN);
    a->held = BLOCK_MIN;
    return a;
}

/* Releases what was deferred after `last`. */
static void run_deferred(struct arena *a, const struct deferred *last)
{
    while (a->deferred != last) {
        struct deferred *d = a->deferred;

        a->deferred = d->next;
        d->release(d->what);
    }
}

struct arena_mark arena_mark(const struct arena *a)
{
    return (struct arena_mark){a->head, a->deferred, a->head->used, a->refused};
}

void arena_rewind(struct arena *a, struct arena_mark m)
{
    run_deferred(a, m.deferred);
    while (a->head != m.block) {
        struct block *b = a->head;

        a->head = b->next;
        a->held -= b->size;
        block_free(b);
    }
    a->head->used = m.used;
    a->refused = m.refused;
    a->crowded &= m.refused;
}

void arena_reset(struct arena *a)
{
    arena_rewind(a, (struct arena_mark){.block = a->first});
    a->more = 0;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    arena_reset(a);
    block_free(a->first);
    free(a);
}

static void add_block(struct arena *a, size_t need)
{
    size_t size = a->head->size * 2;
    struct block *b;

    if (size > 1024 * 1024)
        size = 1024 * 1024;
    if (size < need)
        size = need;
    if (size > a->cap || a->held > a->cap - size) {
        fprintf(stderr, "loci: arena over its cap of %zu bytes\n", a->cap);
        abort();
    }
    b = block_new(size);
    a->held += size;
    if (a->held > a->peak)
        a->peak = a->held;
    b->next = a->head;
    a->head = b;
}

void *arena_alloc(struct arena *a, size_t n)
{
    size_t need = (n + (ALIGN - 1)) & ~(size_t)(ALIGN - 1);
    void *p;

    assert(need >= n);
    if (a->head->size - a->head->used < need)
        add_block(a, need);
    p = a->head->data + a->head->used;
    a->head->used += need;
    return memset(p, 0, n);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
    size_t total;
    bool over = __builtin_mul_overflow(n, size, &total);

    assert(!over);
    return arena_alloc(a, total);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);

    if (n)
        memcpy(p, s, n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

void *arena_memdup(struct arena *a, const void *p, size_t n)
{
    void *copy = arena_alloc(a, n);

    if (n)
        memcpy(copy, p, n);
    return copy;
}

/* Most texts are short: printed once, and copied. */
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
    char small[256], *p;
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(small, sizeof small, fmt, again);
    va_end(again);
    assert(n >= 0);
    p = arena_alloc(a, (size_t)n + 1);
    if ((size_t)n < sizeof small)
        memcpy(p, small, (size_t)n + 1);
    else
        vsnprintf(p, (size_t)n + 1, fmt, ap);
    return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char *p;

    va_start(ap, fmt);
    p = arena_vprintf(a, fmt, ap);
    va_end(ap);
    return p;
}

void arena_defer(struct arena *a, void (*release)(void *), void *what)
{
    struct deferred *d = ARENA_NEW(a, struct deferred);

    d->release = release;
    d->what = what;
    d->next = a->deferred;
    a->deferred = d;
}

bool arena_takes(struct arena *a, size_t n)
{
    size_t most = a->soft + a->more, free_here = a->head->size - a->head->used;

    if (n > most || a->held - free_here > most - n)
        a->refused = true;
    else if (n && block_crowded(a->held - free_here, n)) {
        a->refused = true;
        a->crowded = a->held - free_here + n <= block_memory().limit; /* it would fit if it were alone */
    }
    return !a->refused;
}

bool arena_crowded(const struct arena *a)
{
    return a->crowded;
}

bool arena_refused(const struct arena *a)
{
    return a->refused;
}

void arena_refuse(struct arena *a)
{
    a->refused = true;
}

void arena_excuse(struct arena *a)
{
    if (!a->refused)
        return;
    a->refused = a->crowded = false;
    if (a->soft + a->more + EXCUSE <= a->cap / 2 + a->soft / 2)
        a->more += EXCUSE;
}

size_t arena_used(const struct arena *a)
{
    return a->held;
}

size_t arena_peak(struct arena *a)
{
    size_t peak = a->peak;

    a->peak = a->held;
    return peak;
}
