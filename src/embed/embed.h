/* Texts to vectors, whoever computes them: the built-in model, a server over HTTP, or nobody. */
#ifndef LOCI_EMBED_H
#define LOCI_EMBED_H

#include <stdbool.h>
#include <stddef.h>

#include "ctx.h"
#include "enumx.h"

struct config;
struct simd_kernels;
struct embed; /* struct app.embed */

#define EMBED_PROVIDER(X) X(EMBED_BUILTIN, "builtin") X(EMBED_HTTP, "http") X(EMBED_NONE, "none")
ENUMX_DECLARE(embed_provider, EMBED_PROVIDER);

/* A model as an account has it. Vectors of different models are never compared. */
struct embed_model {
    enum embed_provider provider;
    const char *name;
    size_t dim; /* 0: not known before the first answer */
};

/* Opens what the settings name; lives as long as the arena. The built-in model's file may be missing: then whoever asks for
 * it is told. NULL and *why: a setting cannot be used. */
struct embed *embed_open(struct arena *a, const struct config *conf, const struct simd_kernels *k, const char **why);

/* The model of accounts that say nothing else; and the one of another provider: name NULL or "" is the configured one. */
struct embed_model embed_default(const struct embed *e);
struct embed_model embed_of(const struct embed *e, enum embed_provider provider, const char *name);

struct embedded {
    float *vectors; /* dim numbers for each text, of unit length; in the request's arena */
    size_t dim;
    /* false: nothing in the text can be embedded (it is empty, or the provider refuses it); its numbers are then 0 */
    bool *has;
    const char *precision; /* "f32", "bf16" or "int8" */
};

/* One vector for each of n texts. White space of every kind counts as one space; long texts are split at sentence ends and
 * their vector is the mean of the parts' vectors, weighted by length. Batches are cheaper than single texts. Takes what
 * time the deadline leaves, a call to a server at most embed.timeout_ms. ERR_UNAVAILABLE: there is no such provider here;
 * ERR_PROVIDER (retry_after_s says when), ERR_DEADLINE: the server did not do it. */
err embed_texts(struct ctx *c, const struct embed_model *m, const char *const *texts, size_t n, struct embedded *out);
/* The same for work that nobody waits for: the built-in model spreads it over struct app.embed_crew. */
err embed_texts_behind(struct ctx *c, const struct embed_model *m, const char *const *texts, size_t n, struct embedded *out);

/* What a model's cosines mean. */
struct embed_scale {
    double at_zero, at_half;     /* of texts of one account: the mean of random pairs, and one in a hundred is nearer */
    double unrelated, answering; /* of a question: the best of 64 texts that do not answer it, and the one that does */
};
/* The same of any model, by a few hundred short texts of our own; takes as long as embedding those. */
err embed_self_test(struct ctx *c, const struct embed_model *m, struct embed_scale *out);

/* How well the model reads the text, as letters for each piece that it takes it to; 0: not known. */
double embed_letters(const struct embed *e, const struct embed_model *m, const char *text);

/* NULL: the provider can be asked. Else why not: for people. */
const char *embed_why_not(const struct embed *e, const struct embed_model *m);
/* The server did not answer a moment ago: who cannot wait should not ask it now. */
bool embed_is_down(const struct embed *e, const struct embed_model *m);

#endif
