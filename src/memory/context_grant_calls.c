/* The operations on grants of a context or a pool. */
#include "context_calls.h"
#include "context_grant.h"
#include "memory_calls.h"

#define GRANTS_PATH CONTEXTS_PATH "/:id/grants"
#define POOL_TAG .tag = "pools"
#define POOL_GRANTS_PATH "/api/v1/ai/memory_pools/:pool_id/grants"
#define F_POOL(s) F_STR(s, pool_id, FIELD_REQUIRED, 1, CONTEXT_HANDLE, "pool_id or UUID of the pool")

/* What the path names. */
#define SHARED(i) (&(struct shared){(i)->pool_id ? SHARED_POOL : SHARED_CONTEXT, (i)->pool_id ? (i)->pool_id : (i)->id})

struct list_in {
    const char *id, *pool_id, *cursor;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_CONTEXT(struct list_in),
    F_PAGE(struct list_in),
    F_END
};

static const struct field POOL_LIST_IN[] = {
    F_POOL(struct list_in),
    F_PAGE(struct list_in),
    F_END
};

OP_CALL(CONTEXT_GRANT_LIST, struct list_in, struct page, context_grants(c, SHARED(in), in->limit, in->cursor, out),
        .name = "context_grant.list", .method = "GET", .path = GRANTS_PATH, CONTEXT_TAG,
        .summary = "Lists the grants of a context.", .help = "Requires the level manage.",
        .perm = PERM_CONTEXT_MANAGE, .flags = OP_OWNER | OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_GIVE(GRANT, struct grant));

