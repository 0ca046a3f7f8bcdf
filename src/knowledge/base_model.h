/* The embedding model of one base: its own, or the account's; and the way to another one while the base serves. */
#ifndef LOCI_BASE_MODEL_H
#define LOCI_BASE_MODEL_H

#include "knowledge_base.h"

#define BASE_MODELS 4 /* of one query */
#define SWITCH_BACK_DAYS 7

struct base_model {
    struct uuid knowledge_base_id;
    struct uuid model_id, building_model_id, past_model_id; /* nil: the account's */
    bool is_building;
    struct instant switched_at, started_at;
};

/* ERR_INVALID naming /embedding_provider or /embedding_model: there is no such model here. Outside a transaction, since it may ask the
 * provider how long its vectors are. *id: of its row; nil: both are NULL, or it is the account's. */
err base_model_find(struct ctx *c, const char *provider, const char *model, struct uuid *id);
/* Inside the transaction that changes the base: that model is wanted. A base without chunks has it at once, else its vectors are made
 * while the old one answers; the one that answers now ends what is being made. */
err base_model_want(struct ctx *c, const struct knowledge_base *b, struct uuid id);
/* Names and numbers of it on the base. */
err base_model_show(struct ctx *c, struct knowledge_base *b);
/* The model before takes its place again; ERR_CONFLICT: there is none, or it is too late. */
err knowledge_base_switch_back(struct ctx *c, const struct thing_key *key, struct knowledge_base *out);
/* In the transaction that publishes chunks: their vectors of its own models are promised. */
err base_model_promise(struct ctx *c, struct uuid knowledge_base_id, struct uuid document_id, int64_t generation);
/* Promises again what was lost: no task makes vectors that a base has lacked for waited_us. */
err base_model_sweep(struct ctx *c, int64_t waited_us, int64_t limit, int64_t *n);
/* The task, of a base or one document of it (nil: all): makes vectors that lack until should_stop says so; *more: some are left. Where a
 * whole base lacks none, the model that was being made takes over. */
struct base_part {
    struct uuid knowledge_base_id, document_id;
};
err base_model_work(struct ctx *c, const struct base_part *of, bool (*should_stop)(void *arg), void *arg, bool *more);
/* Its task was given up: the base says why, until it has another model or the sweep's next try succeeds. */
err base_model_gave_up(struct ctx *c, struct uuid knowledge_base_id, const char *why);

/* The models of bases that are searched together, with the bases of each; a nil model is the account's. More than BASE_MODELS:
 * ERR_INVALID too_many_models. */
struct base_models {
    struct {
        struct uuid model_id;
        struct uuids bases;
    } of[BASE_MODELS];
    size_t n;
};
err base_models_of(struct ctx *c, struct uuids bases, struct base_models *out);

#endif
