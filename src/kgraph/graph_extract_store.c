/* SQL of chunks that were read. */
#include "graph_extract_store.h"

#include "db.h"

err extract_store_unread(struct ctx *c, struct uuid document_id, const char *method, size_t max, struct uuids *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, max + 1);
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT h.id FROM chunk h LEFT JOIN chunk_extraction x ON x.account_id = h.account_id AND x.chunk_id = h.id AND "
                 "x.method = ? WHERE h.account_id = ? AND h.document_id = ? AND x.chunk_id IS NULL ORDER BY h.sequence_number LIMIT ?",
                 IN(method), IN(c->account_id), IN(document_id), IN((int64_t)max)));
    out->v = ids;
    return db_ids(c, &q, ids, max, &out->n);
}

err extract_store_mark(struct ctx *c, struct uuid chunk_id, const char *method)
{
    return db_exec(c, NULL,
                   "INSERT INTO chunk_extraction (account_id, chunk_id, method, read_at) VALUES (?,?,?,?) ON DUPLICATE KEY UPDATE "
                   "method = VALUE(method), read_at = VALUE(read_at)", IN(c->account_id), IN(chunk_id), IN(method), IN(c->now));
}
