/* What the fold says, written down: nodes, rows and edges of the facts of one slot; only fact_put.c includes this. */
#ifndef LOCI_FACT_WRITE_H
#define LOCI_FACT_WRITE_H

#include "fact_claim_store.h"
#include "fact_fold.h"

struct reconciling {
    struct fact_slot slot;
    struct fact_claim *claims;
    size_t n_claims;
    struct fold fold;
    size_t *run_of;   /* of claim i; FOLD_NONE: withdrawn */
    struct uuid *ids; /* of the fact of each run */
    bool *is_new;
    struct slot_fact *facts;
    size_t n_facts;
    struct uuid fresh; /* the claim that is not written yet; nil: none */
    bool about_anew;   /* all of them are joined to their subject once more */
};

/* The fact of the slot that has the id; NULL: there is none. */
const struct slot_fact *fact_there(const struct reconciling *r, struct uuid id);

/* The facts of the slot become the runs; a new one gets that title. Inside the transaction that has the slot locked. */
err fact_write_runs(struct ctx *c, struct reconciling *r, const char *title);

#endif
