/* SQL of documents, their texts and their chunks. */
#include "document_store.h"

#include <string.h>

#include "chunker.h"
#include "like.h"
#include "row.h"

#define PART_BYTES (256 * 1024)
#define FILE_PART_BYTES (1024 * 1024)
#define ROWS_AT_ONCE 1000

err document_store_get(struct ctx *c, struct uuid id, bool *found, struct document *out)
{
    return row_one(c, &DOCUMENT, found, out, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id = ? AND d.deleted_at IS NULL",
        IN(c->account_id), IN(id));
}

err document_store_lock(struct ctx *c, struct uuid id, bool *found, struct document *out)
{
    return row_one(c, &DOCUMENT, found, out, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id = ? AND d.deleted_at IS NULL FOR "
        "UPDATE", IN(c->account_id), IN(id));
}

err document_store_by_hash(struct ctx *c, const struct bytes *hashes, size_t n, bool is_external, bool *found, struct document *out)
{
    struct list rows;
    struct sql s;

    row_select(&s, c->arena, &DOCUMENT, "SELECT {*} FROM {from} WHERE d.account_id = ?", IN(c->account_id));
    if (is_external)
        sql_add(&s, " AND d.live_external IN (NULL");
    else
        sql_add(&s, " AND d.live_checksum IN (NULL");
    for (size_t i = 0; i < n; i++)
        sql_add(&s, ",?", IN(hashes[i]));
    sql_add(&s, ") ORDER BY d.space_id <> d.knowledge_base_id, d.id LIMIT 1 FOR UPDATE");
    TRY(row_all(c, &DOCUMENT, &s, 1, &rows));
    *found = rows.n > 0;
    if (*found)
        *out = *(const struct document *)rows.v;
    return ERR_OK;
}

err document_store_list(struct ctx *c, const struct document_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &DOCUMENT, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id < ? AND d.deleted_at IS NULL",
        IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "d.space_id", spaces.v, spaces.n);
    if (f->status >= 0)
        sql_add(&s, " AND d.status = ?", IN(enumx_name(&document_status_enumx, f->status)));
    if (f->q)
        sql_add(&s, " AND n.title COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY d.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &DOCUMENT, &s, f->limit, out);
}

static err document_read_known(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct document_known *k = row;
    const char *status;
    int value;

    TRY(db_row(q, c, found, OUT(&k->id), OUT(&k->external_id), OUT(&status)));
    if (*found && enumx_parse(&document_status_enumx, status, &value))
        k->status = (enum document_status)value;
    return ERR_OK;
}

err document_store_known(struct ctx *c, struct uuid base, const char *prefix, struct document_known **rows, size_t *n)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, external_id, status FROM document WHERE account_id = ? AND knowledge_base_id = ? AND deleted_at IS NULL AND "
                "LEFT(external_id, ?) = ?", IN(c->account_id), IN(base), IN((int64_t)strlen(prefix)), IN(prefix));
    TRY(sql_rows(c, &s, DOCUMENTS_KNOWN, sizeof(struct document_known), document_read_known, &v, n));
    *rows = v;
    return ERR_OK;
}

/* ---- texts */

static size_t document_part_end(const char *text, size_t from, size_t n)
{
    size_t to = n - from > PART_BYTES ? from + PART_BYTES : n;

    while (to < n && ((unsigned char)text[to] & 0xc0) == 0x80)
        to--;
    return to;
}

err document_store_put_text(struct ctx *c, struct uuid id, int64_t source_version, const char *text, size_t n)
{
    for (size_t from = 0; from < n;) {
        size_t to = document_part_end(text, from, n);

        TRY(db_exec(c, NULL, "INSERT INTO document_text (account_id, document_id, source_version, start_offset, body) VALUES "
            "(?,?,?,?,?)", IN(c->account_id),
                    IN(id), IN(source_version), IN((int64_t)from), IN(arena_strndup(c->arena, text + from, to - from))));
        from = to;
    }
    return ERR_OK;
}

