/* SQL of uses of skills and of what they add up to. */
#ifndef LOCI_SKILL_USAGE_STORE_H
#define LOCI_SKILL_USAGE_STORE_H

#include "skill_score.h"
#include "skill_usage.h"

err skill_usage_store_insert(struct ctx *c, const struct skill_usage *rows, size_t n);
/* They were served: counters of their skills and versions. */
err skill_usage_store_count(struct ctx *c, const struct skill_usage *rows, size_t n);
err skill_usage_store_get(struct ctx *c, struct uuid id, bool lock, bool *found, struct skill_usage *out);
/* Locked, as the next one. */
err skill_usage_store_by_execution(struct ctx *c, struct uuid skill_id, const char *execution_id, bool *found, struct skill_usage *out);
/* The last one without outcome that was served to this session, or to this agent, since then. */
err skill_usage_store_last(struct ctx *c, struct uuid skill_id, const char *session_id, struct uuid agent_id, struct instant since,
        bool *found,
                           struct skill_usage *out);
err skill_usage_store_outcome(struct ctx *c, const struct skill_usage *u);
/* One more outcome of the skill and of that version; effectiveness is computed again. */
err skill_usage_store_credit(struct ctx *c, const struct skill_usage *u, const struct skill_outcomes *more, double *effectiveness);
err skill_usage_store_list(struct ctx *c, const struct skill_usage_filter *f, struct uuid before, struct page *out);
/* Outcomes between two instants. */
err skill_usage_store_between(struct ctx *c, struct uuid skill_id, struct instant from, struct instant to, struct skill_outcomes *out);
/* Texts and numbers of versions: v[i].version_id is set, skill->body and semver are read. */
err skill_usage_store_texts(struct ctx *c, struct skill_served *v, size_t n);

#endif
