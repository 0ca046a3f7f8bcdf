/* The embedding models of an account: which one serves, which one is being built, and what their cosines mean. */
#ifndef LOCI_VECTOR_MODELS_H
#define LOCI_VECTOR_MODELS_H

#include "ctx.h"
#include "embed.h"
#include "fitted.h"
#include "vector.h"

/* Rows of embedding_model with provider builtin or http; a nil id: there is none. */
struct vector_model {
    struct embedding_model row;
    double at_zero, at_half;   /* measured on this account's vectors; both 0: not measured */
    struct embed_scale tested; /* by the self-test; answering 0: not tested */
    struct instant measured_at, retired_at;
};

struct vector_models {
    struct embed_model wanted;    /* as the settings of account (embed.provider, embed.model) and installation say */
    struct vector_model active;   /* its vectors serve */
    struct vector_model building; /* its vectors are being made; when all are there it becomes the active one */
    struct vector_model past;     /* retired: the wanted one if it is among them, else the last one that served */
    struct fitted fitted;         /* the account's own profile for the one that serves, or will as the first */
};

/* One indexed read. */
err vector_models_read(struct ctx *c, struct vector_models *out);
/* The same, after what the settings want has become rows: another model than the active one is begun, one that is no longer
 * wanted is given up. A model whose vectors' length is not known yet (http) is begun by vector_models_begin. */
err vector_models_settle(struct ctx *c, struct vector_models *out);
/* Begins the wanted model, now that the length of its vectors is known: as active if there is none, else as building. */
err vector_models_begin(struct ctx *c, struct vector_models *m, size_t dim);
/* The building model takes over in one transaction, and who listens to changes sees it. */
err vector_models_switch(struct ctx *c, struct vector_models *m);

struct embed_model embed_model_of(const struct vector_model *m);

/* ---- what others need to know of the model that serves */

struct model_profile {
    const char *provider; /* builtin, http or client; none: there is no model */
    const char *name;
    struct embed_scale scale; /* what its cosines mean; at_zero and at_half are of the account itself, once it has vectors enough */
    struct fitted fitted;     /* the account's own profile for it */
};
err model_profile(struct ctx *c, struct model_profile *out);
/* The scale on which thresholds are meant: 0 to 1, piecewise linear through (at_zero, 0), (at_half, 0.5), (1, 1). */
double model_calibrated(const struct model_profile *p, double cosine);

#endif
