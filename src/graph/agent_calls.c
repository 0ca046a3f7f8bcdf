/* Operations on agents. Their parts and keys are in agent_part_calls.c. */
#include "agent.h"
#include "agent_calls.h"
#include "graph_calls.h"

#define TAG "agents"

/* A status that was not said: any in a filter, the old one in a change. */
#define AGENT_STATUS_ASKED(X) \
    X(AGENT_STATUS_UNSAID, "") X(AGENT_STATUS_ACTIVE, "active") X(AGENT_STATUS_PAUSED, "paused") \
    X(AGENT_STATUS_ARCHIVED, "archived")
ENUMX_DECLARE(agent_status_asked, AGENT_STATUS_ASKED);
ENUMX_DEFINE(agent_status_asked, AGENT_STATUS_ASKED);

static const struct field AGENT_OUT[] = {
    F_UUID(struct agent, id, 0, "id"),
    F_STR(struct agent, slug, 0, 0, 0, "slug, unique in the account"),
    F_STR(struct agent, name, 0, 0, 0, "display name"),
    F_STR(struct agent, kind, 0, 0, 0, "kind of agent"),
    F_STR(struct agent, description, FIELD_NULLABLE, 0, 0, "description"),
    F_STR(struct agent, role, 0, 0, 0, "role; sets its permissions"),
    F_UUID(struct agent, parent_id, FIELD_NULLABLE, "parent agent"),
    F_ENUM(struct agent, status, 0, agent_status, 0, "status; paused and archived agents cannot call the API"),
    F_NUM(struct agent, trust, 0, 0, 1, 0, "trust, 0 to 1: weight of its memories in recall"),
    F_INT(struct agent, version, 0, 0, 0, 0, "version; increases with every change; the ETag"),
    F_TIME(struct agent, created_at, 0, "when it was created"),
    F_TIME(struct agent, updated_at, 0, "when it was last changed"),
    F_END
};

const struct field AGENT_BY_ID[] = {
    F_UUID(struct agent_by_id, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_END
};

/* ---- list and get */

struct list_in {
    enum agent_status_asked status;
    const char *kind, *q, *cursor;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_ENUM(struct list_in, status, 0, agent_status_asked, AGENT_STATUS_UNSAID, "only agents of this status"),
    F_STR(struct list_in, kind, FIELD_SLUG, 1, 64, "only agents of this kind"),
    F_STR(struct list_in, q, 0, 1, LIMIT_NAME, "only agents whose name or slug contains this"),
    F_PAGE(struct list_in),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;
    struct agent_filter f = {.status = (int)i->status - 1, .kind = i->kind, .q = i->q, .limit = i->limit,
                             .cursor = i->cursor};

    return agent_list(c, &f, out);
}

static const struct op LIST = {
    .name = "agent.list", .method = "GET", .path = "/api/v1/agents", .tool = "list_agents", .tag = TAG,
    .summary = "Lists the agents of the account, newest first.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(AGENT_OUT, struct agent), .run = list,
};

static err get(struct ctx *c, const void *in, void *out)
{
    return agent_get(c, ((const struct agent_by_id *)in)->id, out);
}

static const struct op GET = {
    .name = "agent.get", .method = "GET", .path = "/api/v1/agents/:id", .tag = TAG,
    .summary = "Returns one agent.",
    .perm = PERM_ACCOUNT_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
    OP_IN(AGENT_BY_ID, struct agent_by_id), OP_OUT(AGENT_OUT, struct agent), .run = get,
};

/* ---- create, update, archive */

struct create_in {
    const char *slug, *name, *kind, *description, *role;
    struct uuid parent_id;
    double trust;
};

static const struct field CREATE_IN[] = {
    F_STR(struct create_in, slug, FIELD_REQUIRED | FIELD_SLUG, 1, LIMIT_SLUG, "slug, unique in the account"),
    F_STR(struct create_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct create_in, kind, FIELD_SLUG, 1, 64, "kind of agent; default: assistant"),
    F_STR(struct create_in, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "description"),
    F_STR(struct create_in, role, 0, 1, 64, "agent (default), trusted, readonly or a role of the account"),
    F_UUID(struct create_in, parent_id, FIELD_NULLABLE, "parent agent"),
    F_NUM(struct create_in, trust, 0, 0, 1, 0.5, "trust, 0 to 1: weight of its memories in recall"),
    F_END
};

static err create(struct ctx *c, const void *in, void *out)
{
    const struct create_in *i = in;
    struct agent_new n = {.slug = i->slug, .name = i->name, .kind = i->kind, .description = i->description,
                          .role = i->role, .parent_id = i->parent_id, .trust = i->trust};

    return agent_create(c, &n, out);
}

static const struct op CREATE = {
    .name = "agent.create", .method = "POST", .path = "/api/v1/agents", .tag = TAG,
    .summary = "Creates an agent and its private namespace.",
    .help = "The namespace is called agent:<id>; only the agent can read it unless access is granted. Create a token so that the agent can "
            "call the API: POST /api/v1/tokens.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_CREATES | OP_ETAG,
    OP_IN(CREATE_IN, struct create_in), OP_OUT(AGENT_OUT, struct agent), .run = create,
};

struct update_in {
    struct given given;
    struct uuid id, parent_id;
    const char *name, *kind, *description, *role;
    enum agent_status_asked status;
    double trust;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED | FIELD_AGENT, "id of the agent"),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, kind, FIELD_SLUG, 1, 64, "kind of agent"),
    F_STR(struct update_in, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "description"),
    F_STR(struct update_in, role, 0, 1, 64, "role; sets its permissions"),
    F_UUID(struct update_in, parent_id, FIELD_NULLABLE, "parent agent"),
    F_ENUM(struct update_in, status, 0, agent_status_asked, AGENT_STATUS_UNSAID, "status; paused and archived agents cannot call the API"),
    F_NUM(struct update_in, trust, FIELD_NULLABLE, 0, 1, 0.5, "trust, 0 to 1; null: 0.5"),
    F_END
};

