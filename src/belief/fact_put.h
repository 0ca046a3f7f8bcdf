/* The writer of facts: claims go in, and the facts of their slot become what the fold says. */
#ifndef LOCI_FACT_PUT_H
#define LOCI_FACT_PUT_H

#include "fact.h"
#include "fact_claim.h"

/* Something that is said of a subject. Begin with FACT_SAYING_DEFAULTS. */
struct fact_saying {
    struct uuid space_id;
    const char *subject, *subject_type; /* its name; type NULL: not known */
    struct uuid subject_id;             /* or its entity */
    const char *predicate;
    const struct json *object;
    bool object_is_entity;
    struct uuid object_id; /* the entity that the value names, where it is known */
    const char *statement;
    bool negative;
    enum fact_modality modality;
    struct instant at, until; /* at 0: now */
    struct uuid source_id;    /* nil: said directly */
    int64_t occurrence_seq, span_start, span_end;
    const char *author_kind; /* NULL: the caller */
    struct uuid author_id;
    enum episode_role role;
    double confidence, trust; /* below 0: by veracity; by the caller's credential */
    enum fact_veracity veracity;
    enum fact_type fact_type;
    const char *rule_id;
    bool accepted;
    struct uuid successor_id;
};
#define FACT_SAYING_DEFAULTS .confidence = -1, .trust = -1, .occurrence_seq = 1

struct fact_said {
    enum fact_outcome outcome;
    struct uuid fact_id, claim_id;
    struct uuid other_id;   /* superseding: the fact before; held, contested: the one against it */
    struct uuid subject_id; /* the entity */
    bool was_there;         /* the same claim was derived before: nothing changed */
    bool was_suppressed;    /* it was forgotten for ever: nothing changed */
};

/* Inside the caller's transaction; the gate is asked. */
err fact_put(struct ctx *c, const struct fact_saying *in, struct fact_said *out);
/* A claim as if it had never been; its slot is folded again. Likewise. */
err fact_withdraw(struct ctx *c, struct uuid claim_id);
/* All claims that were read out of these nodes. Past the gate: for the room whose nodes are gone. */
err fact_withdraw_of(struct ctx *c, const struct uuid *sources, size_t n);
/* A person decides about a fact: its claims take over from now on, or are as if they had never been. Likewise. */
err fact_judge(struct ctx *c, struct uuid fact_id, bool accept);
/* The slot of that key as its claims say. Likewise. */
err fact_refold(struct ctx *c, struct bytes slot_key);
/* … anew: its facts say once more whom they are about. */
err fact_refold_about(struct ctx *c, struct bytes slot_key, bool anew);

#endif
