/* Erasing what facts were read from: claims go, facts that have others are folded and worded anew. */
#ifndef LOCI_FACT_ERASE_H
#define LOCI_FACT_ERASE_H

#include "ctx.h"
#include "list.h"
#include "str.h"

/* Claims of these facts and from these sources are deleted; slots: of struct fact_erased_slot, what fact_erase_settle wants. Both
 * inside the transaction that deletes the nodes, past the gate: this before, that afterwards. */
err fact_erase_claims(struct ctx *c, const struct uuid *ids, size_t n, struct list *slots);
err fact_erase_settle(struct ctx *c, const struct list *slots);

/* The slots of the facts among these nodes as their claims say, after they came back. */
err fact_refold_of(struct ctx *c, const struct uuid *ids, size_t n);
/* What the facts among these nodes say is not learned again, until the forgetting op is taken back: hashes of it are kept. */
err fact_suppress(struct ctx *c, struct uuid op, const struct uuid *ids, size_t n);
struct bytes fact_suppress_key(struct ctx *c, struct bytes slot_key, struct bytes object_key, bool negative);

#endif
