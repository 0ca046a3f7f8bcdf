/* A snapshot: an account's index as it stood at one instant. It never changes; readers hold it and need no lock. */
#ifndef LOCI_SNAPSHOT_H
#define LOCI_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "edge_set.h"
#include "ranges.h"
#include "segment.h"

/* A row of a snapshot is one number: the base of its segment, a multiple of 64, plus its place there. Numbers between two
 * segments stand for no row; their live bit is 0. */
struct snapshot {
    struct segment **segments;
    uint32_t *base; /* of each segment; base[n_segments] == n_rows */
    size_t n_segments;
    uint32_t n_rows; /* numbers, not nodes */
    uint32_t n_live; /* nodes */
    uint64_t *live;  /* of n_words; without what was replaced or is gone */
    size_t n_words;
    struct edge_set **edge_sets;
    uint64_t **edge_live; /* one bitmap for each set */
    size_t n_edge_sets;
    size_t n_edges;            /* live ones */
    const struct codec *codec; /* of its vectors; NULL: none */
    struct uuid model_id;
    bool holds_vectors; /* float32, of all its rows; else only their codes */
    size_t bytes;
    int refs;
};

struct scored {
    uint32_t row;
    float score;
};

struct row_at {
    const struct segment *in;
    uint32_t r;
};
/* Which segment a row is of. */
static inline uint32_t snapshot_segment(const struct snapshot *s, uint32_t row)
{
    return (uint32_t)range_of(s->base, s->n_segments, row);
}

struct row_at snapshot_at(const struct snapshot *s, uint32_t row);
struct uuid snapshot_id(const struct snapshot *s, uint32_t row);
/* The live row of a node; NO_ROW. */
uint32_t snapshot_find(const struct snapshot *s, struct uuid id);

/* Best first; equal scores by node id. */
void snapshot_sort(const struct snapshot *s, struct scored *list, size_t n);

/* An edge seen from one of its ends. */
struct edge_end {
    const struct edge_row *edge;
    const char *relation;
    uint32_t row; /* of the other end */
    bool outward; /* the node asked about is its source */
};
/* Live edges of the node in row whose other end is a live row: those in use, not retired, true at as_of (0: whenever), by
 * edge id. */
size_t snapshot_edges(const struct snapshot *s, uint32_t row, int64_t as_of, struct arena *a, struct edge_end **out);

/* The live edge of that id; NULL. */
const struct edge_row *snapshot_find_edge(const struct snapshot *s, struct uuid id);

/* ---- for the index ------------------------------------------------------------------------------------------ */

/* Empty, with one reference. */
struct snapshot *snapshot_new(struct uuid model_id, const struct codec *codec);
struct snapshot *snapshot_hold(struct snapshot *s);
void snapshot_drop(struct snapshot *s);

/* What a snapshot becomes. add (may be NULL) is taken over; its rows replace those of the same ids, gone are the others
 * that no longer exist. The same for edges. */
struct snapshot_change {
    struct segment *add;
    const struct uuid *gone;
    size_t n_gone;
    struct edge_set *add_edges;
    const struct uuid *gone_edges;
    size_t n_gone_edges;
};
struct snapshot *snapshot_next(const struct snapshot *s, const struct snapshot_change *change);

/* Segments of s that should become one: their places, at most SNAPSHOT_MERGE_MAX; 0: none. *rows is how many live in
 * them. One alone is written anew: many of its rows are dead, or its vectors, cells_from or more, are not in cells. */
#define SNAPSHOT_MERGE_MAX 32
size_t snapshot_plan(const struct snapshot *s, size_t cells_from, size_t places[SNAPSHOT_MERGE_MAX], size_t *rows);
/* Those segments as one, not yet part of any snapshot; NULL if none of their rows lives. */
struct segment *snapshot_merge(const struct snapshot *s, size_t cells_from, const size_t *places, size_t n);
/* now with merged (taken over) in place of the segments that then had at places. What died since then dies in merged, too.
 * NULL, and merged is dropped: now no longer has these segments. */
struct snapshot *snapshot_replace(const struct snapshot *now, const struct snapshot *then, const size_t *places, size_t n,
                                  struct segment *merged);

#endif
