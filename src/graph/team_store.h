/* The rows of teams and their members; only team.c includes this. */
#ifndef LOCI_TEAM_STORE_H
#define LOCI_TEAM_STORE_H

#include "team.h"

err team_store_insert(struct ctx *c, const struct team *t);
err team_store_get(struct ctx *c, struct uuid id, bool *found, struct team *out);
err team_store_list(struct ctx *c, const char *q, int64_t limit, struct uuid before, struct team **rows, size_t *n);
/* Writes name and description; *changed 0: the version was not t->version. */
err team_store_update(struct ctx *c, const struct team *t, int64_t *changed);
err team_store_delete(struct ctx *c, struct uuid id, int64_t version, int64_t *changed);
/* Its namespace is kept as an archived space, under a name that a new team of the same slug does not need. */
err team_store_retire_namespace(struct ctx *c, struct uuid id);

err team_store_members(struct ctx *c, struct uuid team_id, int64_t limit, struct uuid before, struct team_member **rows,
                       size_t *n);
err team_store_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, bool *found, struct team_member *out);
err team_store_put_member(struct ctx *c, struct uuid team_id, const struct team_member *m);
err team_store_remove_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, int64_t *changed);

#endif
