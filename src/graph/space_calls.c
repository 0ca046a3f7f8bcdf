/* The operations of spaces. */
#include "graph_calls.h"
#include "space_room.h"

#define TAG .tag = "spaces"

OP_CALL(SPACE_CREATE, struct space, struct space, space_room_create(c, in, out),
        .name = "space.create", .method = "POST", .path = "/api/v1/spaces", TAG,
        .summary = "Creates a context or a pool as a space.",
        .help = "Also requires the permission of the kind: context.create or pools.manage. Other kinds cannot be created yet. The creator can "
                "manage the space: an agent as its owner, a user by a grant.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(SPACE, struct space), OP_GIVE(SPACE, struct space));

static const struct field SPACE_FILTER[] = {
    F_ENUM(struct space_filter, kind, FIELD_NULLABLE, space_kind, -1, "only spaces of this kind"),
    F_ENUM(struct space_filter, status, FIELD_NULLABLE, space_status, -1, "only spaces with this status"),
    F_STR(struct space_filter, q, 0, 0, LIMIT_NAME, "part of the name or slug"),
    F_PAGE(struct space_filter),
    F_END
};

OP_CALL(SPACE_LIST, struct space_filter, struct page, space_list(c, in, out),
        .name = "space.list", .method = "GET", .path = "/api/v1/spaces", .tool = "list_spaces", TAG,
        .summary = "Lists the spaces that the caller can read, newest first.",
        .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(SPACE_FILTER, struct space_filter),
        OP_GIVE(SPACE, struct space));

OP_CALL(SPACE_GET, struct thing_key, struct space, space_get(c, in->id, out),
        .name = "space.get", .method = "GET", .path = "/api/v1/spaces/:id", TAG,
        .summary = "Returns a space.", .perm = PERM_MEMORY_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG,
        OP_KEY(SPACE), OP_GIVE(SPACE, struct space));

OP_CALL(SPACE_UPDATE, struct space_change, struct space, space_update(c, in, out),
        .name = "space.update", .method = "PATCH", .path = "/api/v1/spaces/:id", TAG,
        .summary = "Changes name, slug, description, parent, settings or expiry of a space.",
        .help = "Requires the level manage, and context.update or pools.manage. Omitted fields stay unchanged.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_CHANGE(SPACE, struct space_change),
        OP_GIVE(SPACE, struct space));

/* ---- archive, delete, restore */

OP_CALL(SPACE_ARCHIVE, struct thing_key, struct space, space_archive(c, in->id, in->if_version, out),
        .name = "space.archive", .method = "POST", .path = "/api/v1/spaces/:id/archive", TAG,
        .summary = "Archives a space: it becomes read-only and is left out of recall.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_KEY(SPACE),
        OP_GIVE(SPACE, struct space));

OP_CALL(SPACE_UNARCHIVE, struct thing_key, struct space, space_unarchive(c, in->id, in->if_version, out),
        .name = "space.unarchive", .method = "POST", .path = "/api/v1/spaces/:id/unarchive", TAG,
        .summary = "Unarchives a space.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG | OP_MATCH | OP_IF_VERSION, OP_KEY(SPACE),
        OP_GIVE(SPACE, struct space));

OP_CALL(SPACE_DELETE, struct thing_key, void, space_delete(c, in->id, in->if_version),
        .name = "space.delete", .method = "DELETE", .path = "/api/v1/spaces/:id", TAG,
        .summary = "Deletes a space with all its content.",
        .help = "Requires context.delete or pools.manage. It can be restored for 30 days, a pool for 7. Namespaces and the pool `default` "
                "cannot be deleted.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY | OP_IF_VERSION, OP_KEY(SPACE));

OP_CALL(SPACE_RESTORE, struct thing_key, struct space, space_restore(c, in->id, out),
        .name = "space.restore", .method = "POST", .path = "/api/v1/spaces/:id/restore", TAG,
        .summary = "Restores a deleted or expired space with all its content.",
        .help = "For those who could manage it, or have memory.manage; within 30 days, for a pool within 7.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG, OP_KEY(SPACE), OP_GIVE(SPACE, struct space));

const struct op *const space_calls_table[] = {&SPACE_CREATE, &SPACE_LIST, &SPACE_GET, &SPACE_UPDATE, &SPACE_ARCHIVE, &SPACE_UNARCHIVE, &SPACE_DELETE,
                                              &SPACE_RESTORE, NULL};
