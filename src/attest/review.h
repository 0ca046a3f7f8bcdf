/* What waits for a person's decision about what is believed: facts and episodes. Computed from how they stand, so nothing is queued. */
#ifndef LOCI_REVIEW_H
#define LOCI_REVIEW_H

#include "ctx.h"
#include "enumx.h"
#include "page.h"

#define REVIEW_KIND(X) \
    X(REVIEW_HELD, "held") X(REVIEW_CONTESTED, "contested") X(REVIEW_QUARANTINED, "quarantined_episode") \
    X(REVIEW_FAILED, "failed_episode")
ENUMX_DECLARE(review_kind, REVIEW_KIND);

#define REVIEW_DECISION(X) X(REVIEW_ACCEPT, "accept") X(REVIEW_REJECT, "reject")
ENUMX_DECLARE(review_decision, REVIEW_DECISION);

#define REVIEW_REASON 500 /* characters */

struct review_item {
    struct uuid id, space_id, other_id; /* other_id: the fact that it stands against; nil: none */
    enum review_kind kind;
    const char *text, *other_text, *reason; /* reason: held, contradicted; or why it failed */
    double trust;
    struct instant at;
};

struct review_filter {
    int kind; /* -1: any */
    int64_t limit;
    const char *cursor;
};
/* Of spaces that the caller may read, newest first. */
err review_list(struct ctx *c, const struct review_filter *f, struct page *out);

struct review_in {
    struct uuid id;
    enum review_decision decision;
    const char *reason;
};
/* A fact: it takes over, or is as if it had never been said. An episode: it is recalled and read, or not. */
err review_decide(struct ctx *c, const struct review_in *in);

#endif
