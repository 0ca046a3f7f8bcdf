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

static err archive(struct ctx *c, const void *in, void *out)
{
    const struct archive_in *i = in;

    return memory_archive(c, i->id, true, i->reason, out);
}

static const struct op ARCHIVE = {
    .name = "memory.archive", .method = "POST", .path = "/api/v1/memory/nodes/:id/archive", .tool = "archive_memory", .tag = "memory",
    .summary = "Archives a memory of any kind.",
    .help = "Recall and lists leave it out; it can be read by its id and changed after unarchiving.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
    OP_IN(ARCHIVE_IN, struct archive_in), OP_OUT(ARCHIVE_OUT, struct node), .run = archive,
};

static err unarchive(struct ctx *c, const void *in, void *out)
{
    const struct archive_in *i = in;

    return memory_archive(c, i->id, false, i->reason, out);
}

static const struct op UNARCHIVE = {
    .name = "memory.unarchive", .method = "POST", .path = "/api/v1/memory/nodes/:id/unarchive", .tool = "unarchive_memory", .tag = "memory",
    .summary = "Unarchives a memory.", .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT,
    OP_IN(ARCHIVE_IN, struct archive_in), OP_OUT(ARCHIVE_OUT, struct node), .run = unarchive,
};

const struct op *const archive_calls_table[] = {&ARCHIVE, &UNARCHIVE, NULL};
