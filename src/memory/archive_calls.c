/* The operations that put any memory out of the way. */
#include "archive.h"
#include "memory_calls.h"

struct archive_in {
    struct uuid id;
    const char *reason;
};

static const struct field ARCHIVE_IN[] = {
    F_UUID(struct archive_in, id, FIELD_REQUIRED, "id of the node"),
    F_STR(struct archive_in, reason, FIELD_NULLABLE, 0, ARCHIVE_REASON, "reason, kept in the audit trail"),
    F_END
};

static const struct field ARCHIVE_OUT[] = {
    F_UUID(struct node, id, 0, "id of the node"),
    F_STR(struct node, kind, 0, 0, 32, "kind"),
    F_STR(struct node, status, 0, 0, 16, "active or archived"),
    F_INT(struct node, version, 0, 1, 9e15, 1, "version; increases with every change"),
    F_TIME(struct node, archived_at, FIELD_NULLABLE, "when it was archived"),
    F_END
};

OP_CALL(MEMORY_ARCHIVE, struct archive_in, struct node, memory_archive(c, in->id, true, in->reason, out),
        .name = "memory.archive", .method = "POST", .path = "/api/v1/memory/nodes/:id/archive", .tool = "archive_memory", .tag = "memory",
        .summary = "Archives a memory of any kind.",
        .help = "Recall and lists leave it out; it can be read by its id and changed after unarchiving.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(ARCHIVE_IN, struct archive_in), OP_OUT(ARCHIVE_OUT, struct node));

OP_CALL(MEMORY_UNARCHIVE, struct archive_in, struct node, memory_archive(c, in->id, false, in->reason, out),
        .name = "memory.unarchive", .method = "POST", .path = "/api/v1/memory/nodes/:id/unarchive", .tool = "unarchive_memory", .tag = "memory",
        .summary = "Unarchives a memory.", .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
        OP_IN(ARCHIVE_IN, struct archive_in), OP_OUT(ARCHIVE_OUT, struct node));

const struct op *const archive_calls_table[] = {&MEMORY_ARCHIVE, &MEMORY_UNARCHIVE, NULL};
