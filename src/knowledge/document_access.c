/* Who may read one document: another list moves it, with its chunks and the names in them, into another space; see section.h. */
#include "audit.h"
#include "document_impl.h"
#include "document_store.h"
#include "knowledge_base_store.h"
#include "names.h"
#include "node_many.h"

#define MOVED_AT_ONCE 1000

static err document_move_nodes(struct ctx *c, const struct document *d, struct uuid to, const struct uuids *chunks)
{
    TRY(node_move_many(c, "document", d->space_id, to, &d->id, 1));
    for (size_t from = 0; from < chunks->n; from += MOVED_AT_ONCE)
        TRY(node_move_many(c, "chunk", d->space_id, to, chunks->v + from,
                           chunks->n - from < MOVED_AT_ONCE ? chunks->n - from : MOVED_AT_ONCE));
    return ERR_OK;
}

/* The names of its chunks leave the old space, with every summary that says them, and come into the new one. */
static err document_move(struct ctx *c, struct document *d, struct uuid to)
{
    struct knowledge_base_counts counts = {1, d->chunk_count, d->token_count, d->content_size_bytes};
    struct knowledge_base_counts less = {-counts.documents, -counts.chunks, -counts.tokens, -counts.bytes};
    struct knowledge_base base;
    struct uuids chunks;

    TRY(knowledge_base_get(c, d->knowledge_base_id, &base));
    TRY(chunk_store_ids(c, d->id, &chunks));
    TRY(names_follow(c, &(struct names_change){.space_id = d->space_id, .removed = chunks.v, .n_removed = chunks.n, .is_hidden = true},
                     NULL));
    TRY(document_move_nodes(c, d, to, &chunks));
    TRY(knowledge_base_update_stats(c, d->space_id, &less));
    TRY(knowledge_base_update_stats(c, to, &counts));
    d->space_id = to;
    return base.extraction == EXTRACTION_NAMES && d->status != DOCUMENT_ARCHIVED ? document_name_again(c, d) : ERR_OK;
}

static err document_note_access(struct ctx *c, const struct document *d, const struct json *was)
{
    struct json *before = json_obj(c->arena), *after = json_obj(c->arena);
    const struct json *is;

    TRY(section_list(c, d->knowledge_base_id, d->space_id, &is));
    json_set(c->arena, before, "access", json_raw(c->arena, was ? json_text(c->arena, was) : NULL));
    json_set(c->arena, after, "access", json_raw(c->arena, is ? json_text(c->arena, is) : NULL));
    return audit_add(c, &(struct audit){.kind = "document.access", .subject_kind = "document", .subject_id = d->id,
                                        .space_id = d->space_id, .before = before, .after = after});
}

err document_restrict(struct ctx *c, const struct json *access, struct document *d)
{
    struct document was = *d;
    const struct json *list;
    struct uuid to;

    if (!access_may_manage(c, d->knowledge_base_id))
        return fail(c, ERR_FORBIDDEN, "only who manages the knowledge base changes the access of its documents");
    TRY(section_space(c, d->knowledge_base_id, access, &to));
    if (uuid_eq(to, d->space_id))
        return ERR_OK;
    TRY(section_list(c, d->knowledge_base_id, d->space_id, &list));
    TRY(document_move(c, d, to));
    if (d->live_external.p || d->live_checksum.p)
        document_set_hashes(c, d, false);
    TRY(document_save(c, "move", &was, d));
    return document_note_access(c, d, list);
}
