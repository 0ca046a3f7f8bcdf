/* SQL of documents and their texts. */
#include "document_store.h"

#include "like.h"
#include "row.h"

#define PART_BYTES (256 * 1024)

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

err document_store_by_hash(struct ctx *c, struct bytes live_external, struct bytes live_checksum, bool *found, struct document *out)
{
    if (live_external.p)
        return row_one(c, &DOCUMENT, found, out, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.live_external = ? FOR UPDATE",
            IN(c->account_id), IN(live_external));
    return row_one(c, &DOCUMENT, found, out, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.live_checksum = ? FOR UPDATE",
        IN(c->account_id), IN(live_checksum));
}

err document_store_list(struct ctx *c, const struct document_filter *f, struct uuids bases, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &DOCUMENT, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id < ? AND d.deleted_at IS NULL",
        IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "d.knowledge_base_id", bases.v, bases.n);
    if (f->status >= 0)
        sql_add(&s, " AND d.status = ?", IN(enumx_name(&document_status_enumx, f->status)));
    if (f->q)
        sql_add(&s, " AND n.title COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY d.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &DOCUMENT, &s, f->limit, out);
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

err document_store_drop_texts(struct ctx *c, struct uuid id, int64_t kept_version)
{
    return db_exec(c, NULL, "DELETE FROM document_text WHERE account_id = ? AND document_id = ? AND source_version < ?",
        IN(c->account_id), IN(id), IN(kept_version));
}

/* ---- what waits */

err document_store_waiting_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM document WHERE status IN ('pending','processing') AND account_id > ? ORDER BY "
        "account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
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
