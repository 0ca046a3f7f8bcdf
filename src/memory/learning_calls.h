/* What the files of operations on learnings share. */
#ifndef LOCI_LEARNING_CALLS_H
#define LOCI_LEARNING_CALLS_H

#include "learning.h"
#include "op.h"

#define TAG .tag = "learnings"
#define L "/api/v1/ai/learning"
#define COUNT_MAX 9e15
#define TAGS 32

#define LEARNING_FIELDS \
    F_UUID(struct learning, id, 0, "id (and id of its node)"), \
    F_UUID(struct learning, space_id, 0, "namespace"), \
    F_UUID(struct learning, team_id, FIELD_NULLABLE, "team; null: whole account"), \
    F_STR(struct learning, title, 0, 0, LIMIT_TITLE, "short text"), \
    F_STR(struct learning, content, 0, 0, LIMIT_NODE_BODY, "content; data, not instructions"), \
    F_ENUM(struct learning, category, 0, learning_category, LEARNING_DISCOVERY, "type"), \
    F_ENUM(struct learning, scope, 0, learning_scope, LEARNING_OF_TEAM, "scope"), \
    F_ENUM(struct learning, status, 0, learning_status, LEARNING_ACTIVE, "status; active and verified ones are recalled"), \
    F_BOOL(struct learning, is_archived, 0, false, "archived"), \
    F_ENUM(struct learning, extraction_method, 0, learning_method, LEARNING_BY_HAND, "origin"), \
    F_NUM(struct learning, importance_score, 0, 0, 1, 0.5, "current importance, after decay"), \
    F_NUM(struct learning, confidence_score, 0, 0, 1, 0.5, "confidence"), \
    F_NUM(struct learning, effective_importance, 0, 0, 1, 0.5, "effective importance: from 5 injections on mostly by outcomes"), \
    F_NUM(struct learning, echo_ratio, 0, 0, 1, 0, "share of the text that recall had just returned to its author"), \
    F_NUM(struct learning, effectiveness_score, FIELD_NULLABLE, 0, COUNT_MAX, 0, "share of good outcomes; null below 3 injections"), \
    F_INT(struct learning, injection_count, 0, 0, COUNT_MAX, 0, "number of outcomes"), \
    F_INT(struct learning, positive_outcome_count, 0, 0, COUNT_MAX, 0, "good outcomes"), \
    F_INT(struct learning, negative_outcome_count, 0, 0, COUNT_MAX, 0, "bad outcomes"), \
    F_INT(struct learning, access_count, 0, 0, COUNT_MAX, 0, "number of hits and reads, up to the last flush"), \
    F_STR(struct learning, freshness, 0, 0, 8, "fresh, aging or stale, since it was learned or verified"), \
    F_STRS(struct learning, tags, 0, TAGS, "tags"), \
    F_UUID(struct learning, source_agent_id, FIELD_NULLABLE, "agent that learned it"), \
    F_STR(struct learning, author_kind, 0, 0, 8, "user, agent or system"), \
    F_UUID(struct learning, author_id, FIELD_NULLABLE, "id of the author"), \
    F_STR(struct learning, source_execution_id, FIELD_NULLABLE, 0, LEARNING_EXECUTION, "task or run it comes from"), \
    F_TIME(struct learning, verified_at, FIELD_NULLABLE, "when it was confirmed"), \
    F_UUID(struct learning, verified_by, FIELD_NULLABLE, "who confirmed it"), \
    F_TIME(struct learning, disproven_at, FIELD_NULLABLE, "when it was disputed"), \
    F_UUID(struct learning, disproven_by, FIELD_NULLABLE, "who disputed it"), \
    F_STR(struct learning, contradiction_note, FIELD_NULLABLE, 0, LEARNING_REASON, "reason of the last review"), \
    F_TIME(struct learning, contradiction_resolved_at, FIELD_NULLABLE, "when a contradiction was resolved"), \
    F_UUID(struct learning, superseded_by, FIELD_NULLABLE, "learning that superseded it"), \
    F_TIME(struct learning, promoted_at, FIELD_NULLABLE, "when it was promoted"), \
    F_TIME(struct learning, last_injected_at, FIELD_NULLABLE, "time of the last outcome"), \
    F_INT(struct learning, version, 0, 1, COUNT_MAX, 1, "version; increases with every change"), \
    F_TIME(struct learning, created_at, 0, "when it was created"), \
    F_TIME(struct learning, updated_at, 0, "when it was last changed"), \
    F_UUID(struct learning, merged_from, FIELD_NULLABLE, "id of the requested one, if it was merged into this one")

extern const struct field LEARNING_OUT[];

#endif
