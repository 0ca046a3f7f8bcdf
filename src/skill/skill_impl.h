/* What the files of the room share; nobody else includes this. */
#ifndef LOCI_SKILL_IMPL_H
#define LOCI_SKILL_IMPL_H

#include "skill.h"

err skill_missing(struct ctx *c);
/* Spaces of kind skills that the caller may read. */
struct uuids skill_spaces(struct ctx *c);
/* Fills what is computed for an answer. */
void skill_present(const struct ctx *c, struct skill *s);
/* Locked, inside a transaction; the caller may write it. */
err skill_take(struct ctx *c, struct uuid id, int64_t if_version, struct skill *out);
/* The space `skills` of the account, made when it is first needed; the caller may write it. */
err skill_space_to_write(struct ctx *c, struct uuid *id);
/* ERR_INVALID for a category that there is not; it names those that there are. */
err skill_category_check(struct ctx *c, const char *pointer, const char *category);
/* "Deploy to Kubernetes" → "deploy-to-kubernetes"; "" where no letter or digit is left. */
const char *skill_slug_of(struct arena *a, const char *name);
/* What is wrong with a text that others wrote: words for `flags`. */
struct strs skill_flags_of(struct ctx *c, const char *description, const char *body);
/* The node's text (what the skill is found by) and attrs, of its row and the text that is served. */
const char *skill_node_body(struct ctx *c, const struct skill *s, const char *body);
struct json *skill_node_attrs(struct ctx *c, const struct skill *s);
/* Its node again; s has the text that is served. */
err skill_refresh_node(struct ctx *c, const struct skill *s);

#endif
