/* Compound learnings: what teams learn from their work, confirmed and disputed by what comes of it. */
#ifndef LOCI_LEARNING_H
#define LOCI_LEARNING_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"

#define LEARNING_CATEGORY(X) \
    X(LEARNING_PATTERN, "pattern") X(LEARNING_ANTI_PATTERN, "anti_pattern") X(LEARNING_BEST_PRACTICE, "best_practice") \
    X(LEARNING_DISCOVERY, "discovery") X(LEARNING_FACT, "fact") X(LEARNING_FAILURE_MODE, "failure_mode") \
    X(LEARNING_REVIEW_FINDING, "review_finding") X(LEARNING_PERFORMANCE, "performance_insight") X(LEARNING_REFLEXION, "reflexion")
ENUMX_DECLARE(learning_category, LEARNING_CATEGORY);

#define LEARNING_SCOPE(X) X(LEARNING_OF_TEAM, "team") X(LEARNING_GLOBAL, "global")
ENUMX_DECLARE(learning_scope, LEARNING_SCOPE);

/* node.status; recall sees the first two. */
#define LEARNING_STATUS(X) \
    X(LEARNING_ACTIVE, "active") X(LEARNING_VERIFIED, "verified") X(LEARNING_DEPRECATED, "deprecated") \
    X(LEARNING_SUPERSEDED, "superseded") X(LEARNING_DISPROVEN, "disproven")
ENUMX_DECLARE(learning_status, LEARNING_STATUS);

#define LEARNING_METHOD(X) \
    X(LEARNING_BY_HAND, "manual") X(LEARNING_BY_MARKER, "marker") X(LEARNING_BY_SUCCESS, "auto_success") \
    X(LEARNING_BY_FAILURE, "auto_failure") X(LEARNING_BY_REVIEW, "review") X(LEARNING_BY_EVALUATION, "evaluation") \
    X(LEARNING_BY_REFLEXION, "reflexion") X(LEARNING_BY_CONSOLIDATION, "consolidation") X(LEARNING_BY_IMPORT, "import")
ENUMX_DECLARE(learning_method, LEARNING_METHOD);

#define LEARNING_CHARS 10000 /* of a content */
#define LEARNING_REASON 2000
#define LEARNING_BATCH 100
#define LEARNING_EXECUTION 128

struct learning {
    struct uuid id, space_id, team_id;
    const char *title, *content;
    enum learning_category category;
    enum learning_scope scope;
    enum learning_status status;
    bool is_archived;
    enum learning_method extraction_method;
    double importance_score; /* now */
    double confidence_score;
    double effective_importance; /* with what came of it, once that is known */
    double echo_ratio;           /* share of the text that its writer had just been shown */
    double effectiveness_score;  /* share of good outcomes; NaN: less than three */
    int64_t injection_count, positive_outcome_count, negative_outcome_count, access_count, occurrences;
    const char *freshness; /* fresh, aging, stale */
    struct strs tags;
    struct uuid source_agent_id, author_id;
    const char *author_kind, *source_execution_id;
    struct instant learned_at, verified_at, disproven_at, contradiction_resolved_at, promoted_at, last_injected_at, created_at, updated_at;
    struct uuid verified_by, disproven_by, superseded_by;
    const char *contradiction_note, *before_dispute;
    int64_t version;
    double score;            /* of a search; 0 in a list */
    struct uuid merged_from; /* reinforce, outcome: the one that was asked for became this one */
};

struct learning_new {
    const char *title, *content;
    enum learning_category category;
    enum learning_scope scope;
    enum learning_method method;
    struct uuid team_id;
    double importance_score, confidence_score;
    struct strs tags;
    const char *execution_id; /* NULL: not said */
    bool force;               /* even what the caller was just shown; needs memory.manage */
};

struct learning_filter {
    const char *query;           /* NULL: everything, newest first */
    int category, scope, status; /* -1: any; of status: active and verified */
    struct uuid team_id;
    double min_importance;
    const char *tag;
    int64_t limit;
    const char *cursor;
};

/* Not stored when it is there already: then that one was seen again, and gains by it; nor when it is an echo (echo.h): then
 * that one was used. */
struct learning_made {
    bool stored;
    const char *reason;       /* NULL, duplicate or echo */
    struct uuid of;           /* the node that says the same already */
    struct learning learning; /* but of an echo, which may be of another kind */
};
err learning_create(struct ctx *c, const struct learning_new *in, struct learning_made *out);
err learning_find(struct ctx *c, const struct learning_filter *f, struct page *out);

/* Each of these changes one learning and answers what it became. Reviews (verify, dispute and their taking back) are not for
 * who wrote it: ERR_INVALID. What its state does not allow: ERR_CONFLICT. */
err learning_reinforce(struct ctx *c, struct uuid id, struct learning *out);
err learning_outcome(struct ctx *c, struct uuid id, bool successful, struct learning *out);
err learning_verify(struct ctx *c, struct uuid id, struct learning *out);
err learning_dispute(struct ctx *c, struct uuid id, const char *reason, struct learning *out);
err learning_undispute(struct ctx *c, struct uuid id, const char *reason, struct learning *out);
err learning_unsupersede(struct ctx *c, struct uuid id, const char *reason, struct learning *out);
/* Out of the way, or back with the status that it had. */
err learning_archive(struct ctx *c, struct uuid id, bool archived, struct learning *out);
/* The winner gains, the loser is superseded by it. */
err learning_resolve(struct ctx *c, struct uuid winner_id, struct uuid loser_id, const char *reason, struct learning *winner);
/* A copy of a team's learning for everyone; needs effective_importance ≥ 0.7, two accesses, and none like it there. */
err learning_promote(struct ctx *c, struct uuid id, struct learning *out);

/* By night, in accounts whose settings say {"learning": {"auto_global": true}}: those of teams behind `after` that may be, in the order of ids … */
err learning_promotable(struct ctx *c, struct uuid after, size_t max, struct learning **rows, size_t *n);
struct learning_promoted {
    int64_t promoted, duplicates; /* duplicates: everyone has one that says the same */
};
/* … and copies of them, under the same conditions. Inside the caller's transaction. */
err learning_auto_promote(struct ctx *c, const struct learning *rows, size_t n, struct learning_promoted *out);

struct learning_extracted {
    struct uuids stored, duplicates;
    struct uuids echoes; /* nodes that said so already */
};
struct learning_source {
    const char *text, *execution_id;
    struct uuid team_id;
    bool successful; /* false: the text is of work that failed */
};
/* Lines that begin with a marker such as "Pattern:", and what failed work says of its failure. */
err learning_extract(struct ctx *c, const struct learning_source *in, struct learning_extracted *out);

/* Of a success and a failure that mean much the same: perhaps one of them is wrong. */
struct learning_conflict {
    struct uuid success_id, failure_id;
    const char *success, *failure; /* titles or first words */
    double similarity;
};
err learning_conflicts(struct ctx *c, struct list *out);

struct learning_count {
    const char *name;
    int64_t n;
};
struct learning_metrics {
    int64_t total;
    struct list by_status, by_category, by_method; /* of struct learning_count */
    double average_importance, average_confidence, average_effectiveness;
    double compound_score; /* 0 to 100 */
};
err learning_metrics(struct ctx *c, struct learning_metrics *out);

#endif
