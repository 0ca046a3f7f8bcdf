/* Facts as callers see them: listed in time, with their claims and windows, recorded and superseded by hand. */
#ifndef LOCI_FACT_READ_H
#define LOCI_FACT_READ_H

#include "fact_put.h"
#include "field.h"
#include "page.h"

#define FACT_MODE(X) X(FACT_NOW, "current") X(FACT_AS_OF, "as_of") X(FACT_AS_KNOWN_AT, "as_known_at") X(FACT_HISTORY, "history")
ENUMX_DECLARE(fact_mode, FACT_MODE);

struct fact {
    struct uuid id, space_id, subject_id;
    const char *subject, *predicate, *statement;
    const struct json *object;
    struct uuid object_entity_id;
    bool negative;
    enum fact_modality modality;
    enum fact_type fact_type;
    enum fact_veracity veracity;
    const char *status;
    bool contested;
    const char *quarantine_reason;
    double confidence, trust;
    int64_t mention_count, author_count;
    struct instant valid_from, valid_to;
    struct uuid superseded_by;
    const char *domain, *topic, *content; /* NULL: in no domain; no note on a topic */
    struct strs source_observation_ids;
    const char *author_kind;
    struct uuid author_id;
    int64_t version;
    struct instant first_seen_at, last_seen_at, created_at, updated_at;
};
extern const struct thing FACT; /* read only: from several tables */
extern const struct field FACT_COLUMNS[];

struct fact_filter {
    const char *q, *subject, *predicate, *status, *topic, *domain;
    struct uuid subject_id, namespace;
    const struct uuids *subjects; /* not a caller's: subject or subject_id, with all that is one with it */
    bool contested;
    enum fact_mode mode;
    struct instant as_of, as_known_at;
    double min_confidence;
    int64_t limit;
    const char *cursor;
};
/* The space of a domain that the caller may read. ERR_INVALID (unknown_domain) for one that is not there, or not for the caller. */
err fact_domain(struct ctx *c, const char *slug, struct uuid *id);
err fact_list(struct ctx *c, const struct fact_filter *f, struct page *out);
err fact_get(struct ctx *c, struct uuid id, struct fact *out);

/* The little that a hit of a search says of a fact. */
struct fact_mark {
    struct uuid id, against; /* against: the other side of a contradiction; nil: there is none */
    const char *predicate;
    bool contested;
};
/* Of those among the nodes that are facts; the caller may read them. */
err fact_marks(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);

struct fact_window {
    struct instant valid_from, valid_to, recorded_at, retired_at;
};
struct fact_history {
    const struct fact *fact;
    struct list claims;  /* of struct fact_claim */
    struct list windows; /* of struct fact_window: every one that was ever recorded */
};
err fact_history(struct ctx *c, struct uuid id, struct fact_history *out);

struct fact_proposal {
    const char *content; /* or subject, predicate and object */
    const char *subject, *predicate, *topic, *domain;
    const struct json *object;
    struct uuid namespace;
    double confidence;
    enum fact_veracity veracity;
    enum fact_type fact_type;
    struct instant valid_from, valid_to;
    struct strs source_observation_ids;
    bool negative;
};
struct fact_proposed {
    enum fact_outcome outcome;
    const struct fact *fact;
    struct uuid other_id;
    int64_t version; /* of the fact */
};
err fact_propose(struct ctx *c, const struct fact_proposal *in, struct fact_proposed *out);

struct fact_superseding {
    struct uuid id, by; /* by nil: content becomes a fact first */
    const char *content, *reason;
    struct instant at;
};
/* ERR_CONFLICT for itself, and for a circle. */
err fact_supersede(struct ctx *c, const struct fact_superseding *in, struct fact *out);
err fact_unsupersede(struct ctx *c, struct uuid id, struct fact *out);

struct fact_change {
    struct uuid id;
    int64_t if_version;
    const char *content;       /* of a note on a topic … */
    const struct json *object; /* … or the new value of a triple */
    double confidence;         /* below 0: by veracity */
};
/* Appends a claim, which by its voice may be held; out: the fact that the claim belongs to. */
err fact_update(struct ctx *c, const struct fact_change *in, struct fact_proposed *out);

#define FACT_DIFF_KIND(X) \
    X(DIFF_APPEARED, "appeared") X(DIFF_CLOSED, "closed") X(DIFF_REOPENED, "reopened") X(DIFF_QUARANTINED, "quarantined")
ENUMX_DECLARE(fact_diff_kind, FACT_DIFF_KIND);
struct fact_diff {
    enum fact_diff_kind kind;
    struct uuid id;
    const char *subject, *predicate, *statement;
    struct instant at;
};
struct fact_diff_filter {
    struct instant from_known, to_known;
    struct uuid namespace;
    int64_t limit;
};
err fact_diffs(struct ctx *c, const struct fact_diff_filter *f, struct list *out);

#endif
