/* Giving nodes their vectors: of the model that serves, and of the one that is being built. */
#ifndef LOCI_NODE_VECTORS_H
#define LOCI_NODE_VECTORS_H

#include "ctx.h"

struct vectors_work {
    const struct uuid *ids;
    size_t n;
    bool (*should_stop)(void *arg); /* asked before each batch; NULL: never */
    void *arg;
};

struct vectors_done {
    int64_t written; /* vectors stored */
    int64_t empty;   /* nodes that have nothing to embed */
    bool no_model;   /* the account's provider is `none` */
};

/* Those of the nodes that are there, have text, and lack a current vector. A result whose text is no longer the node's is
 * dropped. An account whose provider is `none` has nothing to be done. Runs as the system of the account. ERR_UNAVAILABLE,
 * ERR_PROVIDER, ERR_DEADLINE: the provider cannot do it now; what was stored before stays. */
err vectors_embed(struct ctx *c, const struct vectors_work *w, struct vectors_done *out);

/* The same for one model of the account, whether it serves there or not. */
err vectors_embed_by(struct ctx *c, struct uuid model_id, const struct vectors_work *w, struct vectors_done *out);

/* The text of a node that is embedded: who says it, its title (not of a turn of a conversation), its body. */
struct due_text;
const char *vectors_text(struct arena *a, const struct due_text *t);

/* Measures what cosines mean on the vectors of the model that serves, if there are enough of them and it was not done
 * lately. */
err vectors_calibrate(struct ctx *c);

#endif
