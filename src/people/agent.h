/* Agents: the programs that remember and recall, the parts they play, and their public keys. */
#ifndef LOCI_AGENT_H
#define LOCI_AGENT_H

#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "str.h"
#include "thing_table.h"

#define AGENT_STATUS(X) X(AGENT_ACTIVE, "active") X(AGENT_PAUSED, "paused") X(AGENT_ARCHIVED, "archived")
ENUMX_DECLARE(agent_status, AGENT_STATUS);

/* What the observation pipeline looks for (room watch), and what clients report. */
#define SENSOR_TYPE(X) \
    X(SENSOR_KNOWLEDGE, "knowledge_health") X(SENSOR_PLATFORM, "platform_health") X(SENSOR_RECOMMENDATION, "recommendation") \
    X(SENSOR_PEER, "peer_agent") X(SENSOR_GOAL, "goal_progress") X(SENSOR_GOVERNANCE, "governance") X(SENSOR_WORKSPACE, "workspace") \
    X(SENSOR_SIGNAL, "stigmergic_signal") X(SENSOR_CODE, "code_change") X(SENSOR_BUDGET, "budget")
ENUMX_DECLARE(sensor_type, SENSOR_TYPE);

#define AGENT_TRUST 0.65    /* of a new one */
#define AGENT_KEY_BYTES 32  /* Ed25519 */
#define LIMIT_AGENT_KEYS 32 /* keys of one agent that are not revoked */

struct agent {
    struct uuid id;
    const char *slug, *name, *kind, *description, *role;
    struct uuid parent_id;
    enum agent_status status;
    double trust;
    bool is_watched;
    struct strs sensors;       /* of a watched one; none: those that every watched agent has */
    struct instant limited_at; /* since when its tokens may only read */
    int64_t version;
    struct instant created_at, updated_at;
};

extern const struct thing AGENT;

struct agent_change {
    struct thing_change change;
    struct agent to;
};

struct agent_filter {
    int status;       /* of enum agent_status, or -1: any */
    const char *kind; /* NULL: any */
    const char *q;    /* part of name or slug */
    int64_t limit;
    const char *cursor;
};

/* Comes with its namespace `agent:<id>`, which it owns. */
err agent_create(struct ctx *c, const struct agent *in, struct agent *out);
err agent_get(struct ctx *c, struct uuid id, struct agent *out);
err agent_by_slug(struct ctx *c, const char *slug, struct agent *out);
err agent_list(struct ctx *c, const struct agent_filter *f, struct page *out);
err agent_update(struct ctx *c, const struct agent_change *ch, struct agent *out);
/* Out of service; what it remembers stays. Doing it twice is doing it once. */
err agent_archive(struct ctx *c, const struct thing_key *key);
/* For room trust, inside its transaction: its tokens may only read from now on, whatever its role and their scopes; or that is over. */
err agent_limit(struct ctx *c, struct uuid id, bool limited);

/* Until agent_stand_down the caller is that agent, and sees what it may see; the audit trail says so, by this kind.
 * ERR_NOT_FOUND unless the caller may manage memory or is its parent, and where it is out of service. */
struct agent_self {
    struct principal *who;
    struct access *access;
};
err agent_stand_in(struct ctx *c, struct uuid id, const char *kind, struct agent_self *self);
void agent_stand_down(struct ctx *c, const struct agent_self *self);

/* What it does in its team: coder, reviewer, security … */
struct agent_roles {
    struct uuid id; /* of the agent */
    struct strs roles;
};
err agent_roles_get(struct ctx *c, struct uuid id, struct agent_roles *out);
err agent_roles_set(struct ctx *c, const struct agent_roles *in, struct agent_roles *out);

struct agent_key {
    struct uuid id, agent_id;
    const char *name;
    struct bytes key;       /* AGENT_KEY_BYTES */
    const char *public_key; /* the same as base64url */
    struct instant valid_from, valid_to, revoked_at, created_at;
};

struct agent_key_new {
    const char *name;
    const char *public_key;              /* base64url, or 64 hex digits */
    struct instant valid_from, valid_to; /* 0: from now; for good */
};

err agent_key_add(struct ctx *c, struct uuid agent_id, const struct agent_key_new *in, struct agent_key *out);
err agent_key_list(struct ctx *c, struct uuid agent_id, int64_t limit, const char *cursor, struct page *out);
/* Its old signatures still count up to now; new ones do not. */
err agent_key_revoke(struct ctx *c, struct uuid agent_id, struct uuid key_id);

#endif