err document_store_text(struct ctx *c, struct uuid id, int64_t source_version, int64_t from, int64_t to, struct buf *out, int64_t *at)
{
    scoped_cursor q = {0};
    int64_t start;
    const char *part;
    bool found;

    *at = -1;
    TRY(db_query(c, &q,
                 "SELECT start_offset, body FROM document_text WHERE account_id = ? AND document_id = ? AND source_version = ? AND "
                     "start_offset < ? "
                 "AND start_offset + OCTET_LENGTH(body) > ? ORDER BY start_offset",
                 IN(c->account_id), IN(id), IN(source_version), IN(to), IN(from)));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&start), OUT(&part)));
        if (!found)
            break;
        if (*at < 0)
            *at = start;
        buf_puts(out, part);
    }
    return ctx_check_size(c);
}

err document_store_has_text(struct ctx *c, struct uuid id, int64_t source_version, bool *yes)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM document_text WHERE account_id = ? AND document_id = ? AND source_version = ? LIMIT 1",
                 IN(c->account_id), IN(id), IN(source_version)));
    return db_row(&q, c, yes, OUT(&one));
}

/* ---- files */

err document_store_put_original(struct ctx *c, struct uuid id, int64_t source_version, struct bytes file)
{
    for (size_t from = 0; from < file.n; from += FILE_PART_BYTES) {
        size_t n = file.n - from < FILE_PART_BYTES ? file.n - from : FILE_PART_BYTES;

        TRY(db_exec(c, NULL, "INSERT INTO document_original (account_id, document_id, source_version, start_offset, body) VALUES "
            "(?,?,?,?,?)", IN(c->account_id), IN(id), IN(source_version), IN((int64_t)from),
                    IN(((struct bytes){(const char *)file.p + from, n}))));
    }
    return ERR_OK;
}

err document_store_original_part(struct ctx *c, struct uuid id, int64_t source_version, int64_t from, struct bytes *out)
{
    scoped_cursor q = {0};
    bool found;

    *out = (struct bytes){0};
    TRY(db_query(c, &q, "SELECT body FROM document_original WHERE account_id = ? AND document_id = ? AND source_version = ? AND "
        "start_offset = ?", IN(c->account_id), IN(id), IN(source_version), IN(from)));
    return db_row(&q, c, &found, OUT(out));
}

err document_store_original(struct ctx *c, struct uuid id, int64_t source_version, struct buf *out)
{
    for (;;) {
        struct bytes part;

        TRY(document_store_original_part(c, id, source_version, (int64_t)out->len, &part));
        if (!part.n)
            return ctx_check_size(c);
        buf_add(out, part.p, part.n);
    }
}

err document_store_lock_deleted(struct ctx *c, struct uuid id, bool *found, struct document *out)
{
    return row_one(c, &DOCUMENT, found, out, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id = ? AND d.deleted_at IS NOT NULL "
        "FOR UPDATE", IN(c->account_id), IN(id));
}

err document_store_copy_original(struct ctx *c, struct uuid id, int64_t from_version, int64_t to_version)
{
    return db_exec(c, NULL,
                   "INSERT INTO document_original (account_id, document_id, source_version, start_offset, body) SELECT account_id, "
                   "document_id, ?, start_offset, body FROM document_original WHERE account_id = ? AND document_id = ? AND "
                   "source_version = ?",
                   IN(to_version), IN(c->account_id), IN(id), IN(from_version));
}

err document_store_drop_texts(struct ctx *c, struct uuid id, int64_t kept_version)
{
    TRY(db_exec(c, NULL, "DELETE FROM document_original WHERE account_id = ? AND document_id = ? AND source_version < ?",
        IN(c->account_id), IN(id), IN(kept_version)));
    return db_exec(c, NULL, "DELETE FROM document_text WHERE account_id = ? AND document_id = ? AND source_version < ?",
        IN(c->account_id), IN(id), IN(kept_version));
}

/* ---- what waits */

