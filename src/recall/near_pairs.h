/* Which nodes mean nearly the same as one whose vector is new: exactly, by float32 vectors read from the database, so that any
 * process can ask, with an index or without. */
#ifndef LOCI_NEAR_PAIRS_H
#define LOCI_NEAR_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "list.h"
#include "str.h"

#define NEAR_EACH 8 /* pairs kept of one node: the nearest, of equally near ones the oldest */

/* Both are live, of one space and one kind; a is the older one. */
struct near_pair {
    struct uuid a, b;
    double similarity; /* calibrated */
};

/* One portion of a sweep over the vectors of an account that are new. */
struct near_sweep {
    struct strs kinds;     /* of nodes that are looked at */
    struct instant since;  /* their vectors are newer than this */
    struct strs by_body;   /* of these kinds bodies are compared: the title is a name there, no content */
    double least;          /* similarity from which on a pair counts; at least 0.5 */
    int64_t limit;         /* nodes looked at in this portion */
    struct bytes position; /* where the last portion ended; p NULL: the first one. Set to where this one ends */
    /* Answers. */
    struct near_pair *pairs; /* each once, the nearest first */
    size_t n;
    struct uuid *ids; /* nodes looked at */
    int64_t looked;
    bool more;
    bool crowded;         /* some node had more near ones than NEAR_EACH: what became of these, others show later */
    struct instant began; /* when the first portion was asked for */
};

/* Each node against all of its space and kind. Not inside a transaction: a large space takes its time. */
err near_pairs_find(struct ctx *c, struct near_sweep *s);
/* Where something is looked for that is near the node of that id. */
struct near_place {
    struct uuid id, space_id;
    const char *kind;
};
/* Live nodes there that are near: of each pair one is the node, the other what was found. Nodes without a vector find nothing. */
err near_pairs_others(struct ctx *c, const struct near_place *of, size_t n, double least, struct near_pair **pairs, size_t *n_pairs);

#define NEAR_LOOKS_BACK 20000 /* nodes of a place, the newest, that texts are compared with */
#define NEAR_BARE 200         /* and those of the last hour that have no vector yet, and get one for this */

/* A text that is no node yet. It is compared with the bodies of nodes: their titles are names. */
struct near_said {
    const char *text, *kind;
    struct uuid space_id;
    struct uuid ids[NEAR_EACH];   /* the live nodes there that are nearest, best first */
    double similarity[NEAR_EACH]; /* calibrated */
    size_t n;
    const struct near_said *before; /* the nearest of the texts before it, of the same place; NULL: none is near enough */
    double similarity_before;
};
/* All of them at once: each place is read once. Where no model answers, nothing is found. Not inside a transaction. */
err near_pairs_said(struct ctx *c, struct near_said *said, size_t n, double least);

/* Accounts above `above` with vectors newer than the watermark of this job, or in the middle of a sweep. */
err near_pairs_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#endif
