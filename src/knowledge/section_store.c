/* SQL of sections. */
#include "section_store.h"

#include "row.h"

err section_store_find(struct ctx *c, struct uuid base_id, struct bytes access_hash, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM knowledge_section WHERE account_id = ? AND knowledge_base_id = ? AND access_hash = ?",
                 IN(c->account_id), IN(base_id), IN(access_hash)));
    return db_row(&q, c, found, OUT(id));
}

err section_store_insert(struct ctx *c, struct uuid base_id, struct uuid id, struct bytes access_hash)
{
    return db_exec(c, NULL, "INSERT INTO knowledge_section (account_id, id, knowledge_base_id, access_hash) VALUES (?,?,?,?)",
                   IN(c->account_id), IN(id), IN(base_id), IN(access_hash));
}

err section_store_count(struct ctx *c, struct uuid base_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM knowledge_section WHERE account_id = ? AND knowledge_base_id = ?", IN(c->account_id),
                 IN(base_id)));
    return db_row(&q, c, &found, OUT(n));
}

err section_store_is(struct ctx *c, struct uuid space_id, bool *yes)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM knowledge_section WHERE account_id = ? AND id = ?", IN(c->account_id), IN(space_id)));
    return db_row(&q, c, yes, OUT(&one));
}

err section_store_settle(struct ctx *c, struct uuid space_id, int64_t *changed)
{
    return db_exec(c, changed,
                   "UPDATE space s JOIN knowledge_section x ON x.account_id = s.account_id AND x.id = s.id SET s.expires_at = "
                   "IF(x.document_count > 0, NULL, ?) WHERE s.account_id = ? AND s.id = ? AND (x.document_count > 0) = "
                   "(s.expires_at IS NOT NULL)", IN(c->now), IN(c->account_id), IN(space_id));
}

static err section_read_sum(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct section_sum *s = row;

    return db_row(q, c, found, OUT(&s->knowledge_base_id), OUT(&s->counts.documents), OUT(&s->counts.chunks), OUT(&s->counts.tokens),
                  OUT(&s->counts.bytes));
}

err section_store_sums(struct ctx *c, struct uuids sections, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT knowledge_base_id, CAST(SUM(document_count) AS SIGNED), CAST(SUM(chunk_count) AS SIGNED), CAST(SUM(total_tokens) "
                "AS SIGNED), CAST(SUM(storage_bytes) AS SIGNED) FROM knowledge_section WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", sections.v, sections.n);
    sql_add(&s, " GROUP BY knowledge_base_id");
    return sql_rows(c, &s, sections.n, sizeof(struct section_sum), section_read_sum, &out->v, &out->n);
}

err section_store_empty(struct ctx *c, struct instant before, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT x.id FROM knowledge_section x JOIN space s ON s.account_id = x.account_id AND s.id = x.knowledge_base_id "
                 "WHERE x.account_id = ? AND (s.deleted_at <= ? OR NOT EXISTS (SELECT 1 FROM document d WHERE d.account_id = x.account_id "
                 "AND d.space_id = x.id)) LIMIT 1", IN(c->account_id), IN(before)));
    return db_row(&q, c, found, OUT(id));
}
