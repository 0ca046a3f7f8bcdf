/* The operations that copy entries from one context to another. */
#include "context_calls.h"
#include "context_copy.h"
#include "memory_calls.h"

static const struct field COPIED_OUT[] = {
    F_UUID(struct copied, id, 0, "id of the target context"),
    F_STR(struct copied, context_id, 0, 0, CONTEXT_HANDLE, "its handle"),
    F_INT(struct copied, created, 0, 0, CONTEXT_COUNT_MAX, 0, "entries added"),
    F_INT(struct copied, updated, 0, 0, CONTEXT_COUNT_MAX, 0, "entries changed"),
    F_BOOL(struct copied, complete, 0, true, "false: timeout; call sync again to continue"),
    F_END
};

struct clone_in {
    const char *id, *name;
};

static const struct field CLONE_IN[] = {
    F_CONTEXT(struct clone_in),
    F_STR(struct clone_in, name, FIELD_REQUIRED, 1, LIMIT_NAME, "name of the new context"),
    F_END
};

OP_CALL(CONTEXT_CLONE, struct clone_in, struct copied, context_clone(c, in->id, in->name, out),
        .name = "context.clone", .method = "POST", .path = CONTEXTS_PATH "/:id/clone", CONTEXT_TAG,
        .summary = "Copies a context with its entries.",
        .help = "Copies live entries with their vectors, but not grants, old versions and snapshots. A copy of an agent's context belongs to the "
                "calling agent.",
        .perm = PERM_CONTEXT_CREATE, .flags = OP_CREATES | OP_PORTIONS | OP_ONCE, .made_at = CONTEXTS_PATH,
        OP_IN(CLONE_IN, struct clone_in), OP_OUT(COPIED_OUT, struct copied));

struct sync_in {
    const char *id, *source_context_id;
    struct strs entry_types;
    double min_importance;
};

static const struct field SYNC_IN[] = {
    F_CONTEXT(struct sync_in),
    F_STR(struct sync_in, source_context_id, FIELD_REQUIRED, 1, CONTEXT_HANDLE, "id or handle of the source context"),
    F_STRS(struct sync_in, entry_types, 0, 8, "only entries of these types"),
    F_NUM(struct sync_in, min_importance, 0, 0, 1, 0, "minimum current importance (after decay)"),
    F_END
};

static err context_copy_call_sync(struct ctx *c, const void *in, void *out)
{
    const struct sync_in *i = in;

    return context_sync(c, i->id, i->source_context_id,
                        &(struct copy_wanted){.entry_types = i->entry_types, .min_importance = i->min_importance}, out);
}

static const struct op CONTEXT_SYNC = {
    .name = "context.sync", .method = "POST", .path = CONTEXTS_PATH "/:id/sync", CONTEXT_TAG,
    .summary = "Copies changed and missing entries from another context.",
    .help = "Entries are compared by key and content: equal ones and those only in the target stay unchanged. Different content creates a version.",
    .perm = PERM_CONTEXT_UPDATE, .flags = OP_IDEMPOTENT | OP_PORTIONS,
    OP_IN(SYNC_IN, struct sync_in), OP_OUT(COPIED_OUT, struct copied), .run = context_copy_call_sync,
};

const struct op *const context_copy_calls_table[] = {&CONTEXT_CLONE, &CONTEXT_SYNC, NULL};
