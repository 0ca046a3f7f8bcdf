/* Activation: the skills that a task needs, with their texts, in a budget of tokens. Each is served: a row of use is written. */
#ifndef LOCI_SKILL_ACTIVATE_H
#define LOCI_SKILL_ACTIVATE_H

#include "ctx.h"
#include "enumx.h"
#include "json.h"
#include "list.h"
#include "skill.h"

#define SKILL_BUDGET_MIN 100
#define SKILL_BUDGET_MAX 32000
#define SKILL_ACTIVATED 20

#define SKILL_ACTIVATE_MODE(X) X(SKILL_MODE_AUTO, "auto") X(SKILL_MODE_MANIFEST, "manifest")
ENUMX_DECLARE(skill_activate_mode, SKILL_ACTIVATE_MODE);
#define SKILL_DETAIL(X) X(SKILL_FULL, "full") X(SKILL_BY_SECTIONS, "sections") X(SKILL_SUMMARY, "summary")
ENUMX_DECLARE(skill_detail, SKILL_DETAIL);

struct skill_activation {
    const char *task;
    struct uuid skill_id; /* not nil: this one and what it requires, instead of a task */
    struct uuid agent_id; /* nil: the caller, if it is an agent */
    const char *session_id;
    enum skill_activate_mode mode;
    enum skill_detail detail;
    int64_t top_n, token_budget;
    bool assigned_only, repeat;
};

struct skill_section {
    const char *title, *text;
};
struct skill_activated {
    struct uuid skill_id, version_id, usage_id;
    const char *name, *slug, *category, *description, *semver;
    double score;
    enum skill_detail level;
    const char *body;     /* level full; else NULL */
    struct list sections; /* of struct skill_section; level sections */
    int64_t tokens;
    const char *included_as; /* match, assigned or dependency */
    struct strs flags;
};
struct skill_evicted {
    struct uuid skill_id;
    const char *name, *reason; /* over_budget, conflict, already_in_session, low_score */
};
struct skill_activations {
    struct list skills;          /* of struct skill_activated */
    struct list eviction_report; /* of struct skill_evicted */
    int64_t tokens_used, budget, seed_count;
    struct strs notes;    /* manifest: what stands out in the agent's skills */
    struct strs degraded; /* signals of recall that were not to be had */
};
err skill_activate(struct ctx *c, const struct skill_activation *in, struct skill_activations *out);

/* The same as one text for a prompt: each skill in a fence that nothing in it can close. */
struct skill_context {
    const char *context_block;
    const struct skill_activations *metadata;
};
err skill_context(struct ctx *c, const struct skill_activation *in, struct skill_context *out);

#endif
