/* Blocks of arenas: mapped, counted, and a few of each size kept; see block.h. */
#include "block.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SMALLEST 15u /* 32 KiB: what is smaller is malloc's */
#define LARGEST 20u  /* 1 MiB: what is larger is not kept */
#define PAGE 4096u

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ /* as gcc has it */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define IS_MAPPED(size) false /* so that it sees what is left behind */
#else
#define IS_MAPPED(size) ((size) >= (size_t)1 << SMALLEST)
#endif

struct spare {
    struct spare *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct spare *spares[LARGEST - SMALLEST + 1]; /* guarded by lock, as is: */
static size_t spare_bytes;
static _Atomic size_t used_bytes, limit, before;

static size_t pages_of(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* Blocks of the usual sizes are kept: powers of two, and a head that fits into the page behind. */
static struct spare **spares_of(size_t pages)
{
    for (unsigned i = SMALLEST; i <= LARGEST; i++)
        if (pages == ((size_t)1 << i) + PAGE)
            return &spares[i - SMALLEST];
    return NULL;
}

static void *take_spare(size_t pages)
{
    struct spare **list = spares_of(pages), *s;

    if (!list)
        return NULL;
    pthread_mutex_lock(&lock);
    s = *list;
    if (s) {
        *list = s->next;
        spare_bytes -= pages;
    }
    pthread_mutex_unlock(&lock);
    return s;
}

static bool keep_spare(struct spare *s, size_t pages)
{
    struct spare **list = spares_of(pages);
    bool kept;

    if (!list)
        return false;
    pthread_mutex_lock(&lock);
    kept = spare_bytes + pages <= BLOCK_SPARE;
    if (kept) {
        s->next = *list;
        *list = s;
        spare_bytes += pages;
    }
    pthread_mutex_unlock(&lock);
    return kept;
}

static void *map(size_t pages)
{
    void *p = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

void *block_take(size_t size)
{
    size_t pages = pages_of(size);
    void *p = IS_MAPPED(size) ? take_spare(pages) : malloc(size);

    if (!p && IS_MAPPED(size))
        p = map(pages);
    if (!p) {
        fputs("loci: out of memory\n", stderr);
        abort();
    }
    atomic_fetch_add_explicit(&used_bytes, size, memory_order_relaxed);
    return p;
}

void block_give(void *p, size_t size)
{
    atomic_fetch_sub_explicit(&used_bytes, size, memory_order_relaxed);
    if (!IS_MAPPED(size))
        free(p);
    else if (!keep_spare(p, pages_of(size)))
        munmap(p, pages_of(size));
}

struct block_memory block_memory(void)
{
    struct block_memory m = {.used = used_bytes, .limit = limit, .before = before};

    pthread_mutex_lock(&lock);
    m.spare = spare_bytes;
    pthread_mutex_unlock(&lock);
    return m;
}

void block_limit(size_t bytes)
{
    before = bytes ? used_bytes : 0;
    atomic_store(&limit, bytes);
}

bool block_crowded(size_t held, size_t n)
{
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);

    return most && held + n > BLOCK_SHARE && atomic_load_explicit(&used_bytes, memory_order_relaxed) + n > most + before;
}
