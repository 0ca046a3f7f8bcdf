/* The pieces of words that a BERT encoder knows, as a trie that is used where it lies in the model file. */
#ifndef LOCI_WORDPIECES_H
#define LOCI_WORDPIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

#define WORDPIECE_SLOTS 131072 /* more than half of them free */
#define WORDPIECE_NODES 65536  /* as many as 16 bits name */
#define WORDPIECE_WORD 100     /* code points of a word; a longer one is unknown as a whole */

/* Pieces that are not cut from text; their numbers stand in special. */
#define WORDPIECE_SPECIAL(X) X(PIECE_PAD, "[PAD]") X(PIECE_UNK, "[UNK]") X(PIECE_CLS, "[CLS]") X(PIECE_SEP, "[SEP]") X(PIECE_MASK, "[MASK]")
#define WORDPIECE_ENUM_(name, text) name,
enum wordpiece_special { WORDPIECE_SPECIAL(WORDPIECE_ENUM_) N_WORDPIECE_SPECIAL };

/* An edge of the trie: from a node over a code point of the basic plane to a node. Edges are found by open hashing; a slot
 * whose target is 0 is free. Node 0 is the root of what begins words, node 1 of what stands inside. */
struct wordpiece_edge {
    uint16_t from, over, to;
};

struct wordpieces {
    struct wordpiece_edge edges[WORDPIECE_SLOTS];
    uint16_t piece[WORDPIECE_NODES]; /* that ends at a node; 0: none */
    uint32_t n_nodes, n_edges;
    uint16_t special[N_WORDPIECE_SPECIAL];
    uint8_t rest[46]; /* up to a whole cache line */
};

/* Builds it from the vocabulary of a tokenizer.json: {piece: number, …}. */
bool wordpieces_build(struct arena *a, const struct json *vocabulary, struct wordpieces *out, const char **why);

/* Whether every number in it leads somewhere and looking up always ends. */
bool wordpieces_are_sound(const struct wordpieces *v);

/* The numbers of a text's pieces, as BERT's uncased tokenizer gives them: control characters go, Chinese characters stand
 * alone, capitals and accents fall away, punctuation is cut off, words become the longest pieces from the left. Bytes that are
 * no UTF-8 do not count. Stops after room pieces; ids NULL: they are only counted. Takes no memory. */
size_t wordpieces_cut(const struct wordpieces *v, const char *text, size_t bytes, uint16_t *ids, size_t room);

#endif
