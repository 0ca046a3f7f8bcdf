/* Skills: texts that tell an agent how to do something, with what came of following them. */
#ifndef LOCI_SKILL_H
#define LOCI_SKILL_H

#include "access.h"
#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "skill_version.h"
#include "thing_table.h"

#define SKILLS_OF_ACCOUNT 10000
#define SKILL_BODY (256 * 1024) /* bytes */
#define SKILL_DESCRIPTION 1024
#define SKILL_TAGS 20
#define SKILL_TRIGGERS 20
#define SKILL_COMMANDS 50
#define SKILL_SPACE "skills" /* slug of the space of the account */

/* Built in; an account can have more of its own. */
#define SKILL_CATEGORY(X) \
    X(SKILL_CODE_GENERATION, "code_generation") X(SKILL_CODE_REVIEW, "code_review") X(SKILL_TESTING, "testing") \
    X(SKILL_DEBUGGING, "debugging") X(SKILL_DEPLOYMENT, "deployment") X(SKILL_DOCUMENTATION, "documentation") \
    X(SKILL_ANALYSIS, "analysis") X(SKILL_COMMUNICATION, "communication") X(SKILL_PLANNING, "planning") X(SKILL_RESEARCH, "research") \
    X(SKILL_DATA_PROCESSING, "data_processing") X(SKILL_SECURITY, "security") X(SKILL_MONITORING, "monitoring") \
    X(SKILL_OPTIMIZATION, "optimization") X(SKILL_INTEGRATION, "integration") X(SKILL_AUTOMATION, "automation") \
    X(SKILL_DESIGN, "design") X(SKILL_ARCHITECTURE, "architecture") X(SKILL_PROJECT_MANAGEMENT, "project_management") \
    X(SKILL_DEVOPS, "devops") X(SKILL_OPERATIONS, "operations")
ENUMX_DECLARE(skill_category, SKILL_CATEGORY);

/* node.status; only active ones are served. */
#define SKILL_STATUS(X) \
    X(SKILL_DRAFT, "draft") X(SKILL_ACTIVE, "active") X(SKILL_DEPRECATED, "deprecated") X(SKILL_ARCHIVED, "archived")
ENUMX_DECLARE(skill_status, SKILL_STATUS);

struct skill {
    struct uuid id, space_id;
    const char *name, *slug, *description, *category;
    enum skill_status status;
    const char *body, *system_prompt; /* the same text, of the active version; NULL in lists */
    struct strs tags, triggers, commands;
    const struct json *execution_context, *params;
    struct uuid active_version_id;
    const char *active_version;
    struct uuid parent_skill_id, replaced_by;
    bool is_enabled, is_hidden, induced, in_use;
    struct strs flags;
    enum skill_change_type change_type; /* of a change: what becomes of the body */
    const char *change_reason;
    bool activate;
    const char *ingest_source, *source_path, *front_matter;
    struct bytes source_hash;
    double confidence, effectiveness, effectiveness_now;
    bool is_pinned;
    int64_t usage_count, success_count, failure_count, partial_count, mean_latency_ms;
    struct instant last_used_at, last_success_at, last_failure_at, deprecated_at;
    struct uuid created_by;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing SKILL;

struct skill_change {
    struct thing_change change;
    struct skill to;
    enum skill_origin origin; /* of a version that it makes */
};

#define SKILL_SORT(X) \
    X(SKILL_BY_NEWEST, "newest") X(SKILL_BY_NAME, "name") X(SKILL_BY_USAGE, "usage") X(SKILL_BY_EFFECTIVENESS, "effectiveness")
ENUMX_DECLARE(skill_sort, SKILL_SORT);

struct skill_filter {
    const char *category, *search, *tag; /* NULL: any */
    int status;                          /* an enum's value, or -1: any */
    int64_t enabled;                     /* 0, 1, or -1: any */
    struct uuid agent_id;                /* nil: any; else those assigned to it */
    enum skill_sort sort;
    int64_t limit;
    const char *cursor;
};

/* ---- reading; one that the caller may not read is not there */

err skill_get(struct ctx *c, struct uuid id, struct skill *out);
/* By id or slug; with the text of the active version. */
err skill_get_whole(struct ctx *c, const char *ref, struct skill *out);
err skill_list(struct ctx *c, const struct skill_filter *f, struct page *out);
/* Those among ids that the caller may read, without texts; in no order. */
err skill_get_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out);
/* Is it offered to agents? */
bool skill_is_served(const struct skill *s);

/* ---- making and changing; the caller may write in the space */

/* Into in->space_id, nil: the space `skills` of the account. Its first version is 1.0.0 and active. */
err skill_create(struct ctx *c, const struct skill *in, struct skill *out);
/* For the room itself: where the first version came from. Joins the caller's transaction. */
err skill_make(struct ctx *c, const struct skill *in, enum skill_origin origin, struct skill *out);
/* A changed body always makes a version, active unless said otherwise. */
err skill_update(struct ctx *c, const struct skill_change *ch, struct skill *out);

struct skill_move {
    struct uuid id;
    int64_t if_version;
    enum skill_status to;
    struct uuid replaced_by; /* of a deprecation; nil: none */
    const char *reason;
};
/* ERR_CONFLICT for a move that is not allowed from where it is. */
err skill_move(struct ctx *c, const struct skill_move *in, struct skill *out);
err skill_toggle(struct ctx *c, const struct thing_key *key, bool enabled, struct skill *out);
/* A draft with the same text; name and space may be others. */
struct skill_clone {
    struct uuid id, space_id;
    const char *name;
};
err skill_clone(struct ctx *c, const struct skill_clone *in, struct skill *out);
#define SKILL_STRATEGY(X) X(SKILL_SEQUENTIAL, "sequential") X(SKILL_PARALLEL, "parallel") X(SKILL_CONDITIONAL, "conditional")
ENUMX_DECLARE(skill_strategy, SKILL_STRATEGY);
struct skill_composition {
    const char *name, *description;
    struct uuids component_skill_ids;
    enum skill_strategy strategy;
};
/* A draft that names its parts, with ordered `composes` edges to them. */
err skill_compose(struct ctx *c, const struct skill_composition *in, struct skill *out);

/* ---- for the rooms above */

/* Its node says again what it is found by, if that became another. Past the version check; the caller may write it. */
err skill_refresh(struct ctx *c, struct uuid id, bool *changed);

err skill_missing(struct ctx *c);
/* Spaces of kind skills that the caller may read. */
struct uuids skill_spaces(struct ctx *c);
/* Locked, inside a transaction; the caller may write it. */
err skill_take(struct ctx *c, struct uuid id, int64_t if_version, struct skill *out);
/* Where skills go that name no space: *id nil; else ERR_INVALID for what is no space of skills. The caller may write it. */
err skill_space_for(struct ctx *c, struct uuid *id);
/* "Deploy to Kubernetes" → "deploy-to-kubernetes"; "" where no letter or digit is left. */
const char *skill_slug_of(struct arena *a, const char *name);
/* ERR_INVALID for a category that there is not; it names those that there are. */
err skill_category_check(struct ctx *c, const char *pointer, const char *category);

/* Accounts above `above` that have skills: for jobs. */
err skill_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

/* ---- categories */

struct skill_category_row {
    const char *name;
    int64_t skills; /* active ones that the caller may read */
    bool built_in;
};
err skill_categories(struct ctx *c, struct list *out);
struct skill_category_new {
    const char *name;
};
err skill_category_create(struct ctx *c, const struct skill_category_new *in, struct skill_category_row *out);

#endif
