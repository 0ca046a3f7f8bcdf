/* The operations of grants. */
#include "grant.h"
#include "graph_calls.h"
#include "named.h"
#include "str.h"

#define TAG .tag = "spaces"

static const struct field ADD_IN[] = {
    F_UUID_AS("id", struct grant, space_id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_ENUM(struct grant, grantee_kind, FIELD_REQUIRED, grantee_kind, GRANTEE_USER, "kind of grantee"),
    F_STR(struct grant, grantee_id, 0, 0, 64, "id of the user, agent or team, slug of the agent, or name of the role; omit for everyone"),
    F_ENUM(struct grant, level, 0, access_level, ACCESS_READ, "read, write or manage"),
    F_TIME(struct grant, expires_at, FIELD_NULLABLE, "expiry time; the grant has no effect after this"),
    F_END
};

/* An agent may be named, as everywhere. */
static err grant_call_add(struct ctx *c, const struct grant *in, struct grant *out)
{
    struct grant g = *in;
    struct uuid agent;

    if (g.grantee_kind == GRANTEE_AGENT && !str_empty(g.grantee_id) && !uuid_parse(g.grantee_id, &agent)) {
        TRY(named_agent(c, g.grantee_id, &agent));
        g.grantee_id = arena_strdup(c->arena, UUID_STR(agent));
    }
    return grant_add(c, &g, out);
}

OP_CALL(GRANT_ADD, struct grant, struct grant, grant_call_add(c, in, out),
        .name = "grant.add", .method = "POST", .path = "/api/v1/spaces/:id/grants", TAG,
        .summary = "Grants read, write or manage access to a space.",
        .help = "Requires the level manage and, for a context or a pool, the permission context.manage or pools.manage; an agent may grant "
                "access to what it owns. Users with memory.manage may grant themselves access to a space of the account; the audit trail "
                "records this as grant.take.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES, OP_IN(ADD_IN, struct grant), OP_GIVE(GRANT, struct grant));

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
        OP_IN(LIST_IN, struct list_in), OP_GIVE(GRANT, struct grant));

#define GRANT_FIELDS \
    F_UUID(struct grant_change, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"), \
    F_UUID(struct grant_change, grant_id, FIELD_REQUIRED, "id of the grant"), \
    F_INT(struct grant_change, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match")

static const struct field UPDATE_IN[] = {
    GRANT_FIELDS,
    F_ENUM(struct grant_change, level, FIELD_UNSAID, access_level, ACCESS_READ, "read, write or manage"),
    F_TIME(struct grant_change, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

OP_CALL(GRANT_UPDATE, struct grant_change, struct grant, grant_update(c, in, out),
        .name = "grant.update", .method = "PATCH", .path = "/api/v1/spaces/:id/grants/:grant_id", TAG,
        .summary = "Changes the level or expiry of a grant.", .help = "Requires the same level and permissions as granting.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_GIVEN | OP_ETAG | OP_MATCH,
        OP_IN(UPDATE_IN, struct grant_change), OP_GIVE(GRANT, struct grant));

static const struct field REMOVE_IN[] = {GRANT_FIELDS, F_END};

OP_CALL(GRANT_REMOVE, struct grant_change, void, grant_remove(c, in->id, in->grant_id, in->if_version),
        .name = "grant.remove", .method = "DELETE", .path = "/api/v1/spaces/:id/grants/:grant_id", TAG,
        .summary = "Revokes a grant; takes effect with the next request.", .help = "Requires the same level and permissions as granting.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_NO_BODY | OP_MATCH, OP_IN(REMOVE_IN, struct grant_change));

const struct op *const grant_calls_table[] = {&GRANT_ADD, &GRANT_LIST, &GRANT_UPDATE, &GRANT_REMOVE, NULL};
