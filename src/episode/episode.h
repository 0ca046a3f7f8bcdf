/* Episodes: what was said. They are captured, read and consolidated, never edited. */
#ifndef LOCI_EPISODE_H
#define LOCI_EPISODE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"
#include "voice.h"

#define EPISODE_STATE(X) \
    X(EPISODE_RAW, "raw") X(EPISODE_IN_PROGRESS, "in_progress") X(EPISODE_CONSOLIDATED, "consolidated") X(EPISODE_FAILED, "failed")
ENUMX_DECLARE(episode_state, EPISODE_STATE);

#define EPISODE_VERDICT(X) \
    X(EPISODE_NEW, "new") X(EPISODE_EXACT_DUPLICATE, "exact_duplicate") X(EPISODE_NEAR_DUPLICATE, "near_duplicate")
ENUMX_DECLARE(episode_verdict, EPISODE_VERDICT);

#define EPISODE_SESSION 128 /* characters of a session id */
#define EPISODE_MODEL 64    /* of a model's name */
#define EPISODE_LABELS 16   /* scopes, tags */
#define EPISODE_BATCH 64    /* captures of one call */
#define EPISODE_QUARANTINED "quarantined"

struct episode {
    struct uuid id, space_id;
    const char *content;
    enum episode_role role;
    struct instant captured_at, created_at;
    const char *session_id, *tz;
    struct bytes text_hash, submitted_hash;
    int64_t simhash;
    enum episode_state consolidation_state;
    int64_t attempts;
    struct instant next_attempt_at, claimed_until;
    const char *last_error, *rule_set;
    struct uuid near_of;
    int64_t near_distance; /* FIELD_NONE: nothing is near */
    double injection_score, echo_ratio, trust;
    struct uuid supersedes_hint;
    int64_t occurrences;
    const char *status;
    const struct json *origin;
    const char *author_kind;
    struct uuid author_id;
};
extern const struct thing EPISODE;

struct episode_filter {
    struct uuid namespace; /* nil: all that are readable */
    int role, state;       /* -1: any */
    const char *session_id;
    struct instant since, until; /* captured in [since, until); 0: open */
    int64_t limit;
    const char *cursor;
};
err episode_list(struct ctx *c, const struct episode_filter *f, struct page *out);
err episode_get(struct ctx *c, struct uuid id, struct episode *out);
/* A person decides about one that is quarantined, or whose reading failed: it is recalled and read (again), or left as it is for ever: a
 * quarantined one is forgotten. Inside the caller's transaction. */
err episode_judge(struct ctx *c, struct uuid id, bool accept);

#endif
