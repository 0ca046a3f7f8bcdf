/* For tests of words: an arena and the analyzer of English, from the beginning of a group to its end. */
#ifndef LOCI_ENGLISH_H
#define LOCI_ENGLISH_H

#include "analyze.h"
#include "arena.h"

static struct arena *arena;
static struct analyzer *english;

static inline int english_begins(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    english = analyzer_new("english");
    return english ? 0 : -1;
}

static inline int english_ends(void **state)
{
    (void)state;
    analyzer_free(english);
    arena_free(arena);
    return 0;
}

#endif
