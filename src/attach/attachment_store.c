/* SQL of attachments. */
#include "attachment_store.h"

#include "db.h"
#include "row.h"

#define PART_BYTES (1024 * 1024)
#define NAMED_MAX 5000

err attachment_store_by_path(struct ctx *c, const char *path, bool *found, struct attachment *out)
{
    return row_one(c, &ATTACHMENT, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND path = ? FOR UPDATE", IN(c->account_id),
                   IN(path));
}

err attachment_store_list(struct ctx *c, struct uuids spaces, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &ATTACHMENT, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(limit + 1));
    return row_page(c, &ATTACHMENT, &s, limit, out);
}

static void attachment_add_keys(struct sql *s, const struct strs *keys)
{
    sql_add(s, "(''");
    for (size_t i = 0; i < keys->n; i++)
        sql_add(s, ", ?", IN(keys->v[i]));
    sql_add(s, ")");
}

err attachment_store_named(struct ctx *c, const struct strs *keys, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &ATTACHMENT, "SELECT {*} FROM {from} WHERE account_id = ? AND name_key IN ", IN(c->account_id));
    attachment_add_keys(&s, keys);
    sql_add(&s, " ORDER BY CHAR_LENGTH(path), path LIMIT ?", IN((int64_t)NAMED_MAX));
    return row_all(c, &ATTACHMENT, &s, NAMED_MAX, out);
}

err attachment_store_total(struct ctx *c, int64_t *n, int64_t *bytes)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*), CAST(COALESCE(SUM(size_bytes), 0) AS SIGNED) FROM attachment WHERE account_id = ?",
                 IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n), OUT(bytes));
}

err attachment_store_put_bytes(struct ctx *c, struct uuid id, struct bytes content)
{
    TRY(db_exec(c, NULL, "DELETE FROM attachment_part WHERE account_id = ? AND attachment_id = ?", IN(c->account_id), IN(id)));
    for (size_t at = 0; at < content.n; at += PART_BYTES) {
        struct bytes part = {(const uint8_t *)content.p + at, content.n - at < PART_BYTES ? content.n - at : PART_BYTES};

        TRY(db_exec(c, NULL, "INSERT INTO attachment_part (account_id, attachment_id, start_offset, body) VALUES (?, ?, ?, ?)",
                    IN(c->account_id), IN(id), IN((int64_t)at), IN(part)));
    }
    return ERR_OK;
}

err attachment_store_bytes(struct ctx *c, struct uuid id, int64_t from, struct bytes *out)
{
    scoped_cursor q = {0};
    bool found;

    *out = (struct bytes){0};
    TRY(db_query(c, &q, "SELECT body FROM attachment_part WHERE account_id = ? AND attachment_id = ? AND start_offset = ?",
                 IN(c->account_id), IN(id), IN(from)));
    return db_row(&q, c, &found, OUT(out));
}

err attachment_store_is_named(struct ctx *c, const struct strs *keys, struct uuids spaces, bool is_public, bool *is)
{
    scoped_cursor q = {0};
    struct sql s;
    int64_t one;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT 1 FROM page_link l JOIN page p ON p.account_id = l.account_id AND p.id = l.source_id AND p.deleted_at IS NULL "
                "JOIN node n ON n.account_id = p.account_id AND n.id = p.id WHERE l.account_id = ? AND l.state = 'file'",
            IN(c->account_id));
    if (is_public)
        sql_add(&s, " AND p.status = 'published' AND p.is_public = 1");
    else
        sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " AND l.root_key IN ");
    attachment_add_keys(&s, keys);
    sql_add(&s, " LIMIT 1");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, is, OUT(&one));
}
