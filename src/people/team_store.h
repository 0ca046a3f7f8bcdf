/* The rows of teams and their members; only team.c includes this. */
#ifndef LOCI_TEAM_STORE_H
#define LOCI_TEAM_STORE_H

#include "team.h"

err team_store_list(struct ctx *c, const struct team_filter *f, struct uuid before, struct page *out);
/* Its namespace is kept as an archived space, under a name that a new team of the same slug does not need. */
err team_store_retire_namespace(struct ctx *c, struct uuid id);

err team_store_members(struct ctx *c, const struct team_member_filter *f, struct uuid before, struct page *out);
err team_store_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, bool *found, struct team_member *out);
err team_store_put_member(struct ctx *c, const struct team_member *m);
err team_store_remove_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, int64_t *changed);

#endif
