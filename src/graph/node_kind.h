/* The kinds of nodes there are, and what each may do. */
#ifndef LOCI_NODE_KIND_H
#define LOCI_NODE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#define KIND_GENERIC 1u  /* may be written by the generic calls; the others only by their own room */
#define KIND_MEMORY 2u   /* bears memory: decay, pin, forget */
#define KIND_SCAFFOLD 4u /* structure, not content: recall leaves it out unless it is asked for */
#define KIND_OWN 8u      /* has a table of its own: content, archive, forget and restore are its room's alone */
#define KIND_ONCE 64u    /* the same content twice in a space is one memory, unless a copy is asked for */
#define KIND_LONG 128u   /* its text may be LIMIT_PAGE_BODY bytes long */
#define KIND_FIXED 32u   /* happened: its content is never edited */
#define KIND_USES 16u    /* goes by how often it was asked for, apart from what recalls found */

struct node_kind {
    const char *name;
    unsigned flags;
    double half_life_days; /* of a new node's importance; 0: it does not fade */
    double floor;          /* below which it never fades */
    const char *writer;    /* the call that writes it, for kinds that are not generic */
};

/* NULL for a kind that nobody knows. */
const struct node_kind *node_kind_find(const char *name);
const struct node_kind *node_kind_at(size_t i); /* NULL past the end */
bool node_kind_has(const char *name, unsigned flag);
/* The floor of a kind's score; 0 for one that nobody knows. */
double node_kind_floor(const char *name);

#endif
