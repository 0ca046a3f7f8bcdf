/* Rows around vectors: models of an account, nodes without a vector, and how many there are. */
#ifndef LOCI_VECTORS_STORE_H
#define LOCI_VECTORS_STORE_H

#include "vector_models.h"

/* What the account's settings say; each may be NULL. */
struct model_settings {
    const char *provider, *name;
    const char *profile; /* JSON of recall.profile */
};
/* Models that clients bring are left out. */
err vectors_store_models(struct ctx *c, struct model_settings *set, struct vector_model **rows, size_t *n);
err vectors_store_state(struct ctx *c, struct uuid model_id, const char *state);
/* One vector of the model counts as changed, so that who follows changes looks at the models, too. */
err vectors_store_announce(struct ctx *c, struct uuid model_id);
err vectors_store_tested(struct ctx *c, struct uuid model_id, const struct embed_scale *s);
err vectors_store_calibration(struct ctx *c, struct uuid model_id, double at_zero, double at_half);

/* A text that wants a vector. */
struct due_text {
    struct uuid id;
    const char *title, *body, *speaker; /* speaker: attrs.speaker, or NULL */
    bool is_turn;                       /* of a conversation: attrs.session is there */
    struct bytes content_hash;
};
/* Those of the nodes that have none of this model, or one of another text. */
err vectors_store_due(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, struct due_text **rows, size_t *found);

/* A node as a sweep finds it. */
struct swept {
    struct uuid id;
    struct instant at; /* updated_at */
    int64_t version;
    struct bytes content_hash;
    bool missing; /* it wants a vector of the model */
};
/* Nodes changed after since, newest first, behind the one that `last` stands for (its instant 0: from the newest on). */
err vectors_store_changed(struct ctx *c, struct uuid model_id, struct instant since, const struct swept *last, int64_t limit,
                          struct swept *rows, size_t *n);
/* All nodes, newest first by id, behind last (nil: from the newest on). */
err vectors_store_all(struct ctx *c, struct uuid model_id, struct uuid last, int64_t limit, struct swept *rows, size_t *n);

/* What the settings of the installation say, for accounts that say nothing. */
struct model_default {
    const char *provider, *name;
};
/* Accounts that changed nodes after the watermark of this job, and want vectors. */
err vectors_store_changed_accounts(struct ctx *c, const char *job, const struct model_default *d, struct uuid above,
                                   struct uuid *ids, size_t max, size_t *n);
/* Accounts with a model under way, one that they no longer want, or vectors of one that was retired before then. */
err vectors_store_moving_accounts(struct ctx *c, const struct model_default *d, struct instant retired_before, struct uuid above,
                                  struct uuid *ids, size_t max, size_t *n);

/* Of the nodes that embedding_backfill has not looked at yet, those that lack a vector; counted up to max, the
 * newest first: what waits is mostly new. */
err vectors_store_backlog(struct ctx *c, struct uuid model_id, int64_t max, int64_t *n);
/* Tasks of all accounts that make vectors and are not done. */
err vectors_store_tasks(struct ctx *c, int64_t *n);

/* Removes vectors of models that were retired before then; a model left without any goes, too. */
err vectors_store_drop_retired(struct ctx *c, struct instant before, int64_t limit, int64_t *n);

/* Evenly drawn vectors of a model: their blobs, at most max. *total: how many it has. */
err vectors_store_count(struct ctx *c, struct uuid model_id, int64_t *total);
err vectors_store_draw(struct ctx *c, struct uuid model_id, int64_t one_in, size_t max, struct bytes *blobs, size_t *n);

#endif
