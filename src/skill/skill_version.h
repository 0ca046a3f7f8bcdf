/* Versions of a skill: texts that are never edited, one of which is served; A/B tests between two of them. */
#ifndef LOCI_SKILL_VERSION_H
#define LOCI_SKILL_VERSION_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "page.h"
#include "thing_table.h"

#define SKILL_VERSIONS 200 /* of one skill; the oldest inactive unused ones leave first */
#define SKILL_REASON 500

#define SKILL_CHANGE_TYPE(X) \
    X(CHANGE_MAJOR, "major") X(CHANGE_MINOR, "minor") X(CHANGE_PATCH, "patch") X(CHANGE_HOTFIX, "hotfix") \
    X(CHANGE_EXPERIMENTAL, "experimental")
ENUMX_DECLARE(skill_change_type, SKILL_CHANGE_TYPE);

#define SKILL_ORIGIN(X) \
    X(SKILL_MANUAL, "manual") X(SKILL_OF_PROPOSAL, "proposal") X(SKILL_OF_EVOLUTION, "evolution") \
    X(SKILL_OF_CONSOLIDATION, "consolidation") X(SKILL_OF_INGEST, "ingest") X(SKILL_OF_ROLLBACK, "rollback")
ENUMX_DECLARE(skill_origin, SKILL_ORIGIN);

struct skill_version {
    struct uuid id, skill_id;
    const char *semver;
    enum skill_change_type change_type;
    enum skill_origin origin;
    const char *body; /* NULL in lists */
    const struct json *sections;
    const char *change_reason;
    struct bytes content_hash;
    int64_t tokens;
    bool is_active;
    int64_t usage_count, success_count, failure_count, partial_count;
    double effectiveness;
    struct uuid created_by;
    struct instant created_at;
};
extern const struct thing SKILL_VERSION;

struct skill_version_new {
    struct uuid skill_id;
    const char *body, *change_reason;
    enum skill_change_type change_type;
    enum skill_origin origin;
    bool activate; /* experimental ones never are by themselves */
};
/* Inside the transaction of the change, with the row of the skill locked; the caller has asked the gate. */
err skill_version_add(struct ctx *c, const struct skill_version_new *in, struct skill_version *out);

/* With its text. */
err skill_version_get(struct ctx *c, struct uuid id, struct skill_version *out);
struct skill_version_filter {
    struct uuid id; /* of the skill */
    int64_t limit;
    const char *cursor;
};
err skill_version_list(struct ctx *c, const struct skill_version_filter *f, struct page *out);
/* Serves it from now on; an older one is a rollback, and the audit trail says so. */
err skill_version_activate(struct ctx *c, const struct thing_key *key, struct skill_version *out);

/* The version that follows: 1.2.3 with minor is 1.3.0. `last` NULL: 1.0.0; nth: of the experiments with this base. */
const char *semver_next(struct arena *a, const char *last, enum skill_change_type change, int64_t nth);
/* False for what is no semver; parts: major, minor, patch. */
bool semver_parse(const char *s, int64_t parts[3]);

/* Level-2 headings of a body, outside code fences: [{title, start, end, tokens}]. */
struct json *skill_sections(struct arena *a, const char *body);

#endif