OP_CALL(POOL_GRANT_LIST, struct list_in, struct page, context_grants(c, SHARED(in), in->limit, in->cursor, out),
        .name = "pool_grant.list", .method = "GET", .path = POOL_GRANTS_PATH, POOL_TAG,
        .summary = "Lists the grants of a pool.", .help = "Requires the level manage.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(POOL_LIST_IN, struct list_in), OP_GIVE(GRANT, struct grant));

struct set_in {
    const char *id, *pool_id;
    struct uuid agent_id, user_id, team_id;
    const char *role;
    bool everyone;
    enum access_level level;
    struct instant expires_at;
};

#define GRANTEE(s) \
    F_UUID(s, agent_id, FIELD_NULLABLE, "agent; exactly one of these five is required"), \
    F_UUID(s, user_id, FIELD_NULLABLE, "user"), \
    F_UUID(s, team_id, FIELD_NULLABLE, "team"), \
    F_STR(s, role, FIELD_NULLABLE, 1, 64, "role"), \
    F_BOOL(s, everyone, 0, false, "everyone in the account"), \
    F_ENUM(s, level, 0, access_level, ACCESS_READ, "level; none revokes the grant"), \
    F_TIME(s, expires_at, FIELD_NULLABLE, "expiry time; the grant has no effect after this")

static const struct field SET_IN[] = {
    F_CONTEXT(struct set_in),
    GRANTEE(struct set_in),
    F_END
};

static const struct field POOL_SET_IN[] = {
    F_POOL(struct set_in),
    GRANTEE(struct set_in),
    F_END
};

static const char *context_grant_call_text_of(struct ctx *c, struct uuid id)
{
    return arena_strdup(c->arena, UUID_STR(id));
}

static struct context_grantee grantee_of(struct ctx *c, const struct set_in *i)
{
    if (!uuid_is_nil(i->agent_id))
        return (struct context_grantee){GRANTEE_AGENT, context_grant_call_text_of(c, i->agent_id)};
    if (!uuid_is_nil(i->user_id))
        return (struct context_grantee){GRANTEE_USER, context_grant_call_text_of(c, i->user_id)};
    if (!uuid_is_nil(i->team_id))
        return (struct context_grantee){GRANTEE_TEAM, context_grant_call_text_of(c, i->team_id)};
    return i->role ? (struct context_grantee){GRANTEE_ROLE, i->role} : (struct context_grantee){GRANTEE_EVERYONE, ""};
}

static err context_grant_call_known(struct ctx *c, const char *pointer, enum grantee_kind kind, const char *id)
{
    bool yes;

    TRY(grant_can_be_to(c, kind, id, &yes));
    return yes ? ERR_OK : fail_field(c, pointer, "no such %s in this account", enumx_name(&grantee_kind_enumx, (int)kind));
}

static err context_grant_call_check(struct ctx *c, const struct set_in *i)
{
    if (!uuid_is_nil(i->agent_id))
        TRY(context_grant_call_known(c, "/agent_id", GRANTEE_AGENT, context_grant_call_text_of(c, i->agent_id)));
    if (!uuid_is_nil(i->user_id))
        TRY(context_grant_call_known(c, "/user_id", GRANTEE_USER, context_grant_call_text_of(c, i->user_id)));
    if (!uuid_is_nil(i->team_id))
        TRY(context_grant_call_known(c, "/team_id", GRANTEE_TEAM, context_grant_call_text_of(c, i->team_id)));
    if (i->role)
        TRY(context_grant_call_known(c, "/role", GRANTEE_ROLE, i->role));
    if (!uuid_is_nil(i->agent_id) + !uuid_is_nil(i->user_id) + !uuid_is_nil(i->team_id) + (i->role != NULL) + i->everyone != 1)
        return fail_field(c, "/agent_id", "give one of agent_id, user_id, team_id, role and everyone");
    return ERR_OK;
}

static err context_grant_call_set(struct ctx *c, const void *in, void *out)
{
    const struct set_in *i = in;
    struct context_grantee to = grantee_of(c, i);

    TRY(context_grant_call_check(c, i));
    return context_grant(c, SHARED(i), &to, i->level, i->expires_at, out);
}

static const struct op CONTEXT_GRANT_SET = {
    .name = "context_grant.set", .method = "POST", .path = GRANTS_PATH, CONTEXT_TAG,
    .summary = "Grants or revokes access to a context.", .help = "Requires the level manage.",
    .perm = PERM_CONTEXT_MANAGE, .flags = OP_OWNER | OP_CREATES,
    OP_IN(SET_IN, struct set_in), OP_GIVE(GRANT, struct grant), .run = context_grant_call_set,
};

static const struct op POOL_GRANT_SET = {
    .name = "pool_grant.set", .method = "POST", .path = POOL_GRANTS_PATH, POOL_TAG,
    .summary = "Grants or revokes access to a pool.", .help = "Requires the level manage.",
    .perm = PERM_POOLS_MANAGE, .flags = OP_CREATES,
    OP_IN(POOL_SET_IN, struct set_in), OP_GIVE(GRANT, struct grant), .run = context_grant_call_set,
};

struct remove_in {
    const char *id, *pool_id;
    struct uuid gid;
    int64_t if_version;
};

static const struct field REMOVE_IN[] = {
    F_CONTEXT(struct remove_in),
    F_UUID(struct remove_in, gid, FIELD_REQUIRED, "id of the grant"),
    F_INT(struct remove_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_END
};

static const struct field POOL_REMOVE_IN[] = {
    F_POOL(struct remove_in),
    F_UUID(struct remove_in, gid, FIELD_REQUIRED, "id of the grant"),
    F_INT(struct remove_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_END
};

OP_CALL(CONTEXT_GRANT_REMOVE, struct remove_in, void, context_revoke(c, SHARED(in), in->gid, in->if_version),
        .name = "context_grant.remove", .method = "DELETE", .path = GRANTS_PATH "/:gid", CONTEXT_TAG,
        .summary = "Revokes a grant of a context; takes effect with the next request.", .help = "Requires the level manage.",
        .perm = PERM_CONTEXT_MANAGE, .flags = OP_OWNER | OP_DESTRUCTIVE | OP_NO_BODY | OP_MATCH,
        OP_IN(REMOVE_IN, struct remove_in));

OP_CALL(POOL_GRANT_REMOVE, struct remove_in, void, context_revoke(c, SHARED(in), in->gid, in->if_version),
        .name = "pool_grant.remove", .method = "DELETE", .path = POOL_GRANTS_PATH "/:gid", POOL_TAG,
        .summary = "Revokes a grant of a pool; takes effect with the next request.", .help = "Requires the level manage.",
        .perm = PERM_POOLS_MANAGE, .flags = OP_DESTRUCTIVE | OP_NO_BODY | OP_MATCH,
        OP_IN(POOL_REMOVE_IN, struct remove_in));

const struct op *const context_grant_calls_table[] = {&CONTEXT_GRANT_LIST, &CONTEXT_GRANT_SET, &CONTEXT_GRANT_REMOVE, &POOL_GRANT_LIST,
                                                      &POOL_GRANT_SET, &POOL_GRANT_REMOVE, NULL};
