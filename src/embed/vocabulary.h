/* The pieces of text that the model knows, as a trie that is used where it lies in the model file. */
#ifndef LOCI_VOCABULARY_H
#define LOCI_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"
#include "model_layout.h"

#define PIECE_UNKNOWN 0
#define PIECE_FIRST 6     /* the ones before it never match */
#define PIECE_MAX 16      /* code points of the longest */
#define WORD_START 0x2581 /* what stands for a space */

#define VOCABULARY_SLOTS 65536 /* as many as 16 bits name; more than half of them free */
#define VOCABULARY_NODES 20480

/* An edge of the trie: from a node over a code point of the basic plane to a node. Edges are found by open hashing; the
 * root is node 0, and a slot whose target is 0 is free. */
struct vocabulary_edge {
    uint16_t from, over, to;
};

struct vocabulary {
    double score[MODEL_PIECES];
    struct vocabulary_edge edges[VOCABULARY_SLOTS];
    uint16_t piece[VOCABULARY_NODES]; /* that ends at a node; PIECE_UNKNOWN: none */
    uint32_t n_nodes, n_edges;
    uint8_t rest[56]; /* up to a whole cache line */
};

/* Builds it from the model's vocab.json: [[piece, score], …]. */
bool vocabulary_build(struct arena *a, const struct json *pieces, struct vocabulary *out, const char **why);

/* Whether every number in it leads somewhere and looking up always ends. */
bool vocabulary_is_sound(const struct vocabulary *v);

/* The node behind node over a code point; 0: there is none. */
uint16_t vocabulary_step(const struct vocabulary *v, uint16_t node, uint32_t code_point);

#endif
