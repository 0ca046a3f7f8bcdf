/* The operations of spaces. */
#include "graph_calls.h"
#include "space_room.h"

#define TAG .tag = "spaces"

static int64_t wanted(const struct ctx *c, int64_t if_version)
{
    return c->if_match ? c->if_match : if_version;
}

static const struct field SPACE_OUT[] = {
    F_UUID(struct space, id, 0, "id of the space"),
    F_ENUM(struct space, kind, 0, space_kind, SPACE_CONTEXT, "kind of space"),
    F_STR(struct space, slug, 0, 0, 150, "slug, unique in account and kind"),
    F_STR(struct space, name, 0, 0, LIMIT_NAME, "display name"),
    F_STR(struct space, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_UUID(struct space, parent_id, FIELD_NULLABLE, "parent space"),
    F_UUID(struct space, owner_agent_id, FIELD_NULLABLE, "agent that owns it"),
    F_UUID(struct space, team_id, FIELD_NULLABLE, "team with write access"),
    F_OBJECT(struct space, settings, 0, LIMIT_SETTINGS, "settings of the space"),
    F_ENUM(struct space, status, 0, space_status, SPACE_ACTIVE, "status; archived: read-only and left out of recall"),
    F_ENUM(struct space, access, 0, access_level, ACCESS_READ, "access level of the caller"),
    F_INT(struct space, version, 0, 1, 9e15, 1, "version; increases with every change"),
    F_TIME(struct space, created_at, 0, "when it was created"),
    F_TIME(struct space, updated_at, 0, "when it was last changed"),
    F_TIME(struct space, archived_at, FIELD_NULLABLE, "when it was archived"),
    F_TIME(struct space, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"),
    F_END
};

/* ---- create */

static const struct field CREATE_IN[] = {
    F_ENUM(struct space_new, kind, 0, space_kind, SPACE_CONTEXT, "kind of space; namespaces cannot be created here"),
    F_STR(struct space_new, name, FIELD_REQUIRED, 1, LIMIT_NAME, "display name"),
    F_STR(struct space_new, slug, FIELD_SLUG, 1, LIMIT_SLUG, "slug; default: generated"),
    F_STR(struct space_new, description, 0, 0, LIMIT_DESCRIPTION, "purpose"),
    F_UUID(struct space_new, parent_id, FIELD_NULLABLE | FIELD_SPACE, "parent space; the caller needs write access"),
    F_UUID(struct space_new, owner_agent_id, FIELD_NULLABLE, "agent that owns it; default for agents: the caller"),
    F_UUID(struct space_new, team_id, FIELD_NULLABLE, "team with write access"),
    F_OBJECT(struct space_new, settings, 0, LIMIT_SETTINGS, "settings of the space"),
    F_TIME(struct space_new, expires_at, FIELD_NULLABLE, "expiry time; hidden from reads after this"),
    F_END
};

OP_CALL(SPACE_CREATE, struct space_new, struct space, space_room_create(c, in, out),
        .name = "space.create", .method = "POST", .path = "/api/v1/spaces", TAG,
        .summary = "Creates a context or a pool as a space.",
        .help = "Also requires the permission of the kind: context.create or pools.manage. Other kinds cannot be created yet. The creator can "
                "manage the space: an agent as its owner, a user by a grant.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES | OP_ETAG,
        OP_IN(CREATE_IN, struct space_new), OP_OUT(SPACE_OUT, struct space));

/* ---- list and get */

struct list_in {
    int kind, status;
    const char *q, *cursor;
    int64_t limit;
};

static const struct field LIST_IN[] = {
    F_ENUM(struct list_in, kind, FIELD_NULLABLE, space_kind, -1, "only spaces of this kind"),
    F_ENUM(struct list_in, status, FIELD_NULLABLE, space_status, -1, "only spaces with this status"),
    F_STR(struct list_in, q, 0, 0, LIMIT_NAME, "part of the name or slug"),
    F_PAGE(struct list_in),
    F_END
};

static err list(struct ctx *c, const void *in, void *out)
{
    const struct list_in *i = in;

    return space_list(c, &(struct space_filter){.kind = i->kind, .status = i->status, .q = i->q, .limit = i->limit,
                                                .cursor = i->cursor}, out);
}

static const struct op SPACE_LIST = {
    .name = "space.list", .method = "GET", .path = "/api/v1/spaces", .tool = "list_spaces", TAG,
    .summary = "Lists the spaces that the caller can read, newest first.",
    .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST,
    OP_IN(LIST_IN, struct list_in), OP_OUT(SPACE_OUT, struct space), .run = list,
};

struct id_in {
    struct uuid id;
    int64_t if_version;
};

static const struct field ID_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_END
};

static const struct field MATCH_IN[] = {
    F_UUID(struct id_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_INT(struct id_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_END
};

OP_CALL(SPACE_GET, struct id_in, struct space, space_get(c, in->id, out),
        .name = "space.get", .method = "GET", .path = "/api/v1/spaces/:id", TAG,
        .summary = "Returns a space.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_IN(ID_IN, struct id_in), OP_OUT(SPACE_OUT, struct space));

/* ---- update */

struct update_in {
    struct given given;
    struct uuid id;
    int64_t if_version;
    const char *name, *slug, *description;
    struct uuid parent_id;
    const struct json *settings;
    struct instant expires_at;
};

static const struct field UPDATE_IN[] = {
    F_UUID(struct update_in, id, FIELD_REQUIRED | FIELD_SPACE, "id of the space"),
    F_INT(struct update_in, if_version, FIELD_NULLABLE, 1, 9e15, 0, "expected version; same as If-Match"),
    F_STR(struct update_in, name, 0, 1, LIMIT_NAME, "display name"),
    F_STR(struct update_in, slug, FIELD_SLUG, 1, LIMIT_SLUG, "slug"),
    F_STR(struct update_in, description, FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose"),
    F_UUID(struct update_in, parent_id, FIELD_NULLABLE | FIELD_SPACE, "parent space"),
    F_OBJECT(struct update_in, settings, FIELD_NULLABLE, LIMIT_SETTINGS, "merged into the settings (RFC 7396); null clears them"),
    F_TIME(struct update_in, expires_at, FIELD_NULLABLE, "expiry time; null: never expires"),
    F_END
};

static err update(struct ctx *c, const void *in, void *out)
{
    const struct update_in *i = in;
    struct space_patch p = {.if_version = wanted(c, i->if_version), .name = i->name, .slug = i->slug,
                            .description = i->description, .parent_id = i->parent_id, .settings = i->settings,
                            .expires_at = i->expires_at};

    p.set = (given(i, name) ? SPACE_SET_NAME : 0) | (given(i, slug) ? SPACE_SET_SLUG : 0) |
            (given(i, description) ? SPACE_SET_DESCRIPTION : 0) | (given(i, parent_id) ? SPACE_SET_PARENT : 0) |
            (given(i, settings) ? SPACE_SET_SETTINGS : 0) | (given(i, expires_at) ? SPACE_SET_EXPIRES : 0);
    return space_update(c, i->id, &p, out);
}

static const struct op SPACE_UPDATE = {
    .name = "space.update", .method = "PATCH", .path = "/api/v1/spaces/:id", TAG,
    .summary = "Changes name, slug, description, parent, settings or expiry of a space.", .help = "Requires the level manage, and context.update or pools.manage. Omitted fields "
                                                          "stay unchanged.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG | OP_MATCH | OP_GIVEN,
    OP_IN(UPDATE_IN, struct update_in), OP_OUT(SPACE_OUT, struct space), .run = update,
};

/* ---- archive, delete, restore */

OP_CALL(SPACE_ARCHIVE, struct id_in, struct space, space_archive(c, in->id, wanted(c, in->if_version), out),
        .name = "space.archive", .method = "POST", .path = "/api/v1/spaces/:id/archive", TAG,
        .summary = "Archives a space: it becomes read-only and is left out of recall.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH,
        OP_IN(MATCH_IN, struct id_in), OP_OUT(SPACE_OUT, struct space));

OP_CALL(SPACE_UNARCHIVE, struct id_in, struct space, space_unarchive(c, in->id, wanted(c, in->if_version), out),
        .name = "space.unarchive", .method = "POST", .path = "/api/v1/spaces/:id/unarchive", TAG,
        .summary = "Unarchives a space.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH,
        OP_IN(MATCH_IN, struct id_in), OP_OUT(SPACE_OUT, struct space));

OP_CALL(SPACE_DELETE, struct id_in, void, space_delete(c, in->id, wanted(c, in->if_version)),
        .name = "space.delete", .method = "DELETE", .path = "/api/v1/spaces/:id", TAG,
        .summary = "Deletes a space with all its content.", .help = "Requires context.delete or pools.manage. It can be restored for 30 days, a "
                                                                     "pool for 7. Namespaces and the pool `default` cannot be deleted.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY,
        OP_IN(MATCH_IN, struct id_in));

OP_CALL(SPACE_RESTORE, struct id_in, struct space, space_restore(c, in->id, out),
        .name = "space.restore", .method = "POST", .path = "/api/v1/spaces/:id/restore", TAG,
        .summary = "Restores a deleted or expired space with all its content.",
        .help = "For those who could manage it, or have memory.manage; within 30 days, for a pool within 7.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG,
        OP_IN(ID_IN, struct id_in), OP_OUT(SPACE_OUT, struct space));

const struct op *const space_calls_table[] = {&SPACE_CREATE, &SPACE_LIST, &SPACE_GET, &SPACE_UPDATE, &SPACE_ARCHIVE, &SPACE_UNARCHIVE, &SPACE_DELETE,
                                              &SPACE_RESTORE, NULL};
