/* Promotion: a fact that enough others vouch for becomes a fact of the global namespace, and stops being one when that ends. */
#ifndef LOCI_PROMOTION_H
#define LOCI_PROMOTION_H

#include "ctx.h"
#include "enumx.h"
#include "page.h"
#include "thing_table.h"

#define PROMOTION_STATUS(X) \
    X(PROMOTION_PENDING, "pending") X(PROMOTION_PROMOTED, "promoted") X(PROMOTION_REJECTED, "rejected") X(PROMOTION_DEMOTED, "demoted")
ENUMX_DECLARE(promotion_status, PROMOTION_STATUS);

#define PROMOTION_DECISION(X) X(PROMOTE_NOW, "promote") X(PROMOTE_NEVER, "reject") X(PROMOTE_BACK, "demote")
ENUMX_DECLARE(promotion_decision, PROMOTION_DECISION);

#define PROMOTION_QUORUM 3       /* supporters besides the authors */
#define PROMOTION_POSTERIOR 0.80 /* at least */
#define PROMOTION_REASON 500     /* characters */

struct promotion {
    struct uuid id, candidate_fact_id, space_id;
    double posterior;
    int64_t supporters;
    enum promotion_status status;
    const char *reason;
    struct uuid promoted_fact_id, claim_id;
    const char *actor_kind;
    struct uuid actor_id;
    struct instant at, resolved_at;
    const char *statement;
};
extern const struct thing PROMOTION;

struct promotion_filter {
    int status; /* -1: any */
    int64_t limit;
    const char *cursor;
};
err promotion_list(struct ctx *c, const struct promotion_filter *f, struct page *out);
/* Asked for; it is decided in the background, now and at each attestation. One that waits or stands is the answer. */
err promotion_ask(struct ctx *c, struct uuid fact_id, struct promotion *out);

struct promotion_deciding {
    struct uuid id;
    enum promotion_decision decision;
    const char *reason;
};
err promotion_decide(struct ctx *c, const struct promotion_deciding *in, struct promotion *out);

/* Inside the transaction that changed what is said of the fact: those that wait or stand are looked at again (task `promotion`). */
err promotion_look_again(struct ctx *c, struct uuid fact_id);

/* ---- as the system, for jobs */

err promotion_evaluate(struct ctx *c, struct uuid fact_id);
err promotion_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Looks at all that wait or stand, at most limit behind *behind, which moves on. */
err promotion_sweep(struct ctx *c, struct uuid *behind, int64_t limit, int64_t *seen, int64_t *changed);

#endif
