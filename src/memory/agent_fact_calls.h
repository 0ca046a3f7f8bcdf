/* What the files of operations on factual memory share. */
#ifndef LOCI_AGENT_FACT_CALLS_H
#define LOCI_AGENT_FACT_CALLS_H

#include "agent_fact.h"
#include "context_calls.h"
#include "tags.h"

#define TAG .tag = "factual memory"
#define PATH "/api/v1/ai/agents/:agent_id/memory"
#define F_AGENT(s) F_UUID(s, agent_id, FIELD_REQUIRED, "agent whose memory is used")
#define F_KEY(s) F_STR(s, key, FIELD_REQUIRED | FIELD_RAW, 1, ENTRY_KEY, "key of any form, or an id")
#define CATEGORY 64 /* characters */

struct put_in {
    struct uuid agent_id;
    const char *key;
    const struct json *value;
    const char *category;
    struct strs tags;
    const struct json *metadata;
    enum entry_source source_type;
    const char *source_id;
    double importance_score, confidence_score;
    struct instant expires_at;
};

#define PUT_FIELDS \
    F_KEY(struct put_in), \
    F_JSON(struct put_in, value, FIELD_REQUIRED, ENTRY_CONTENT, "any JSON but null, at most 262144 bytes"), \
    F_STR(struct put_in, category, FIELD_NULLABLE, 1, CATEGORY, "category of the fact; stored in metadata"), \
    F_STRS(struct put_in, tags, 0, TAGS_MAX, "tags; case-insensitive"), \
    F_OBJECT(struct put_in, metadata, 0, ENTRY_METADATA, "metadata for programs; merged into the existing metadata"), \
    F_ENUM(struct put_in, source_type, 0, entry_source, ENTRY_BY_CALLER, "kind of source, if not the caller"), \
    F_STR(struct put_in, source_id, FIELD_NULLABLE, 0, 255, "id in the source"), \
    F_NUM(struct put_in, importance_score, 0, 0, 1, 1, "importance of a new one, 0 to 1"), \
    F_NUM(struct put_in, confidence_score, 0, 0, 1, 1, "confidence of a new one, 0 to 1"), \
    F_TIME(struct put_in, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this")

struct agent_fact_new agent_fact_new_from(const struct put_in *i);

#endif
