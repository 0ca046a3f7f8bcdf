/* Teams: groups of agents that share a namespace. */
#ifndef LOCI_TEAM_H
#define LOCI_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "page.h"

struct team {
    struct uuid id;
    const char *slug, *name, *description;
    int64_t members, version;
    struct instant created_at, updated_at;
};

struct team_new {
    const char *slug, *name, *description;
};

#define TEAM_SET_NAME 1u
#define TEAM_SET_DESCRIPTION 2u

struct team_patch {
    unsigned set;
    int64_t if_version;              /* 0: not said */
    const char *name, *description;
};

struct team_member {
    struct uuid agent_id;
    const char *slug, *name;         /* of the agent */
    const char *role;
    bool is_lead;
    struct instant created_at;
};

/* Comes with its namespace `team:<slug>`, in which its agents write. A slug that is taken: ERR_CONFLICT. */
err team_create(struct ctx *c, const struct team_new *in, struct team *out);
err team_get(struct ctx *c, struct uuid id, struct team *out);
err team_list(struct ctx *c, const char *q, int64_t limit, const char *cursor, struct page *out);
err team_update(struct ctx *c, struct uuid id, const struct team_patch *p, struct team *out);
/* Its members and grants go; its namespace is archived. */
err team_delete(struct ctx *c, struct uuid id, int64_t if_version);

err team_members(struct ctx *c, struct uuid team_id, int64_t limit, const char *cursor, struct page *out);
/* Adds the agent, or changes its part. */
err team_put_member(struct ctx *c, struct uuid team_id, struct uuid agent_id, const char *role, bool is_lead,
                    struct team_member *out);
err team_remove_member(struct ctx *c, struct uuid team_id, struct uuid agent_id);

#endif
