/* Operations that let memories go: forget, unforget, erase. */
#include "lifecycle_calls.h"

#include "erase.h"
#include "forgetting.h"

#define TAG .tag = "lifecycle"
#define NODES "/api/v1/memory/nodes/:id"
#define ERASURES "/api/v1/erasures"
#define COUNT_MAX 9e15

/* ---- forgetting */

static const struct field FORGET_IN[] = {
    F_UUID(struct forget_in, id, FIELD_REQUIRED, "id of the memory"),
    F_STR(struct forget_in, reason, FIELD_NULLABLE, 1, FORGET_REASON, "why"),
    F_BOOL(struct forget_in, cascade, 0, true, "also what is derived from it and has no other live source"),
    F_BOOL(struct forget_in, block_relearn, 0, false, "its facts are not learned again, whatever is captured"),
    F_END
};

static const struct field FORGOTTEN_OUT[] = {
    F_UUID(struct forgotten, op_id, FIELD_NULLABLE, "id of this forgetting, for unforget; null: nothing was done"),
    F_BOOL(struct forgotten, already_forgotten, 0, false, "it was forgotten before"),
    F_INT(struct forgotten, nodes, 0, 0, COUNT_MAX, 0, "memories, what followed from it included"),
    F_END
};

OP_CALL(MEMORY_FORGET, struct forget_in, struct forgotten, memory_forget(c, in, out),
        .name = "memory.forget", .method = "POST", .path = NODES "/forget", .tool = "forget_memory", TAG,
        .summary = "Forgets a memory, and what is derived from it alone; returns an id that brings exactly these back.",
        .help = "Works at once, whatever its score, trust, age or pin. Forgetting hides: what is believed is not changed.",
        .perm = PERM_MEMORY_WRITE, .flags = OP_IDEMPOTENT, OP_IN(FORGET_IN, struct forget_in), OP_OUT(FORGOTTEN_OUT, struct forgotten));

static const struct field UNFORGET_IN[] = {
    F_UUID(struct unforget_in, id, FIELD_REQUIRED, "id of the memory"),
    F_UUID(struct unforget_in, op_id, FIELD_NULLABLE, "which forgetting of it; default: the newest"),
    F_END
};

OP_CALL(MEMORY_UNFORGET, struct unforget_in, struct forgotten, memory_unforget(c, in, out),
        .name = "memory.unforget", .method = "POST", .path = NODES "/unforget", .tool = "unforget_memory", TAG,
        .summary = "Takes a forgetting back: restores exactly what it had forgotten.", .perm = PERM_MEMORY_WRITE,
        OP_IN(UNFORGET_IN, struct unforget_in), OP_OUT(FORGOTTEN_OUT, struct forgotten));

/* ---- erasing */

static const struct field ERASE_IN[] = {
    F_UUIDS(struct erase_in, node_ids, 0, ERASE_NODES, "up to 100 memories"),
    F_UUID(struct erase_in, entity_id, FIELD_NULLABLE, "or an entity with all its facts"),
    F_BOOL(struct erase_in, include_episodes, 0, false, "with entity_id: also the episodes that mention it"),
    F_STR(struct erase_in, reason, FIELD_REQUIRED, 1, ERASE_REASON, "why; stays in the receipt"),
    F_BOOL(struct erase_in, dry_run, 0, true, "counts only, and what to confirm"),
    F_STR(struct erase_in, confirm, FIELD_NULLABLE, 1, 100, "of the dry run, at most 15 minutes old"),
    F_END
};

static const struct field ERASE_OUT[] = {
    F_BOOL(struct erase_out, dry_run, 0, false, "nothing was erased"),
    F_STR(struct erase_out, confirm, FIELD_NULLABLE, 0, 100, "send this to erase exactly what was counted"),
    F_TIME(struct erase_out, confirm_until, FIELD_NULLABLE, "good until"),
    F_UUID(struct erase_out, receipt_id, FIELD_NULLABLE, "the receipt"),
    F_ENUM(struct erase_out, state, 0, erase_state, ERASE_HIDDEN, "done; hidden: out of every read, the rows go in the background"),
    F_INT(struct erase_out, nodes, 0, 0, COUNT_MAX, 0, "memories, with older states"),
    F_INT(struct erase_out, spared, 0, 0, COUNT_MAX, 0, "memories derived from them that have other sources"),
    F_OBJECT(struct erase_out, counts, 0, COUNT_MAX, "kinds and spaces, each with how many"),
    F_END
};

