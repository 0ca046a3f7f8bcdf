/* The order in which things were last used: links within the things themselves. */
#ifndef LOCI_USES_H
#define LOCI_USES_H

#include <stddef.h>

/* Stands first in its struct: a pointer to one is a pointer to the other. */
struct use {
    struct use *newer, *older;
};

struct uses {
    struct use *newest, *oldest;
};

static inline void uses_drop(struct uses *all, struct use *u)
{
    *(u->newer ? &u->newer->older : &all->newest) = u->older;
    *(u->older ? &u->older->newer : &all->oldest) = u->newer;
}

/* As the newest. */
static inline void uses_add(struct uses *all, struct use *u)
{
    *u = (struct use){NULL, all->newest};
    *(all->newest ? &all->newest->newer : &all->oldest) = u;
    all->newest = u;
}

#endif
