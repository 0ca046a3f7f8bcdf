/* Teams: groups of agents that share a namespace. */
#ifndef LOCI_TEAM_H
#define LOCI_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "page.h"
#include "thing_table.h"

struct team {
    struct uuid id;
    const char *slug, *name, *description;
    int64_t members, version;
    struct instant created_at, updated_at;
};
extern const struct thing TEAM;

struct team_change {
    struct thing_change change;
    struct team to;
};

struct team_filter {
    const char *q; /* part of name or slug; NULL: any */
    int64_t limit;
    const char *cursor;
};

struct team_member {
    struct uuid team_id, agent_id;
    const char *slug, *name; /* of the agent */
    const char *role;        /* NULL: member */
    bool is_lead;
    struct instant created_at;
};
extern const struct thing TEAM_MEMBER;

struct team_member_filter {
    struct uuid id; /* of the team */
    int64_t limit;
    const char *cursor;
};

/* Comes with its namespace `team:<slug>`, in which its agents write. A slug that is taken: ERR_CONFLICT. */
err team_create(struct ctx *c, const struct team *in, struct team *out);
err team_get(struct ctx *c, struct uuid id, struct team *out);
err team_list(struct ctx *c, const struct team_filter *f, struct page *out);
err team_update(struct ctx *c, const struct team_change *ch, struct team *out);
/* Its members and grants go; its namespace is archived. */
err team_delete(struct ctx *c, const struct thing_key *key);

err team_members(struct ctx *c, const struct team_member_filter *f, struct page *out);
/* Adds the agent, or changes its role. */
err team_put_member(struct ctx *c, const struct team_member *m, struct team_member *out);
err team_remove_member(struct ctx *c, const struct team_member *m);

#endif
