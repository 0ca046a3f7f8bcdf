/* Claims: one thing said once. The facts of a slot are a function of its claims (fact_fold.h). */
#ifndef LOCI_FACT_CLAIM_H
#define LOCI_FACT_CLAIM_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "thing_table.h"
#include "voice.h"

#define FACT_MODALITY(X) X(FACT_ASSERTED, "asserted") X(FACT_PAST, "past") X(FACT_PLANNED, "planned")
ENUMX_DECLARE(fact_modality, FACT_MODALITY);

#define FACT_VERACITY(X) \
    X(FACT_UNKNOWN, "unknown") X(FACT_STATED, "stated") X(FACT_INFERRED, "inferred") X(FACT_IMPORTED, "imported") X(FACT_TOOL, "tool")
ENUMX_DECLARE(fact_veracity, FACT_VERACITY);

#define FACT_TYPE(X) \
    X(FACT_TYPE_FACT, "fact") X(FACT_TYPE_PREFERENCE, "preference") X(FACT_TYPE_DECISION, "decision") \
    X(FACT_TYPE_COMMITMENT, "commitment") X(FACT_TYPE_GOAL, "goal") X(FACT_TYPE_EVENT, "event") X(FACT_TYPE_INSTRUCTION, "instruction") \
    X(FACT_TYPE_RELATIONSHIP, "relationship") X(FACT_TYPE_CONTEXT, "context") X(FACT_TYPE_LEARNING, "learning") \
    X(FACT_TYPE_OBSERVATION, "observation") X(FACT_TYPE_ERROR, "error") \
    X(FACT_TYPE_ARTIFACT, "artifact") X(FACT_TYPE_REQUEST, "request") X(FACT_TYPE_UNKNOWN, "unknown")
ENUMX_DECLARE(fact_type, FACT_TYPE);

#define CLAIM_STATE(X) X(CLAIM_COUNTED, "counted") X(CLAIM_ACCEPTED, "accepted") X(CLAIM_WITHDRAWN, "withdrawn")
ENUMX_DECLARE(claim_state, CLAIM_STATE);

#define FACT_SUBJECT 80     /* characters */
#define FACT_STATEMENT 8192 /* likewise */
#define FACT_OBJECT 400
#define FACT_SLOT_CLAIMS 512 /* of one slot that are folded; the oldest beyond them are left out */

struct fact_claim {
    struct uuid id, space_id, fact_id;
    struct uuid subject_id; /* whom it was said of, whatever that is part of by now; nil: an entry */
    struct bytes slot_key, derive_key, object_key;
    const struct json *object_json;
    struct uuid object_entity_id;
    const char *statement;
    bool negative;
    enum fact_modality modality;
    struct instant at, until;
    struct uuid source_id;
    int64_t occurrence_seq, span_start, span_end;
    const char *author_kind;
    struct uuid author_id;
    enum episode_role role;
    double confidence, trust;
    enum fact_veracity veracity;
    enum fact_type fact_type;
    const char *rule_id;
    enum claim_state state;
    struct uuid successor_id;
    struct instant recorded_at;
};
extern const struct thing FACT_CLAIM;

/* How true a claim is when it says no confidence: 0.8 times what its veracity is worth. */
double veracity_confidence(enum fact_veracity v);

/* Equal values have equal keys: texts by their normal form, all else by its canonical JSON. */
struct bytes claim_object_key(struct ctx *c, const struct json *object);

/* The question that is answered by saying that value of that subject. */
struct bytes claim_slot_key(struct ctx *c, struct uuid space_id, struct uuid subject, const char *predicate, struct bytes object_key);

#endif