static err update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct agent_patch p = {.if_version = c->if_match, .name = i->name, .kind = i->kind, .description = i->description,
                            .role = i->role, .parent_id = i->parent_id, .trust = i->trust};

    p.set = (given(i, name) ? AGENT_SET_NAME : 0) | (given(i, kind) ? AGENT_SET_KIND : 0) |
            (given(i, description) ? AGENT_SET_DESCRIPTION : 0) | (given(i, role) ? AGENT_SET_ROLE : 0) |
            (given(i, parent_id) ? AGENT_SET_PARENT : 0) | (given(i, status) ? AGENT_SET_STATUS : 0) |
            (given(i, trust) ? AGENT_SET_TRUST : 0);
    if (given(i, status))
        p.status = (enum agent_status)(i->status - AGENT_STATUS_ACTIVE);
    return agent_update(c, i->id, &p, out);
}

static const struct op UPDATE = {
    .name = "agent.update", .method = "PATCH", .path = "/api/v1/agents/:id", .tag = TAG,
    .summary = "Changes an agent.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(AGENT_OUT, struct agent), .run = update,
};

static err archive(struct ctx *c, const void *in, void *out)
{
    (void)out;
    return agent_archive(c, ((const struct agent_by_id *)in)->id, c->if_match);
}

static const struct op ARCHIVE = {
    .name = "agent.archive", .method = "DELETE", .path = "/api/v1/agents/:id", .tag = TAG,
    .summary = "Archives an agent.",
    .help = "Its tokens stop working at once; its memories stay. PATCH its status to reactivate it.",
    .perm = PERM_ACCOUNT_MANAGE, .flags = OP_DESTRUCTIVE | OP_IDEMPOTENT | OP_MATCH | OP_NO_BODY,
    OP_IN(AGENT_BY_ID, struct agent_by_id), .run = archive,
};

const struct op *const agent_calls_table[] = {&LIST, &GET, &CREATE, &UPDATE, &ARCHIVE, &AGENT_ROLES_GET,
                                              &AGENT_ROLES_SET, &AGENT_KEY_LIST, &AGENT_KEY_ADD, &AGENT_KEY_REVOKE, NULL};