err document_store_waiting_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT account_id FROM (SELECT account_id FROM document WHERE status IN ('pending','processing') UNION SELECT account_id "
                 "FROM knowledge_base_model WHERE is_building = 1 OR model_id IS NOT NULL) AS a WHERE account_id > ? ORDER BY account_id "
                 "LIMIT ?", IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err document_store_waiting(struct ctx *c, struct instant since, struct uuid base, struct document *rows, size_t max, size_t *n)
{
    struct list found;
    struct sql s;

    row_select(&s, c->arena, &DOCUMENT, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.deleted_at IS NULL AND d.updated_at < ? AND "
        "b.status NOT IN ('paused','archived')"
               " AND d.wants_processing = 1 AND d.status IN ('pending','processing')", IN(c->account_id), IN(since));
    if (!uuid_is_nil(base))
        sql_add(&s, " AND d.knowledge_base_id = ?", IN(base));
    sql_add(&s, " ORDER BY d.id LIMIT ?", IN((int64_t)max));
    TRY(row_all(c, &DOCUMENT, &s, max, &found));
    for (*n = 0; *n < found.n; ++*n)
        rows[*n] = ((const struct document *)found.v)[*n];
    return ERR_OK;
}

/* ---- chunks */

static err chunk_read_kept(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct chunk_kept *k = row;

    return db_row(q, c, found, OUT(&k->id), OUT(&k->embed_hash));
}

err chunk_store_kept(struct ctx *c, struct uuid document_id, struct chunk_kept **rows, size_t *n)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, embed_hash FROM chunk WHERE account_id = ? AND document_id = ? ORDER BY sequence_number", IN(c->account_id),
            IN(document_id));
    TRY(sql_rows(c, &s, CHUNKS, sizeof(struct chunk_kept), chunk_read_kept, &v, n));
    *rows = v;
    return ERR_OK;
}

err chunk_store_ids(struct ctx *c, struct uuid document_id, struct uuids *out)
{
    scoped_cursor q = {0};

    out->v = ARENA_ARRAY(c->arena, struct uuid, CHUNKS);
    TRY(db_query(c, &q, "SELECT id FROM chunk WHERE account_id = ? AND document_id = ?", IN(c->account_id), IN(document_id)));
    return db_ids(c, &q, out->v, CHUNKS, &out->n);
}

static err chunk_insert_some(struct ctx *c, struct uuid document_id, const struct chunk *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO chunk (account_id, id, document_id, sequence_number, start_offset, end_offset, overlap, heading_path, "
                "embed_hash, tokens, page_from, page_to) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct chunk *r = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(r->id), IN(document_id), IN(r->sequence_number), IN(r->start_offset),
                IN(r->end_offset), IN(r->overlap), IN_OPT(r->heading_path), IN(r->embed_hash), IN(r->tokens),
                IN(r->page_from), IN(r->page_to));
    }
    return sql_exec(c, NULL, &s);
}

err chunk_store_replace(struct ctx *c, struct uuid document_id, const struct chunk *rows, size_t n)
{
    TRY(db_exec(c, NULL, "DELETE FROM chunk WHERE account_id = ? AND document_id = ?", IN(c->account_id), IN(document_id)));
    for (size_t i = 0; i < n; i += ROWS_AT_ONCE)
        TRY(chunk_insert_some(c, document_id, rows + i, n - i < ROWS_AT_ONCE ? n - i : ROWS_AT_ONCE));
    return ERR_OK;
}

err chunk_store_range(struct ctx *c, struct uuid document_id, int64_t from, int64_t to, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &CHUNK,
               "SELECT {*} FROM {from} WHERE h.account_id = ? AND h.document_id = ? AND h.sequence_number >= ? AND h.sequence_number < ?"
               " ORDER BY h.sequence_number", IN(c->account_id), IN(document_id), IN(from), IN(to));
    return row_all(c, &CHUNK, &s, (size_t)(to - from), out);
}

err chunk_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &CHUNK, "SELECT {*} FROM {from} WHERE h.account_id = ? AND d.deleted_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "h.id", ids, n);
    return row_all(c, &CHUNK, &s, n + 1, out);
}
