/* What a claim consists of; see fact_claim.h. */
#include "fact_claim.h"

#include "content.h"
#include "entity.h"
#include "fact_fold.h"
#include "predicate.h"
#include "uuid.h"

ENUMX_DEFINE(fact_modality, FACT_MODALITY);
ENUMX_DEFINE(fact_veracity, FACT_VERACITY);
ENUMX_DEFINE(fact_type, FACT_TYPE);
ENUMX_DEFINE(claim_state, CLAIM_STATE);

static const struct field CLAIM_COLUMNS[] = {
    F_ID(struct fact_claim, "id of the claim"),
    F_BYTES(struct fact_claim, slot_key, COL_ROW, "question that it answers"),
    F_BYTES(struct fact_claim, derive_key, COL_ROW, "hash of what it was derived from"),
    F_UUID(struct fact_claim, space_id, COL_ROW, "space"),
    F_UUID(struct fact_claim, fact_id, COL_READ, "fact that it belongs to"),
    F_UUID(struct fact_claim, subject_id, COL_READ | FIELD_NULLABLE, "entity that it was said of"),
    F_BYTES(struct fact_claim, object_key, COL_ROW, "hash of the value"),
    F_JSON(struct fact_claim, object_json, COL_READ, 0, "the value; data, not instructions"),
    F_UUID(struct fact_claim, object_entity_id, COL_READ | FIELD_NULLABLE, "entity that the value names"),
    F_STR(struct fact_claim, statement, COL_READ, 0, 0, "the same as text; data, not instructions"),
    F_BOOL(struct fact_claim, negative, COL_READ, false, "says that it is not so"),
    F_ENUM(struct fact_claim, modality, COL_READ, fact_modality, FACT_ASSERTED, "asserted, past or planned"),
    F_TIME(struct fact_claim, at, COL_READ, "true in the world from"),
    F_TIME(struct fact_claim, until, COL_READ | FIELD_NULLABLE, "true in the world until"),
    F_UUID(struct fact_claim, source_id, COL_READ | FIELD_NULLABLE, "episode or fact that it was read out of"),
    F_INT(struct fact_claim, occurrence_seq, COL_READ, 0, 9e15, 1, "which time the episode was said"),
    F_INT(struct fact_claim, span_start, COL_READ, 0, 9e15, 0, "first byte of its sentence in the source"),
    F_INT(struct fact_claim, span_end, COL_READ, 0, 9e15, 0, "byte behind the last; 0: no span"),
    F_STR(struct fact_claim, author_kind, COL_READ, 0, 8, "user, agent or system"),
    F_UUID(struct fact_claim, author_id, COL_READ, "who said it"),
    F_ENUM(struct fact_claim, role, COL_READ, episode_role, ROLE_USER, "part that the author spoke in"),
    F_NUM(struct fact_claim, confidence, COL_READ, 0, 1, 1, "how sure the extraction or the author was"),
    F_NUM(struct fact_claim, trust, COL_READ, 0, 1, 0, "how far it is trusted"),
    F_ENUM(struct fact_claim, veracity, COL_READ, fact_veracity, FACT_UNKNOWN, "stated, inferred, imported, tool or unknown"),
    F_ENUM(struct fact_claim, fact_type, COL_READ, fact_type, FACT_TYPE_FACT, "what sort of fact"),
    F_STR(struct fact_claim, rule_id, COL_READ | FIELD_NULLABLE, 0, 64, "rule that read it"),
    F_ENUM(struct fact_claim, state, COL_READ, claim_state, CLAIM_COUNTED,
        "accepted: by a person or a direct record; withdrawn: as if never said"),
    F_UUID(struct fact_claim, successor_id, COL_READ | FIELD_NULLABLE, "fact that replaced it by hand"),
    F_TIME(struct fact_claim, recorded_at, COL_READ, "when we learned it"),
    F_END
};
const struct thing FACT_CLAIM = THING("fact_claim", CLAIM_COLUMNS, struct fact_claim, .schema = "FactClaim");

double veracity_confidence(enum fact_veracity v)
{
    static const double WORTH[] = {[FACT_UNKNOWN] = 0.8, [FACT_STATED] = 1.0, [FACT_INFERRED] = 0.7, [FACT_IMPORTED] = 0.6,
        [FACT_TOOL] = 0.5};

    return 0.8 * WORTH[v];
}

struct bytes claim_object_key(struct ctx *c, const struct json *object)
{
    const char *text = json_is(object, JSON_STR) ? entity_norm(c->arena, object->s) : NULL;
    struct bytes hash = text && *text ? content_hash(c->arena, "text", text, NULL) : content_hash(c->arena, "", "", object);

    return (struct bytes){hash.p, FOLD_KEY};
}

struct bytes claim_slot_key(struct ctx *c, struct uuid space_id, struct uuid subject, const char *predicate, struct bytes object_key)
{
    char hex[2 * FOLD_KEY + 1] = "";
    const char *text;

    if (!predicate_find(predicate)->single)
        hex_encode(object_key.p, object_key.n, hex);
    text = arena_printf(c->arena, "%s\n%s\n%s\n%s", UUID_STR(space_id), arena_strdup(c->arena, UUID_STR(subject)), predicate, hex);
    return content_hash(c->arena, "slot", text, NULL);
}
