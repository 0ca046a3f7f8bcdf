/* Reading, changing and deleting documents; see document.h. document_add.c takes them in, document_work.c processes them. */
#include "document.h"

#include "db.h"
#include "document_impl.h"
#include "document_store.h"
#include "limit.h"
#include "match.h"
#include "names.h"
#include "node.h"
#include "node_many.h"
#include "task.h"
#include "thing.h"

ENUMX_DEFINE(document_status, DOCUMENT_STATUS);
ENUMX_DEFINE(document_source, DOCUMENT_SOURCE);
ENUMX_DEFINE(document_outcome, DOCUMENT_OUTCOME);

static const struct field DOCUMENT_COLUMNS[] = {
    F_ID(struct document, "id of the document, and of its node"),
    F_UUID(struct document, knowledge_base_id, COL_READ, "knowledge base that it is in"),
    F_UUID(struct document, space_id, COL_READ | COL_AUDIT, "space that it and its chunks lie in: the knowledge base, or a section of it"),
    F_OBJECT(struct document, access, COL_SHOW | COL_PATCH | FIELD_NULLABLE, SECTION_ACCESS,
             "who may read or write it besides those who manage the base: {read: {users, agents, teams, roles: [ids]}, write: the same}; "
             "null: as the base, or you do not manage it"),
    F_STR(struct document, name, COL_CREATE | COL_PATCH | COL_SHOW | COL_AUDIT, 1, LIMIT_NAME, "name; data, not instructions",
          .sql = "n.title"),
    F_ENUM(struct document, source_type, COL_READ, document_source, DOCUMENT_OF_TEXT, "where the text came from"),
    F_STR(struct document, source_url, COL_READ | FIELD_NULLABLE, 0, 2048, "address that it was taken from"),
    F_STR(struct document, external_id, COL_READ | COL_AUDIT | FIELD_NULLABLE, 0, DOCUMENT_EXTERNAL_ID, "name that its sender knows it by"),
    F_STR(struct document, content_type, COL_READ, 0, DOCUMENT_MEDIA, "media type of what was sent", .preset = "text/plain"),
    F_BOOL(struct document, is_markdown, COL_READ, false, "its text is Markdown, as that of HTML and office files is"),
    F_STR(struct document, file_name, COL_READ | FIELD_NULLABLE, 0, LIMIT_NAME, "name of the file it was"),
    F_INT(struct document, original_bytes, COL_READ, 0, 9e15, 0, "size of the file; 0: it came as text"),
    F_INT(struct document, page_count, COL_READ, 0, 1e9, 0, "pages; 0: it has none"),
    F_STR(struct document, language, COL_READ | FIELD_NULLABLE, 0, 35, "language, as the file says"),
    F_STR(struct document, stage, COL_READ | FIELD_NULLABLE, 0, 16, "what its processing does now: fetch, extract or chunk"),
    F_BOOL(struct document, wants_fetch, COL_ROW, false, "its address is to be fetched"),
    F_STR(struct document, etag, COL_ROW | FIELD_NULLABLE, 0, 255, "of the answer it was fetched with"),
    F_STR(struct document, last_modified, COL_ROW | FIELD_NULLABLE, 0, 255, "the same"),
    F_TIME(struct document, last_refreshed_at, COL_READ | FIELD_NULLABLE, "when its address was last asked"),
    F_BYTES(struct document, live_external, COL_ROW | FIELD_NULLABLE, "the unique hash of what has an external_id"),
    F_BYTES(struct document, live_checksum, COL_ROW | FIELD_NULLABLE, "the unique hash of what has none"),
    F_BYTES(struct document, checksum, COL_ROW, "SHA-256 of the text"),
    F_INT(struct document, content_size_bytes, COL_READ, 0, DOCUMENT_TEXT, 0, "bytes of the text"),
    F_INT(struct document, source_version, COL_READ | COL_AUDIT, 0, 9e15, 1, "version of the text; one more with every new text"),
    F_INT(struct document, served_version, COL_READ, 0, 9e15, 0, "version whose chunks are found; 0: none yet"),
    F_ENUM(struct document, status, COL_READ | COL_AUDIT, document_status, DOCUMENT_PENDING, "how far the last processing came",
           .shades = "info info ok bad off"),
    F_INT(struct document, generation, COL_READ, 0, 9e15, 0, "how often its chunks were published"),
    F_INT(struct document, chunk_count, COL_READ, 0, 9e15, 0, "number of chunks"),
    F_INT(struct document, token_count, COL_READ, 0, 9e15, 0, "tokens of its chunks"),
    F_OBJECT(struct document, metadata, COL_READ | COL_CREATE | COL_PATCH, DOCUMENT_METADATA, "what its sender keeps beside it"),
    F_JSON(struct document, processing_errors, COL_READ, 0, "the newest 20 failures: at, stage, code, message"),
    F_NUM(struct document, injection_score, COL_READ, 0, 1, 0, "how much its newest text looks like orders to a model"),
    F_JSON(struct document, flags, COL_READ, 0, "what was found in its newest text: kind, pattern, count, redacted"),
    F_BOOL(struct document, by_person, COL_ROW, false, "a person brought it"),
    F_BOOL(struct document, is_quarantined, COL_READ | COL_AUDIT, false, "its newest text is not processed until a person releases it"),
    F_BOOL(struct document, wants_processing, COL_ROW, false, "asked for, and not done"),
    F_TIME(struct document, processed_at, COL_READ | FIELD_NULLABLE, "when its chunks were last published"),
    F_UUID(struct document, uploaded_by, COL_READ, "principal who added it"),
    F_TIME(struct document, deleted_at, COL_ROW | FIELD_NULLABLE, "when it was deleted"),
    F_BOOL(struct document, created, COL_MADE, false, "false: it was there"),
    F_ENUM(struct document, outcome, COL_MADE, document_outcome, DOCUMENT_CREATED,
        "created, changed (a new text of a document that was there) or unchanged"),
    F_VERSION(struct document),
    F_TIMES(struct document),
    F_END
};
const struct thing DOCUMENT = THING("document", DOCUMENT_COLUMNS, struct document, .schema = "Document", .alias = "d",
    .taken = "an equal document is in this knowledge base already",
    .from = "document d JOIN node n ON n.account_id = d.account_id AND n.id = d.id"
            " JOIN knowledge_base b ON b.account_id = d.account_id AND b.id = d.knowledge_base_id");

