/* SQL of knowledge bases and their sections. */
#include "knowledge_base_store.h"

#include "chunker.h"
#include "like.h"
#include "row.h"

err knowledge_base_store_list(struct ctx *c, const struct knowledge_base_filter *f, struct uuids ids, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &KNOWLEDGE_BASE, "SELECT {*} FROM {from} WHERE b.account_id = ? AND b.id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "b.id", ids.v, ids.n);
    if (f->status >= 0)
        sql_add(&s, " AND b.status = ?", IN(enumx_name(&knowledge_base_status_enumx, f->status)));
    else
        sql_add(&s, " AND b.status <> 'archived'");
    if (f->q)
        sql_add(&s, " AND s.name COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY b.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &KNOWLEDGE_BASE, &s, f->limit, out);
}

err knowledge_base_store_count(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM knowledge_base WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err knowledge_base_store_lock(struct ctx *c, struct uuid id)
{
    scoped_cursor q = {0};
    int64_t one;
    bool found;

    TRY(db_query(c, &q, "SELECT 1 FROM knowledge_base WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT(&one));
}

err knowledge_base_store_move(struct ctx *c, struct uuid id, const enum knowledge_base_status *from, size_t n,
    enum knowledge_base_status to,
                              const char *error_code, const char *error_message, int64_t *changed)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE knowledge_base SET status = ?, error_code = ?, error_message = ?, version = version + 1, updated_at = ? WHERE "
        "account_id = ? AND id = ? AND status IN (''",
            IN(enumx_name(&knowledge_base_status_enumx, (int)to)), IN_OPT(error_code), IN_OPT(error_message), IN(c->now),
                IN(c->account_id), IN(id));
    for (size_t i = 0; i < n; i++)
        sql_add(&s, ", ?", IN(enumx_name(&knowledge_base_status_enumx, (int)from[i])));
    sql_add(&s, ")");
    return sql_exec(c, changed, &s);
}

err knowledge_base_store_rename(struct ctx *c, struct uuid id, const char *live_name)
{
    return db_exec(c, NULL, "UPDATE knowledge_base SET live_name = ?, version = version + 1, updated_at = ? WHERE account_id = ? AND id "
        "= ?",
                   IN_OPT(live_name), IN(c->now), IN(c->account_id), IN(id));
}

#define ADD_COUNTS \
    " SET document_count = document_count + ?, chunk_count = chunk_count + ?, total_tokens = total_tokens + ?, storage_bytes = " \
    "storage_bytes + ? WHERE account_id = ? AND id = ?"
#define ADD_COUNTS_IN(m, id) IN((m)->documents), IN((m)->chunks), IN((m)->tokens), IN((m)->bytes), IN(c->account_id), IN(id)

/* The space is a base, or a section. */
err knowledge_base_store_add(struct ctx *c, struct uuid space_id, const struct knowledge_base_counts *more)
{
    TRY(db_exec(c, NULL, "UPDATE knowledge_base" ADD_COUNTS, ADD_COUNTS_IN(more, space_id)));
    return db_exec(c, NULL, "UPDATE knowledge_section" ADD_COUNTS, ADD_COUNTS_IN(more, space_id));
}

err knowledge_base_store_queried(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE knowledge_base SET query_count = query_count + 1, last_queried_at = ? WHERE account_id = ?", IN(c->now),
        IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err knowledge_base_store_among(struct ctx *c, struct uuids ids, bool archived_too, struct uuid *out, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM knowledge_base WHERE account_id = ? AND (? OR status <> 'archived')", IN(c->account_id), IN(archived_too));
    sql_add_in_uuids(&s, "id", ids.v, ids.n);
    sql_add(&s, " ORDER BY id");
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, out, max, n);
}

err knowledge_base_store_searchable(struct ctx *c, struct uuids ids, struct uuid *out, size_t *n, enum query_log *log)
{
    scoped_cursor q = {0};
    struct sql s;
    const char *word;
    bool found;
    int strict;

    *n = 0;
    *log = QUERY_LOG_FULL;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, log_queries FROM knowledge_base WHERE account_id = ? AND status <> 'archived'", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids.v, ids.n);
    TRY(sql_query(c, &q, &s));
    while (*n < ids.n) {
        TRY(db_row(&q, c, &found, OUT(&out[*n]), OUT(&word)));
        if (!found)
            break;
        if (enumx_parse(&query_log_enumx, word, &strict) && strict > (int)*log)
            *log = (enum query_log)strict;
        ++*n;
    }
    return ERR_OK;
}

err knowledge_base_store_complete(struct ctx *c, struct uuid id, int64_t *changed)
{
    return db_exec(c, changed,
                   "UPDATE knowledge_base SET status = 'active', version = version + 1, updated_at = ?, last_indexed_at = ? WHERE "
                       "account_id = ? "
                   "AND id = ? AND status = 'indexing' AND NOT EXISTS (SELECT 1 FROM document d WHERE d.account_id = ? "
                   "AND d.knowledge_base_id = ? AND d.wants_processing = 1 AND d.status IN ('pending','processing'))",
                   IN(c->now), IN(c->now), IN(c->account_id), IN(id), IN(c->account_id), IN(id));
}

/* ---- sections */

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

/* ---- tidying up */

err knowledge_tidy_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM space WHERE kind IN ('knowledge_base', 'pages') AND account_id > ? ORDER BY "
                 "account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err knowledge_tidy_store_replaced(struct ctx *c, struct instant before, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT n.id FROM space b JOIN node n ON n.account_id = b.account_id AND n.space_id = b.id AND n.kind IN "
                 "('chunk','entity') AND n.status = 'forgotten' WHERE b.account_id = ? AND b.kind IN "
                 "('knowledge_base', 'pages') AND n.forgotten_at <= ? "
                 "AND NOT EXISTS (SELECT 1 FROM chunk h WHERE h.account_id = n.account_id AND h.id = n.id) "
                 "AND NOT EXISTS (SELECT 1 FROM passage p WHERE p.account_id = n.account_id AND p.id = n.id) "
                 "AND (n.kind = 'chunk' OR (n.author_kind = 'system' AND NOT EXISTS (SELECT 1 FROM name m WHERE "
                 "m.account_id = n.account_id AND m.entity_id = n.id))) LIMIT ?",
                 IN(c->account_id), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err knowledge_tidy_store_documents(struct ctx *c, struct instant before, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM document WHERE account_id = ? AND deleted_at <= ? LIMIT ?", IN(c->account_id), IN(before),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err knowledge_tidy_store_chunks(struct ctx *c, const struct uuid *documents, size_t n, struct uuids *out)
{
    scoped_cursor q = {0};
    size_t max = n * CHUNKS + 1;
    struct sql s;

    out->v = ARENA_ARRAY(c->arena, struct uuid, max);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM chunk WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "document_id", documents, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, out->v, max, &out->n);
}

err knowledge_tidy_store_drop_documents(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM document WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err knowledge_tidy_store_bases(struct ctx *c, struct instant before, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT b.id FROM knowledge_base b JOIN space s ON s.account_id = b.account_id AND s.id = b.id WHERE b.account_id = ? "
                 "AND (s.deleted_at <= ? OR (s.deleted_at IS NULL AND s.expires_at <= ?)) AND NOT EXISTS (SELECT 1 FROM "
                 "knowledge_section x WHERE x.account_id = b.account_id AND x.knowledge_base_id = b.id) LIMIT ?",
                 IN(c->account_id), IN(before), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err knowledge_tidy_store_drop_base(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "DELETE FROM knowledge_base WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id));
}
