/* Embedding servers over HTTP: OpenAI-compatible, Ollama, TEI. */
#ifndef LOCI_EMBED_HTTP_H
#define LOCI_EMBED_HTTP_H

#include "embed.h"

#define EMBED_API(X) X(API_OPENAI, "openai") X(API_OLLAMA, "ollama") X(API_TEI, "tei")
ENUMX_DECLARE(embed_api, EMBED_API);

struct http_embedder {
    enum embed_api api;
    const char *url; /* where its texts go */
    const char *key;
    bool may_be_private;
    int64_t timeout_ms;
    size_t batch;  /* texts of one call */
    size_t window; /* bytes of a text that it sees as one */
};

/* As embed_texts; name: of the model, dim: what its vectors have to have, or 0. */
err embed_http(struct ctx *c, const struct http_embedder *h, const char *name, size_t dim, const char *const *texts, size_t n,
               struct embedded *out);

#endif
