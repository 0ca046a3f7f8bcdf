/* What the files of the room share; nobody else includes this. */
#ifndef LOCI_SKILL_IMPL_H
#define LOCI_SKILL_IMPL_H

#include "skill.h"

/* Fills what is computed for an answer. */
void skill_present(const struct ctx *c, struct skill *s);
/* The space `skills` of the account, made when it is first needed; the caller may write it. */
err skill_space_to_write(struct ctx *c, struct uuid *id);
/* What is wrong with a text that others wrote: words for `flags`. */
struct strs skill_flags_of(struct ctx *c, const char *description, const char *body);
/* The node's text (what the skill is found by) and attrs, of its row and the text that is served. */
const char *skill_node_body(struct ctx *c, const struct skill *s, const char *body);
struct json *skill_node_attrs(struct ctx *c, const struct skill *s);
/* Its node again; s has the text that is served. */
err skill_refresh_node(struct ctx *c, const struct skill *s);

#endif
