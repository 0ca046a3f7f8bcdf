/* What is the matter with memories, one row for each that has something: what the nightly jobs leave for people to look at. */
#ifndef LOCI_FINDING_H
#define LOCI_FINDING_H

#include <stddef.h>

#include "ctx.h"
#include "enumx.h"

/* Junk are the copies that say exactly the same, echoes, what says nothing or too little, and what is stale from STALE_ARCHIVE on. A near
 * copy is none: it waits for a decision about its pair. */
#define FINDING_CLASS(X) \
    X(FINDING_EXACT_COPY, "exact_copy") X(FINDING_NEAR_COPY, "near_copy") X(FINDING_ECHO, "echo") \
    X(FINDING_LOW_ENTROPY, "low_entropy") X(FINDING_TOO_SHORT, "too_short") X(FINDING_OVERSIZED, "oversized") \
    X(FINDING_UNUSED, "unused") X(FINDING_STALE, "stale") X(FINDING_NO_VECTOR, "no_vector") \
    X(FINDING_INSTRUCTION, "instruction_like") X(FINDING_SECRET, "secret") X(FINDING_ORPHAN, "orphan") \
    X(FINDING_CONTRADICTION, "contradiction_open") X(FINDING_PROMOTE, "promote_failed") X(FINDING_INTEGRITY, "integrity_mismatch")
ENUMX_DECLARE(finding_class, FINDING_CLASS);
#define FINDING_CLASSES (FINDING_INTEGRITY + 1)

struct finding {
    struct uuid node_id, space_id;
    double value;         /* how bad, 0 to 1, by the rule of its class */
    struct uuid other_id; /* of a copy: what it is a copy of; nil otherwise */
};

/* Inside the caller's transaction: of the looked-at nodes exactly these have that class from now on. */
err finding_replace(struct ctx *c, enum finding_class class, const struct uuid *looked_at, size_t n_looked_at, const struct finding *rows,
                    size_t n);

#endif
