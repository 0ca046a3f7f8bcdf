/* Edges in memory: immutable, in the order of their ids, found from both ends. */
#ifndef LOCI_EDGE_SET_H
#define LOCI_EDGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uuid.h"

enum edge_flag {
    EDGE_BOTH_WAYS = 1,
    EDGE_OUT_OF_USE = 2,         /* archived */
    EDGE_LEARNS = 4,             /* its relation is plastic */
};

struct edge_row {
    struct uuid id, source, target;
    uint32_t relation; /* into names */
    float weight, confidence;
    uint32_t flags;
    int64_t valid_from, valid_to, recorded, retired, updated; /* microseconds since 1970; 0: none */
    int64_t version;
};

struct edge_set {
    uint32_t n;
    size_t bytes;
    struct edge_row *rows;
    uint32_t *by_source, *by_target;
    char *names;
    int refs;
};

struct edge_builder;
struct edge_builder *edge_builder_new(void);
void edge_builder_free(struct edge_builder *b);
/* Ids ascend; where they do not (MariaDB orders UUIDs of versions 1 to 5, which others made, otherwise) they are sorted in the end.
 * row->relation is not looked at. */
void edge_builder_add(struct edge_builder *b, const struct edge_row *row, const char *relation);
/* NULL if nothing was added; the builder is empty then. */
struct edge_set *edge_build(struct edge_builder *b);
/* One set of the live rows of n sets; live[i] NULL: all. NULL if none lives. */
struct edge_set *edge_set_merge(const struct edge_set *const *in, const uint64_t *const *live, size_t n);

struct edge_set *edge_set_hold(struct edge_set *s);
void edge_set_drop(struct edge_set *s);
uint32_t edge_set_find(const struct edge_set *s, struct uuid id); /* UINT32_MAX: not there */
/* The first place of node in by_source or by_target; those that follow have it too, up to the first that has not. */
uint32_t edge_set_first(const struct edge_set *s, bool by_target, struct uuid node);

#endif
