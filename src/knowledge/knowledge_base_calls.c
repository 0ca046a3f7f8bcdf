/* Operations on knowledge bases. */
#include "knowledge_base_calls.h"
#include "base_model.h"

#define TAG .tag = "knowledge"
#define BASES "/api/v1/ai/rag/knowledge_bases"

static const struct field KNOWLEDGE_BASE_FILTER[] = {
    F_ENUM(struct knowledge_base_filter, status, FIELD_NULLABLE, knowledge_base_status, -1,
        "only bases with this status; default: all but archived ones"),
    F_STR(struct knowledge_base_filter, q, 0, 1, LIMIT_NAME, "only bases whose name contains this"),
    F_PAGE(struct knowledge_base_filter),
    F_END
};

OP_CALL(KNOWLEDGE_BASE_LIST, struct knowledge_base_filter, struct page, knowledge_base_list(c, in, out),
        .name = "knowledge_base.list", .method = "GET", .path = BASES, .tool = "list_knowledge_bases", TAG,
        .summary = "Lists the knowledge bases that you can read, newest first.", .perm = PERM_RAG_READ,
        .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(KNOWLEDGE_BASE_FILTER, struct knowledge_base_filter),
        OP_GIVE(KNOWLEDGE_BASE, struct knowledge_base));

OP_CALL(KNOWLEDGE_BASE_GET, struct thing_key, struct knowledge_base, knowledge_base_get(c, in->id, out),
        .name = "knowledge_base.get", .method = "GET", .path = BASES "/:id", TAG, .summary = "Returns one knowledge base.",
        .perm = PERM_RAG_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_ETAG, OP_KEY(KNOWLEDGE_BASE), OP_GIVE(KNOWLEDGE_BASE,
            struct knowledge_base));

OP_CALL(KNOWLEDGE_BASE_CREATE, struct knowledge_base, struct knowledge_base, knowledge_base_create(c, in, out),
        .name = "knowledge_base.create", .method = "POST", .path = BASES, .tool = "create_knowledge_base", TAG,
        .summary = "Creates a knowledge base: a space of documents that are searched by meaning and by words.",
        .help = "You can manage it. Others have no access until it is granted below /api/v1/spaces/:id/grants, or is_public is true.",
        .perm = PERM_RAG_WRITE, .flags = OP_CREATES | OP_ETAG, OP_MAKE(KNOWLEDGE_BASE, struct knowledge_base),
        OP_GIVE(KNOWLEDGE_BASE, struct knowledge_base));

OP_CALL(KNOWLEDGE_BASE_UPDATE, struct knowledge_base_change, struct knowledge_base, knowledge_base_update(c, in, out),
        .name = "knowledge_base.update", .method = "PATCH", .path = BASES "/:id", TAG,
        .summary = "Changes the settings of a knowledge base.",
        .help = "Requires the level manage. New chunk settings apply to documents that are processed afterwards. Another embedding "
                "model: the vectors of its chunks are made while the old ones answer, and when all are there it takes over; "
                "the model that answers now, given again, ends that.",
        .perm = PERM_RAG_WRITE, .flags = OP_ETAG | OP_MATCH, OP_CHANGE(KNOWLEDGE_BASE, struct knowledge_base_change),
        OP_GIVE(KNOWLEDGE_BASE, struct knowledge_base));

OP_CALL(KNOWLEDGE_BASE_DELETE, struct thing_key, void, knowledge_base_delete(c, in),
        .name = "knowledge_base.delete", .method = "DELETE", .path = BASES "/:id", .tool = "delete_knowledge_base", TAG,
        .summary = "Deletes a knowledge base with all its documents.",
        .help = "It is out of every search at once, and can be restored for 30 days.",
        .perm = PERM_RAG_WRITE, .flags = OP_DESTRUCTIVE | OP_MATCH | OP_NO_BODY | OP_CONFIRM, OP_KEY(KNOWLEDGE_BASE));

#define BASE_MOVE(NAME, verb, say, ...) \
    OP_CALL(NAME, struct thing_key, struct knowledge_base, knowledge_base_##verb(c, in, out), \
            .name = "knowledge_base." #verb, .method = "POST", .path = BASES "/:id/" #verb, TAG, .summary = say, \
            .perm = PERM_RAG_WRITE, .flags = OP_ETAG | OP_MATCH, OP_KEY(KNOWLEDGE_BASE), \
            OP_GIVE(KNOWLEDGE_BASE, struct knowledge_base), __VA_ARGS__)

OP_CALL(KNOWLEDGE_BASE_RESTORE, struct thing_key, struct knowledge_base, knowledge_base_restore(c, in, out),
        .name = "knowledge_base.restore", .method = "POST", .path = BASES "/:id/restore", TAG,
        .summary = "Restores a deleted knowledge base with all its documents.",
        .help = "For those who could manage it, or have memory.manage, within 30 days.",
        .perm = PERM_RAG_WRITE, .flags = OP_IDEMPOTENT | OP_ETAG, OP_KEY(KNOWLEDGE_BASE), OP_GIVE(KNOWLEDGE_BASE, struct knowledge_base));
BASE_MOVE(KNOWLEDGE_BASE_PAUSE, pause, "Pauses a knowledge base: no document is added or processed.",
          .help = "Searches go on. 409 if it is archived.");
BASE_MOVE(KNOWLEDGE_BASE_RESUME, resume, "Resumes a paused knowledge base.", .help = "409 if it is not paused.");
BASE_MOVE(KNOWLEDGE_BASE_ARCHIVE, archive, "Archives a knowledge base: out of lists and searches, readable by its id.",
          .help = "Changes are refused (409) until it is unarchived.");
BASE_MOVE(KNOWLEDGE_BASE_UNARCHIVE, unarchive, "Brings an archived knowledge base back.", .help = "It is active afterwards.");
BASE_MOVE(KNOWLEDGE_BASE_SWITCH_BACK, switch_back, "Lets the embedding model before answer again.",
          .help = "Within 7 days of the switch, at once: its vectors are still there. 409 where there is none.");

const struct op *const knowledge_base_calls_table[] = {
    &KNOWLEDGE_BASE_LIST, &KNOWLEDGE_BASE_GET, &KNOWLEDGE_BASE_CREATE, &KNOWLEDGE_BASE_UPDATE, &KNOWLEDGE_BASE_DELETE,
    &KNOWLEDGE_BASE_RESTORE, &KNOWLEDGE_BASE_PAUSE, &KNOWLEDGE_BASE_RESUME, &KNOWLEDGE_BASE_ARCHIVE, &KNOWLEDGE_BASE_UNARCHIVE,
    &KNOWLEDGE_BASE_SWITCH_BACK, NULL};
