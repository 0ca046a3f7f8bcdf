/* SQL of chunks. */
#include "chunk_store.h"

#include "chunker.h"
#include "row.h"

#define ROWS_AT_ONCE 1000

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
                "embed_hash, tokens) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct chunk *r = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(r->id), IN(document_id), IN(r->sequence_number), IN(r->start_offset),
                IN(r->end_offset), IN(r->overlap), IN_OPT(r->heading_path), IN(r->embed_hash), IN(r->tokens));
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
