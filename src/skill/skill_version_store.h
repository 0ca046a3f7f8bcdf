/* SQL of versions of skills. */
#ifndef LOCI_SKILL_VERSION_STORE_H
#define LOCI_SKILL_VERSION_STORE_H

#include "skill_version.h"

err skill_version_store_get(struct ctx *c, struct uuid id, bool *found, struct skill_version *out);
err skill_version_store_list(struct ctx *c, const struct skill_version_filter *f, struct uuid before, struct page *out);
/* The newest that is no experiment, and how many there are; *last NULL: none. */
err skill_version_store_last(struct ctx *c, struct uuid skill_id, const char **last, int64_t *n);
/* Experiments on that base. */
err skill_version_store_experiments(struct ctx *c, struct uuid skill_id, const char *base, int64_t *n);
err skill_version_store_insert(struct ctx *c, const struct skill_version *v);
/* The one active version of the skill, in both tables. */
err skill_version_store_activate(struct ctx *c, struct uuid skill_id, struct uuid id);
/* The oldest that is neither active nor used. */
err skill_version_store_drop_one(struct ctx *c, struct uuid skill_id);

#endif
