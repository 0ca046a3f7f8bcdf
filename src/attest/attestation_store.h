/* SQL of attestations and reliability; only files of this room include this. */
#ifndef LOCI_ATTESTATION_STORE_H
#define LOCI_ATTESTATION_STORE_H

#include "attestation.h"

err attestation_store_put(struct ctx *c, const struct attestation *a);
err attestation_store_drop(struct ctx *c, struct uuid fact_id, struct uuid principal_id, bool *was_there);
/* Newest first, each with its reliability. */
err attestation_store_list(struct ctx *c, struct uuid fact_id, struct list *out);
err attestation_store_is_author(struct ctx *c, struct uuid fact_id, struct uuid principal_id, bool *is_author);

struct reliability_event {
    struct uuid principal_id, cause_id, other_id;
    const char *category, *kind;
    double weight;
    bool success;
};
/* One that is known already changes nothing. */
err reliability_store_add(struct ctx *c, const struct reliability_event *e);

#endif
