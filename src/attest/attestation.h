/* Attestations: who stands for a fact or against it, and how reliable each has proved. */
#ifndef LOCI_ATTESTATION_H
#define LOCI_ATTESTATION_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "thing_table.h"

#define ATTEST_STANCE(X) X(ATTEST_SUPPORT, "support") X(ATTEST_DISPUTE, "dispute")
ENUMX_DECLARE(attest_stance, ATTEST_STANCE);

#define ATTEST_NOTE 500 /* characters */
#define ATTEST_CATEGORY 32

struct attestation {
    struct uuid fact_id, principal_id;
    const char *principal_kind;
    enum attest_stance stance;
    const char *category, *note;
    bool is_author; /* said the fact itself: counts for nothing */
    struct instant at;
    double reliability; /* of the principal in this category */
};

struct attest_in {
    struct uuid id; /* the fact */
    enum attest_stance stance;
    const char *category; /* NULL: the group of its predicate */
    const char *note;
};

struct attested {
    struct list attestations;      /* of struct attestation, newest first */
    int64_t supporters, disputers; /* that count */
    double posterior;              /* that the fact is true, by those */
};

/* One live for each principal: another one takes its place. Whoever may read the fact may attest it. */
err fact_attest(struct ctx *c, const struct attest_in *in, struct attested *out);
err fact_attestations(struct ctx *c, struct uuid fact_id, struct attested *out);
/* The caller's own. */
err fact_unattest(struct ctx *c, struct uuid fact_id, struct attested *out);

/* Past the gate, for jobs: what those who attested a fact amount to. */
err fact_weigh(struct ctx *c, struct uuid fact_id, struct attested *out);

/* Between 0 and 1; 0.5 of one that nothing is known of. Beta posterior in the category, drawn to that over all. */
double reliability_of(double for_it, double against_it, double for_all, double against_all);
/* (1 + 4·sum of supporters' reliability) / (2 + 4·sum of all). */
double posterior_of(double support, double dispute);

#endif
