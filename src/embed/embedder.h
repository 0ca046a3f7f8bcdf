/* The built-in embedders: English texts to vectors of unit length, without network or model server. */
#ifndef LOCI_EMBEDDER_H
#define LOCI_EMBEDDER_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"

struct simd_kernels;
struct embedder;

/* Universal Sentence Encoder Lite sees a longer text in windows; the BERT encoder sees its first BERT_TOKENS pieces. */
#define EMBEDDER_WINDOW 128            /* tokens of the longest text that is seen as one */
#define EMBEDDER_PART 120              /* tokens at most of the windows a longer one is split into */
#define EMBEDDER_TEXT_MAX (256 * 1024) /* bytes; what stands behind them is not seen */
#define EMBEDDER_PARTS_MAX 512         /* windows; the same */

/* Opens the file that `locictl model pack` made. It lives as long as the arena, never changes, and serves any number of
 * threads. precision: "f32", or "bf16" or "int8" where they were packed. false and *why: cannot be used. */
bool embedder_open(struct arena *a, const char *path, const char *precision, const struct simd_kernels *k,
                   const struct embedder **out, const char **why);

/* What the model is called, and how many numbers a vector of it has. */
const char *embedder_model(const struct embedder *e);
size_t embedder_dim(const struct embedder *e);
/* "f32", "bf16" or "int8": kept with each vector, because vectors of another precision differ a little. */
const char *embedder_precision(const struct embedder *e);

/* One vector for each of n texts, one after the other in out (n × embedder_dim). White space of every kind counts as one
 * space, at the ends as none. A text that is split into windows at sentence ends has the mean of their vectors, weighted
 * by their lengths. has_vector[i] becomes false for a text without anything in it,
 * whose numbers are then 0; it may be NULL. Batches are cheaper than single texts. Scratch memory is its own. */
void embedder_embed(const struct embedder *e, const char *const *texts, size_t n, float *out, bool *has_vector);

/* How many tokens the text has, without those that the model puts around it. */
size_t embedder_tokens(const struct embedder *e, const char *text);
/* Code points for each token. English words are few tokens; a language or notation that the model never learnt falls to
 * pieces of two letters, and its vectors say little. 0: there is nothing in the text. */
double embedder_letters(const struct embedder *e, const char *text);

#endif
