/* The operations of grants. */
#include "grant.h"
#include "graph_calls.h"
#include "named.h"
#include "str.h"

#define TAG .tag = "spaces"

static const struct field GRANT_OUT[] = {
    F_UUID(struct grant, id, 0, "id of the grant"),
    F_UUID(struct grant, space_id, 0, "the space"),
    F_ENUM(struct grant, grantee_kind, 0, grantee_kind, GRANTEE_USER, "kind of grantee"),
    F_STR(struct grant, grantee_id, 0, 0, 64, "id of the user, agent or team, or name of the role; empty for everyone"),
    F_ENUM(struct grant, level, 0, access_level, ACCESS_READ, "write includes read, manage includes write"),
    F_UUID(struct grant, granted_by, FIELD_NULLABLE, "who granted it"),
    F_TIME(struct grant, created_at, 0, "when it was created"),
    F_TIME(struct grant, expires_at, FIELD_NULLABLE, "expiry time; the grant has no effect after this"),
    F_INT(struct grant, version, 0, 1, 9e15, 1, "version; increases with every change"),
    F_END
};

static int64_t wanted(const struct ctx *c, int64_t if_version)
{
    return c->if_match ? c->if_match : if_version;
}

/* A path says :id for the space. */
struct add_in {
    struct uuid id;
    enum grantee_kind grantee_kind;
    const char *grantee_id;
    enum access_level level;
    struct instant expires_at;
};

static const struct field ADD_IN[] = {
    F_UUID(struct add_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_ENUM(struct add_in, grantee_kind, FIELD_REQUIRED, grantee_kind, GRANTEE_USER, "kind of grantee"),
    F_STR(struct add_in, grantee_id, 0, 0, 64, "id of the user, agent or team, slug of the agent, or name of the role; omit for everyone"),
    F_ENUM(struct add_in, level, 0, access_level, ACCESS_READ, "read, write or manage"),
    F_TIME(struct add_in, expires_at, FIELD_NULLABLE, "expiry time; the grant has no effect after this"),
    F_END
};

/* An agent may be named, as everywhere. */
static err grantee_named(struct ctx *c, const struct add_in *i, const char **id)
{
    struct uuid agent;

    *id = i->grantee_id;
    if (i->grantee_kind != GRANTEE_AGENT || str_empty(*id) || uuid_parse(*id, &agent))
        return ERR_OK;
    TRY(named_agent(c, *id, &agent));
    *id = arena_strdup(c->arena, UUID_STR(agent));
    return ERR_OK;
}

static err add(struct ctx *c, const void *in, void *out)
{
    const struct add_in *i = in;
    const char *grantee_id;

    TRY(grantee_named(c, i, &grantee_id));
    return grant_add(c, &(struct grant_new){.space_id = i->id, .grantee_kind = i->grantee_kind, .grantee_id = grantee_id,
                                            .level = i->level, .expires_at = i->expires_at}, out);
}

static const struct op GRANT_ADD = {
    .name = "grant.add", .method = "POST", .path = "/api/v1/spaces/:id/grants", TAG,
    .summary = "Grants read, write or manage access to a space.",
    .help = "Requires the level manage and, for a context or a pool, the permission context.manage or pools.manage; an agent may grant "
            "access to what it owns. Users with memory.manage may grant themselves access to a space of the account; the audit trail records "
            "this as grant.take.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES,
    OP_IN(ADD_IN, struct add_in), OP_OUT(GRANT_OUT, struct grant), .run = add,
};

struct list_in {
    struct uuid id;
    int64_t limit;
    const char *cursor;
};

static const struct field LIST_IN[] = {
    F_UUID(struct list_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_PAGE(struct list_in),
    F_END
};

OP_CALL(GRANT_LIST, struct list_in, struct page, grant_list(c, in->id, in->limit, in->cursor, out),
        .name = "grant.list", .method = "GET", .path = "/api/v1/spaces/:id/grants", TAG,
        .summary = "Lists the grants of a space.", .help = "Requires the same level and permissions as granting.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
        OP_IN(LIST_IN, struct list_in), OP_OUT(GRANT_OUT, struct grant));

struct update_in {
    struct given given;
    struct uuid id, grant_id;
    int64_t if_version;
    enum access_level level;
    struct instant expires_at;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_UUID(struct update_in, grant_id, FIELD_REQUIRED, "id of the grant"),
    F_INT(struct update_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_ENUM(struct update_in, level, FIELD_UNSAID, access_level, ACCESS_READ, "read, write or manage"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

static err update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct grant_patch p = {.if_version = wanted(c, i->if_version), .level = i->level, .expires_at = i->expires_at};

    p.set = (given(i, level) ? GRANT_SET_LEVEL : 0) | (given(i, expires_at) ? GRANT_SET_EXPIRES : 0);
    return grant_update(c, i->id, i->grant_id, &p, out);
}

static const struct op GRANT_UPDATE = {
    .name = "grant.update", .method = "PATCH", .path = "/api/v1/spaces/:id/grants/:grant_id", TAG,
    .summary = "Changes the level or expiry of a grant.", .help = "Requires the same level and permissions as granting.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_GIVEN | OP_ETAG | OP_MATCH,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(GRANT_OUT, struct grant), .run = update,
};

struct remove_in {
    struct uuid id, grant_id;
    int64_t if_version;
};

static const struct field REMOVE_IN[] = {
    F_UUID(struct remove_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_UUID(struct remove_in, grant_id, FIELD_REQUIRED, "id of the grant"),
    F_INT(struct remove_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_END
};

OP_CALL(GRANT_REMOVE, struct remove_in, void, grant_remove(c, in->id, in->grant_id, wanted(c, in->if_version)),
        .name = "grant.remove", .method = "DELETE", .path = "/api/v1/spaces/:id/grants/:grant_id", TAG,
        .summary = "Revokes a grant; takes effect with the next request.", .help = "Requires the same level and permissions as granting.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_NO_BODY | OP_MATCH,
        OP_IN(REMOVE_IN, struct remove_in));

const struct op *const grant_calls_table[] = {&GRANT_ADD, &GRANT_LIST, &GRANT_UPDATE, &GRANT_REMOVE, NULL};