OP_CALL(ERASE, struct erase_in, struct erase_out, erase_run(c, in, out),
        .name = "erasure.create", .method = "POST", .path = ERASURES, .tool = "erase_memory", TAG,
        .summary = "Erases memories and what is derived from them alone, permanently; returns a receipt.",
        .help = "First a dry run, which answers counts and `confirm`; then the same call with dry_run false and that confirm. You must "
                "manage every space that is touched. What has other sources stays, without what came from these.",
        .perm = PERM_ERASE_RUN, .flags = OP_DESTRUCTIVE | OP_ONCE | OP_PORTIONS, OP_IN(ERASE_IN, struct erase_in),
        OP_OUT(ERASE_OUT, struct erase_out));

OP_CALL(ERASURE_LIST, struct thing_page, struct page, erase_list(c, in, out),
        .name = "erasure.list", .method = "GET", .path = ERASURES, TAG, .summary = "Lists receipts of what was erased, newest first.",
        .perm = PERM_ERASE_RUN, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_PAGE, OP_GIVE(ERASE_RECEIPT, struct erase_receipt));

static const struct field RECEIPT_OUT[] = {
    F_UUID(struct erase_receipt, id, 0, "id of the receipt"),
    F_ENUM(struct erase_receipt, state, 0, erase_state, ERASE_HIDDEN, "hidden or done"),
    F_STR(struct erase_receipt, reason, 0, 0, ERASE_REASON, "why, as given"),
    F_STR(struct erase_receipt, actor_kind, 0, 0, 8, "user, agent or system"),
    F_UUID(struct erase_receipt, actor_id, FIELD_NULLABLE, "who"),
    F_INT(struct erase_receipt, nodes, 0, 0, COUNT_MAX, 0, "memories, with older states"),
    F_INT(struct erase_receipt, spared, 0, 0, COUNT_MAX, 0, "derived memories that stayed"),
    F_OBJECT(struct erase_receipt, counts, 0, COUNT_MAX, "kinds and spaces"),
    F_OBJECT(struct erase_receipt, left_over, 0, COUNT_MAX, "rows that named them afterwards: 0"),
    F_TIME(struct erase_receipt, at, 0, "when"),
    F_TIME(struct erase_receipt, done_at, FIELD_NULLABLE, "when the last of it was gone"),
    F_END
};

static const struct field RECEIPT_ITEM[] = {
    F_UUID(struct erase_item, node_id, 0, "what was erased"),
    F_STR(struct erase_item, kind, 0, 0, 32, "its kind"),
    F_UUID(struct erase_item, space_id, 0, "where it was"),
    F_STR_AS("seal", struct erase_item, seal_hex, 0, 0, 64, "keyed hash of its content"),
    F_END
};

static const struct field SHOWN_OUT[] = {
    F_OBJ(struct erase_shown, receipt, 0, RECEIPT_OUT, struct erase_receipt, "the receipt"),
    F_LIST(struct erase_shown, items, 0, ERASE_SLICE, RECEIPT_ITEM, struct erase_item, "the first thousand of what was erased"),
    F_BOOL(struct erase_shown, is_genuine, 0, false, "its seal fits: neither it nor its items were changed"),
    F_OBJECT(struct erase_shown, remains, 0, COUNT_MAX, "where deleted bytes may still be, and until when"),
    F_END
};

OP_CALL(ERASURE_GET, struct thing_key, struct erase_shown, erase_get(c, in->id, out),
        .name = "erasure.get", .method = "GET", .path = ERASURES "/:id", TAG, .summary = "Returns a receipt with its items.",
        .perm = PERM_ERASE_RUN, .flags = OP_READONLY | OP_IDEMPOTENT, OP_KEY(ERASE_RECEIPT), OP_OUT(SHOWN_OUT, struct erase_shown));

const struct op *const lifecycle_calls_table[] = {&MEMORY_FORGET, &MEMORY_UNFORGET, &ERASE, &ERASURE_LIST, &ERASURE_GET, NULL};
