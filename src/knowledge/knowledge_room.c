/* What holds for spaces of kind knowledge_base at every door: permissions, the unique name, the status of what is archived. */
#include "knowledge_room.h"

#include "db.h"
#include "knowledge_base.h"
#include "knowledge_base_store.h"

static const enum knowledge_base_status BASE_LIVE[] = {KB_ACTIVE, KB_INDEXING, KB_PAUSED, KB_ERROR};

static err room_move(struct ctx *c, const struct space *s, const enum knowledge_base_status *from, size_t n, enum knowledge_base_status to)
{
    int64_t changed;

    return knowledge_base_store_move(c, s->id, from, n, to, NULL, NULL, &changed);
}

static err room_rename(struct ctx *c, const struct space *s, const char *live_name)
{
    err e = knowledge_base_store_rename(c, s->id, live_name);

    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "knowledge_base '%s' exists already", live_name);
}

static err room_follow(struct ctx *c, enum space_deed deed, const struct space *after)
{
    switch (deed) {
    case SPACE_ARCHIVES: return room_move(c, after, BASE_LIVE, sizeof BASE_LIVE / sizeof *BASE_LIVE, KB_ARCHIVED);
    case SPACE_UNARCHIVES: return room_move(c, after, (enum knowledge_base_status[]){KB_ARCHIVED}, 1, KB_ACTIVE);
    case SPACE_DELETES: return room_rename(c, after, NULL);
    case SPACE_UPDATES:
    case SPACE_RESTORES: return room_rename(c, after, after->name);
    default: return ERR_OK;
    }
}

static err room_refuse_section(struct ctx *c)
{
    return fail(c, ERR_CONFLICT, "this is a section of a knowledge base: change the access of its documents instead");
}

/* A section is what its documents make it. */
static err section_room_may(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    (void)deed, (void)after;
    return before->is_section ? room_refuse_section(c) : ERR_OK;
}

static err section_room_granted(struct ctx *c, enum space_deed deed, const struct grant *g)
{
    bool is_section;

    (void)deed;
    TRY(section_store_is(c, g->space_id, &is_section));
    return is_section ? room_refuse_section(c) : ERR_OK;
}

const struct space_room KNOWLEDGE_ROOM = {
    .kind = SPACE_KNOWLEDGE_BASE, .calls = "/api/v1/ai/rag", .create = PERM_RAG_WRITE, .update = PERM_RAG_WRITE, .remove = PERM_RAG_WRITE,
    .govern = PERM_RAG_WRITE, .keeps_nodes = true, .make = knowledge_base_make_space, .may = section_room_may,
    .changed = room_follow, .granted = section_room_granted,
};
