/* The operation that takes memories of other systems in. */
#include "memories.h"
#include "transfer_calls.h"

#define COUNT_MAX 9007199254740991

struct memories_in {
    enum memories_format format;
    struct uuid space_id;
    bool dry_run;
};

static const struct field MEMORIES_IN[] = {
    F_ENUM(struct memories_in, format, FIELD_REQUIRED, memories_format, MEMORIES_MEM0,
           "mem0: its list of memories; chat: conversations.json of ChatGPT or Claude; markdown: a tar archive of .md files"),
    F_UUID(struct memories_in, space_id, FIELD_NULLABLE, "target space; default for agents: their own namespace"),
    F_BOOL(struct memories_in, dry_run, 0, false, "dry run: only report what would be added"),
    F_END
};

static const struct field ERROR_OUT[] = {
    F_STR(struct memories_error, key, 0, 0, 255, "id of the memory in its source"),
    F_STR(struct memories_error, message, 0, 0, 1000, "error message"),
    F_END
};

static const struct field MEMORIES_OUT[] = {
    F_INT(struct memories_done, read, 0, 0, COUNT_MAX, 0, "memories in the file"),
    F_INT(struct memories_done, added, 0, 0, COUNT_MAX, 0, "memories added, or that would be added"),
    F_INT(struct memories_done, there, 0, 0, COUNT_MAX, 0, "memories imported earlier"),
    F_INT(struct memories_done, failed, 0, 0, COUNT_MAX, 0, "memories that failed"),
    F_INT(struct memories_done, links, 0, 0, COUNT_MAX, 0, "links between notes that became edges"),
    F_BOOL(struct memories_done, dry_run, 0, false, "dry run: nothing was stored"),
    F_LIST(struct memories_done, errors, 0, MEMORIES_ERRORS, ERROR_OUT, struct memories_error, "first failures"),
    F_END
};

static err memories_call_take(struct ctx *c, const void *in, const struct upload *file, void *out)
{
    const struct memories_in *i = in;
    struct memories m;

    TRY(memories_read(c, i->format, file->path, &m));
    return memories_keep(c, i->format, i->space_id, &m, i->dry_run, out);
}

static const struct op MEMORIES = {
    .name = "import.memories", .method = "POST", .path = "/api/v1/imports/memories", .tag = "transfers",
    .summary = "Imports memories of another system.",
    .help = "Memories of mem0 and Markdown notes become notes; front matter becomes attributes and [[links]] become edges. Turns of "
            "conversations become episodes of one session each. Importing the same file again adds nothing. At most 16 MB and 20,000 "
            "memories.",
    .perm = PERM_MEMORY_WRITE, .flags = OP_UPLOAD | OP_PORTIONS, .media = "application/json application/x-tar",
    OP_IN(MEMORIES_IN, struct memories_in), OP_OUT(MEMORIES_OUT, struct memories_done), .take = memories_call_take,
};

const struct op *const memories_calls_table[] = {&MEMORIES, NULL};
