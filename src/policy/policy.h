/* Policies: rules that agents must obey in a domain, and the facts that they were derived from. */
#ifndef LOCI_POLICY_H
#define LOCI_POLICY_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define POLICY_RULE 2000 /* code points */
#define POLICY_SOURCES 50
#define POLICIES_OF_DOMAIN 2000

struct policy {
    struct uuid id, space_id;
    const char *domain, *rule;
    struct uuids source_fact_ids;
    const char *required_role;
    bool active, always;
    int64_t priority;
    const struct json *applies; /* {roles, agents, keywords}; NULL: everything */
    int64_t source_count;
    bool stale_source;
    struct strs flags;
    const char *status; /* active or superseded */
    struct uuid superseded_by, author_id;
    int64_t version;
    struct instant created_at, updated_at;
};
extern const struct thing POLICY;

struct policy_change {
    struct thing_change change;
    struct policy to;
};

struct policy_filter {
    const char *domain, *q;
    int64_t active; /* 0, 1, or -1: any */
    bool stale;     /* only those whose ground is gone */
    bool history;   /* superseded ones, too */
    int64_t limit;
    const char *cursor;
};

err policy_list(struct ctx *c, const struct policy_filter *f, struct page *out);
err policy_get(struct ctx *c, struct uuid id, struct policy *out);
/* The caller may write in the domain and has the required role, or holds policy.manage. */
err policy_create(struct ctx *c, const struct policy *in, struct policy *out);
/* … the role that it required before, too. */
err policy_update(struct ctx *c, const struct policy_change *ch, struct policy *out);

struct policy_superseding {
    struct uuid id, by; /* by nil: a new one with this rule */
    const char *rule, *reason;
};
/* Returns the one that is over. */
err policy_supersede(struct ctx *c, const struct policy_superseding *in, struct policy *out);

struct policy_derivation {
    struct uuids fact_ids;
    const char *rule, *required_role;
    bool always;
    int64_t priority;
};
/* From facts of one domain, into that domain. */
err policy_derive(struct ctx *c, const struct policy_derivation *in, struct policy *out);

/* Topics of domains with three active facts and no policy. */
struct policy_suggestion {
    const char *domain, *topic;
    int64_t facts;
};
struct policy_suggestions {
    struct list suggestions;
};
err policy_suggest(struct ctx *c, struct policy_suggestions *out);

/* What the caller must obey now: active ones of the domains that it may read, for its roles; `always` first, then by priority. Those that
 * are only for some words are left out unless text has one of them. */
err policy_in_force(struct ctx *c, const char *text, size_t max, struct list *out);

#endif