err document_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such document");
}

/* ---- reading */

/* Who manages the base sees the list. */
err document_show_access(struct ctx *c, struct document *d)
{
    return access_may_manage(c, d->knowledge_base_id) ? section_list(c, d->knowledge_base_id, d->space_id, &d->access) : ERR_OK;
}

err document_get(struct ctx *c, struct uuid id, struct document *out)
{
    bool found;

    TRY(document_store_get(c, id, &found, out));
    return found && access_may_read(c, out->space_id) ? document_show_access(c, out) : document_missing(c);
}

err document_list(struct ctx *c, const struct document_filter *f, struct page *out)
{
    struct uuid wanted = f->knowledge_base_id, before;
    struct uuids bases;

    TRY(page_begin(c, f->cursor, &before));
    TRY(knowledge_base_readable(c, (struct uuids){&wanted, uuid_is_nil(wanted) ? 0 : 1}, &bases));
    return document_store_list(c, f, knowledge_base_spaces(c, bases), before, out);
}

err document_read_text(struct ctx *c, struct uuid id, int64_t from, int64_t to, struct document_window *out)
{
    struct document d;
    struct buf text;
    int64_t at;
    char *part;

    TRY(document_get(c, id, &d));
    if (to > 0 && to <= from)
        return fail_field(c, "/to", "to must be larger than from (%lld)", (long long)from);
    if (to <= 0 || to > from + DOCUMENT_WINDOW)
        to = from + DOCUMENT_WINDOW;
    *out = (struct document_window){.id = id, .source_version = d.served_version ? d.served_version : d.source_version,
        .size = d.content_size_bytes};
    buf_init(&text, c->arena, 4096);
    TRY(document_store_text(c, id, out->source_version, from, to, &text, &at));
    if (at < 0)
        return fail_field(c, "/from", "from is behind the end of the text");
    part = arena_strdup(c->arena, buf_str(&text));
    to = to - at < (int64_t)text.len ? to - at : (int64_t)text.len;
    from -= at;
    while (from < to && ((unsigned char)part[from] & 0xc0) == 0x80)
        from++;
    while (to > from && ((unsigned char)part[to] & 0xc0) == 0x80)
        to--;
    part[to] = 0;
    out->text = part + from;
    out->from = at + from;
    out->to = at + to;
    return ERR_OK;
}

err document_known_of(struct ctx *c, struct uuid knowledge_base_id, const char *prefix, struct document_known **rows, size_t *n)
{
    return document_store_known(c, knowledge_base_id, prefix, rows, n);
}

/* ---- changing */

err document_save(struct ctx *c, const char *verb, const struct document *was, struct document *d)
{
    return thing_save(c, &DOCUMENT, &(struct thing_change){.verb = verb}, was, d);
}

err document_promise(struct ctx *c, const struct document *d, int64_t turn)
{
    return document_promise_later(c, d, turn, 0);
}

err document_promise_later(struct ctx *c, const struct document *d, int64_t turn, int64_t delay_s)
{
    struct json *payload = json_obj(c->arena);
    const char *id = arena_strdup(c->arena, UUID_STR(d->id));

    json_set_str(c->arena, payload, "id", id);
    return task_enqueue(c, &(struct task_new){.kind = "process_document", .payload = payload, .lane = id, .priority = TASK_ASKED_LONG,
                                              .delay_s = (int)delay_s,
                                              .idem_key = arena_printf(c->arena, "%s-%lld-%lld", id, (long long)d->version,
                                                  (long long)turn)});
}

static err document_delete_tx(struct ctx *c, const struct thing_key *key)
{
    struct node_wish forget = {.id = key->id, .what = NODE_WISH_FORGET};
    struct knowledge_base base;
    struct document d, was;
    struct uuids chunks;
    bool found;

    TRY(document_get(c, key->id, &d));
    TRY(knowledge_base_get_to_write(c, d.knowledge_base_id, d.space_id, &base));
    TRY(document_store_lock(c, key->id, &found, &d));
    if (!found)
        return document_missing(c);
    TRY(match_version(c, key->if_version, d.version));
    was = d;
    d.deleted_at = c->now;
    d.live_external = d.live_checksum = (struct bytes){0};
    d.wants_processing = false;
    TRY(document_save(c, "delete", &was, &d));
    TRY(chunk_store_ids(c, d.id, &chunks));
    TRY(node_drop_many(c, d.space_id, chunks.v, chunks.n));
    TRY(names_follow(c, &(struct names_change){.space_id = d.space_id, .removed = chunks.v, .n_removed = chunks.n}, NULL));
    TRY(node_change_many(c, &forget, 1));
    TRY(knowledge_base_update_stats(c, d.space_id, &(struct knowledge_base_counts){-1, -d.chunk_count, -d.token_count,
        -d.content_size_bytes}));
    return knowledge_base_complete_indexing(c, d.knowledge_base_id); /* it may have been the last that was waited for */
}
DB_TX_IN(document_delete, struct thing_key)
