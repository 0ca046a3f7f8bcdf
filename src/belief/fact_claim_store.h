/* SQL of claims, slots and what the fold writes; only files of this room include this. */
#ifndef LOCI_FACT_CLAIM_STORE_H
#define LOCI_FACT_CLAIM_STORE_H

#include "fact_claim.h"

struct fact_slot {
    struct bytes slot_key;
    struct uuid space_id, subject_id;
    const char *predicate;
};
/* The slot, made where it is not there, locked until the transaction ends; one claim more is counted. */
err claim_store_slot(struct ctx *c, const struct fact_slot *slot);
err claim_store_slot_get(struct ctx *c, struct bytes slot_key, bool *found, struct fact_slot *out);
/* The newest claims of a slot, at most FACT_SLOT_CLAIMS, in the order in which they came. */
err claim_store_of_slot(struct ctx *c, struct bytes slot_key, struct list *out);
err claim_store_of_fact(struct ctx *c, struct uuid fact_id, size_t max, struct list *out);
/* Those of these sources that count, by slot. */
err claim_store_of_sources(struct ctx *c, const struct uuid *sources, size_t n, size_t max, struct list *out);
err claim_store_get(struct ctx *c, struct uuid id, bool *found, struct fact_claim *out);
/* Of that derivation, if it was recorded before. */
err claim_store_derived(struct ctx *c, struct bytes derive_key, bool *found, struct fact_claim *out);
err claim_store_state(struct ctx *c, struct uuid id, enum claim_state state);
err claim_store_move(struct ctx *c, struct uuid id, struct uuid fact_id);
/* The claim that ended the fact by hand, if there is one. */
err claim_store_ending(struct ctx *c, struct uuid fact_id, bool *found, struct fact_claim *out);

/* Questions that claims about these subjects answer, each with one of their values; of struct fact_place. */
struct fact_place {
    struct bytes slot_key, object_key;
    struct uuid space_id;
    const char *predicate;
};
err claim_store_places(struct ctx *c, const struct uuid *subjects, size_t n, size_t max, struct list *out);
/* Claims about these subjects, and facts, go from one slot to another. was_there: it has others already. */
err claim_store_rehome(struct ctx *c, const struct uuid *subjects, size_t n, struct bytes from, const struct fact_slot *to,
    bool *was_there);

/* Claims that took over at once, each with its slot, in two statements. */
err claim_store_append(struct ctx *c, const struct fact_claim *rows, const struct fact_slot *slots, size_t n);

/* A fact of a slot as it stands. */
struct slot_fact {
    struct uuid id;
    const char *status;
    struct instant valid_from, valid_to;
    struct uuid superseded_by;
    bool contested, loose, forgotten; /* loose: neither archived nor forgotten */
    int64_t mention_count, author_count;
    const char *quarantine_reason;
    double trust, confidence;
    bool negative;
    struct bytes object_key;
};
err claim_store_facts(struct ctx *c, struct bytes slot_key, struct list *out);

struct fact_insert {
    struct uuid id, space_id, subject_id, object_entity_id;
    struct bytes slot_key, object_key;
    const char *predicate;
    const struct json *object;
    bool negative;
    enum fact_modality modality;
    enum fact_type type;
    enum fact_veracity veracity;
};
err claim_store_insert_fact(struct ctx *c, const struct fact_insert *f);
struct fact_flags {
    struct uuid id;
    bool contested, current;
    const char *quarantine_reason;
    int64_t mention_count, author_count;
};
err claim_store_flags(struct ctx *c, const struct fact_flags *f);
err claim_store_none_current(struct ctx *c, struct bytes slot_key);

/* ---- erasing */

struct fact_erased_slot {
    struct bytes slot_key;
};
/* The slots of claims of these facts, or from these sources; of struct fact_erased_slot. */
err claim_store_slots_of(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
err claim_store_delete_of(struct ctx *c, const struct uuid *ids, size_t n);
/* What the claims that are left say of the facts of a slot, fact by fact, the surest first. */
struct fact_wording {
    struct uuid fact_id;
    const char *body, *statement, *object, *predicate, *fact_type; /* body: what the fact says now; object: JSON */
    bool negative;
};
err claim_store_wordings(struct ctx *c, struct bytes slot_key, struct list *out);
err claim_store_object(struct ctx *c, struct uuid fact_id, const char *object);
/* What facts say, as keys; of struct fact_said_key. */
struct fact_said_key {
    struct bytes slot_key, object_key;
    bool negative;
};
err claim_store_keys(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
err claim_store_suppress(struct ctx *c, struct uuid op, struct bytes claim_key);
err claim_store_suppressed(struct ctx *c, struct bytes claim_key, bool *is_so);
/* A slot without claims is none. */
err claim_store_drop_empty(struct ctx *c, struct bytes slot_key);

#endif
