/* Archiving by id; see archive.h. */
#include "archive.h"

#include "audit.h"
#include "db.h"
#include "entry.h"
#include "entry_store.h"
#include "knowledge.h"
#include "learning.h"

struct archiving {
    struct uuid id;
    bool archived;
    const char *reason;
    struct node node;
};

static err by_kind(struct ctx *c, struct archiving *a)
{
    const char *id = arena_strdup(c->arena, UUID_STR(a->id)), *context;
    struct entry_row row = {0};
    struct entry e;
    bool found;

    TRY(node_get(c, a->id, &a->node));
    TRY(entry_store_by_id(c, a->node.space_id, a->id, &found, &row));
    if (found) {
        context = arena_strdup(c->arena, UUID_STR(a->node.space_id));
        TRY(entry_archive(c, context, id, a->archived, 0, &e));
        return node_get(c, a->id, &a->node);
    }
    if (str_eq(a->node.kind, "knowledge")) {
        TRY(knowledge_archive(c, a->id, a->archived, 0, &(struct knowledge){0}));
        return node_get(c, a->id, &a->node);
    }
    if (str_eq(a->node.kind, "learning")) {
        TRY(learning_archive(c, a->id, a->archived, &(struct learning){0}));
        return node_get(c, a->id, &a->node);
    }
    TRY(node_is_generic(c, a->id));
    return a->archived ? node_archive(c, a->id, 0, &a->node) : node_unarchive(c, a->id, 0, &a->node);
}

static err archive_archive_body(struct ctx *c, void *arg)
{
    struct archiving *a = arg;
    struct json *payload = json_obj(c->arena);

    TRY(by_kind(c, a));
    if (str_empty(a->reason))
        return ERR_OK;
    json_set_str(c->arena, payload, "reason", a->reason);
    return audit_add(c, &(struct audit){.kind = a->archived ? "memory.archive" : "memory.unarchive", .subject_kind = "node",
                                        .subject_id = a->id, .space_id = a->node.space_id, .payload = payload});
}

err memory_archive(struct ctx *c, struct uuid id, bool archived, const char *reason, struct node *out)
{
    struct archiving a = {.id = id, .archived = archived, .reason = reason};

    TRY(db_tx(c, archive_archive_body, &a));
    *out = a.node;
    return ERR_OK;
}
