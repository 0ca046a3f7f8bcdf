/* SQL of passages. */
#include "passage_store.h"

#include "chunker.h"
#include "db.h"

#define ROWS_AT_ONCE 500

static err passage_read_kept(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct chunk_kept *k = row;

    return db_row(q, c, found, OUT(&k->id), OUT(&k->embed_hash));
}

err passage_store_kept(struct ctx *c, struct uuid page_id, const struct chunk_kept **rows, size_t *n)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, embed_hash FROM passage WHERE account_id = ? AND page_id = ? ORDER BY start_offset", IN(c->account_id),
            IN(page_id));
    TRY(sql_rows(c, &s, CHUNKS, sizeof(struct chunk_kept), passage_read_kept, &v, n));
    *rows = v;
    return ERR_OK;
}

static err passage_insert_some(struct ctx *c, struct uuid page_id, const struct passage *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO passage (account_id, id, page_id, start_offset, end_offset, embed_hash) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?)", IN(c->account_id), IN(rows[i].id), IN(page_id), IN(rows[i].start_offset), IN(rows[i].end_offset),
                IN(rows[i].embed_hash));
    }
    return sql_exec(c, NULL, &s);
}

err passage_store_replace(struct ctx *c, struct uuid page_id, const struct passage *rows, size_t n)
{
    TRY(db_exec(c, NULL, "DELETE FROM passage WHERE account_id = ? AND page_id = ?", IN(c->account_id), IN(page_id)));
    for (size_t i = 0; i < n; i += ROWS_AT_ONCE)
        TRY(passage_insert_some(c, page_id, rows + i, n - i < ROWS_AT_ONCE ? n - i : ROWS_AT_ONCE));
    return ERR_OK;
}
