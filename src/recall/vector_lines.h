/* Nodes that wait for their vectors: a line for each account, served in turn. Whoever owns it locks it. */
#ifndef LOCI_VECTOR_LINES_H
#define LOCI_VECTOR_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"
#include "uuid.h"

#define VECTOR_POSITION 64 /* bytes of the longest position in the data */

struct vector_lines;

/* places: for so many nodes, of all accounts together. */
struct vector_lines *vector_lines_new(size_t places);
void vector_lines_free(struct vector_lines *l);

/* How many of them found a place, the first ones: one account gets at most half of the places that are left. */
size_t vector_lines_add(struct vector_lines *l, struct uuid account, const struct uuid *ids, size_t n);
/* n nodes that found none, written since then: they are to be read from the data when the account's line gets short.
 * false: too many accounts wait. */
bool vector_lines_owe(struct vector_lines *l, struct uuid account, size_t n, int64_t since_us);

/* A turn: the first nodes of a line, or a portion of what is owed to it. */
struct vector_turn {
    struct uuid account;
    size_t n;        /* nodes; they keep their places until vector_lines_end() */
    bool reads_owed; /* instead: nodes changed after since_us are to be read, on from position */
    int64_t since_us;
    size_t room; /* for so many of them; at least one */
    size_t n_position;
    unsigned char position[VECTOR_POSITION];
};
/* false: there is nothing to do for anybody, or only what other turns are at. The line goes behind the others. */
bool vector_lines_begin(struct vector_lines *l, struct uuid *ids, size_t max, struct vector_turn *t);
/* Those of them that are not done (n_left) come first at the next turn; no_model: none of the account's nodes wants a vector. */
void vector_lines_end(struct vector_lines *l, const struct vector_turn *t, const struct uuid *left, size_t n_left, bool no_model);
/* The end of a turn that read what is owed: what it found, and where it stands. more false: that was all. */
void vector_lines_end_owed(struct vector_lines *l, const struct vector_turn *t, const struct uuid *ids, size_t n, struct bytes position,
                           bool more);

size_t vector_lines_waiting(const struct vector_lines *l);                         /* nodes that no turn is at, owed ones included */
size_t vector_lines_waiting_of(const struct vector_lines *l, struct uuid account); /* without a vector yet */
bool vector_lines_have_work(const struct vector_lines *l);                         /* vector_lines_begin() would find some */

#endif
