/* SQL of names. */
#include "names_store.h"

#include "db.h"

#define NAMES_AT_ONCE 1000

static void names_store_add_list(struct sql *s, const char *const *norms, size_t n)
{
    sql_add(s, " AND norm IN (");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(s, ",");
        sql_add(s, "?", IN(norms[i]));
    }
    sql_add(s, ")");
}

static err names_store_make(struct ctx *c, struct uuid space_id, const char *const *norms, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO name (account_id, space_id, norm) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ",");
        sql_add(&s, "(?,?,?)", IN(c->account_id), IN(space_id), IN(norms[i]));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE norm = VALUE(norm)");
    return sql_exec(c, NULL, &s);
}

static err names_store_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct name_row *r = row;

    return db_row(q, c, found, OUT(&r->norm), OUT_OPT(&r->entity_id), OUT_OPT(&r->chunk_id));
}

static err names_store_lock_some(struct ctx *c, struct uuid space_id, const char *const *norms, size_t n, struct name_row *rows,
                                 size_t *found)
{
    struct sql s;
    void *v;

    TRY(names_store_make(c, space_id, norms, n));
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT norm, entity_id, chunk_id FROM name WHERE account_id = ? AND space_id = ?", IN(c->account_id), IN(space_id));
    names_store_add_list(&s, norms, n);
    sql_add(&s, " ORDER BY norm FOR UPDATE");
    TRY(sql_rows(c, &s, n, sizeof(struct name_row), names_store_read, &v, found));
    for (size_t i = 0; i < *found; i++)
        rows[i] = ((const struct name_row *)v)[i];
    return ERR_OK;
}

err names_store_lock(struct ctx *c, struct uuid space_id, const char *const *norms, size_t n, struct name_row *rows, size_t *found)
{
    *found = 0;
    for (size_t i = 0; i < n; i += NAMES_AT_ONCE) {
        size_t k;

        TRY(names_store_lock_some(c, space_id, norms + i, n - i < NAMES_AT_ONCE ? n - i : NAMES_AT_ONCE, rows + *found, &k));
        *found += k;
    }
    return ERR_OK;
}

static err names_store_set_some(struct ctx *c, struct uuid space_id, const struct name_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO name (account_id, space_id, norm, entity_id, chunk_id) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ",");
        sql_add(&s, "(?,?,?,?,?)", IN(c->account_id), IN(space_id), IN(rows[i].norm), IN_OPT(rows[i].entity_id), IN_OPT(rows[i].chunk_id));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE entity_id = VALUE(entity_id), chunk_id = VALUE(chunk_id)");
    return sql_exec(c, NULL, &s);
}

err names_store_set(struct ctx *c, struct uuid space_id, const struct name_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i += NAMES_AT_ONCE)
        TRY(names_store_set_some(c, space_id, rows + i, n - i < NAMES_AT_ONCE ? n - i : NAMES_AT_ONCE));
    return ERR_OK;
}

err names_store_drop_waiting(struct ctx *c, const struct uuid *chunks, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM name WHERE account_id = ? AND entity_id IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "chunk_id", chunks, n);
    return sql_exec(c, NULL, &s);
}

static err names_store_read_thin(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct name_thin *r = row;

    return db_row(q, c, found, OUT(&r->entity_id), OUT(&r->norm), OUT_OPT(&r->chunk_id));
}

err names_store_thin(struct ctx *c, struct uuid space_id, const struct uuid *entities, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT m.entity_id, m.norm, MIN(e.source_id) FROM name m JOIN node n ON n.account_id = m.account_id AND "
                "n.id = m.entity_id AND n.is_pinned = 0 AND n.status = 'named' LEFT JOIN edge e ON "
                "e.account_id = m.account_id AND e.target_id = m.entity_id "
                "AND e.relation = 'MENTIONS' AND e.retired_at IS NULL WHERE m.account_id = ? AND m.space_id = ?",
            IN(c->account_id), IN(space_id));
    sql_add_in_uuids(&s, "m.entity_id", entities, n);
    sql_add(&s, " AND NOT EXISTS (SELECT 1 FROM edge o WHERE o.account_id = m.account_id AND o.target_id = m.entity_id AND "
                "o.relation <> 'MENTIONS' AND o.retired_at IS NULL) AND NOT EXISTS (SELECT 1 FROM edge o WHERE "
                "o.account_id = m.account_id AND o.source_id = m.entity_id AND o.retired_at IS NULL) GROUP BY m.entity_id, m.norm "
                "HAVING COUNT(e.id) <= 1 AND "
                "COALESCE(SUM(JSON_EXISTS(e.metadata, '$.title')), 0) = 0");
    return sql_rows(c, &s, n, sizeof(struct name_thin), names_store_read_thin, &out->v, &out->n);
}

err names_store_drop(struct ctx *c, const struct uuid *entities, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM name WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "entity_id", entities, n);
    return sql_exec(c, NULL, &s);
}

err names_store_quoting(struct ctx *c, const struct uuid *chunks, size_t n, struct uuids *out)
{
    scoped_cursor q = {0};
    struct sql s;

    out->v = ARENA_ARRAY(c->arena, struct uuid, NAMES_AT_ONCE);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT e.source_id FROM edge e JOIN node n ON n.account_id = e.account_id AND n.id = e.source_id AND "
                "n.kind = 'community' WHERE e.account_id = ? AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.target_id", chunks, n);
    sql_add(&s, " LIMIT ?", IN((int64_t)NAMES_AT_ONCE));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, out->v, NAMES_AT_ONCE, &out->n);
}

err names_store_grouping(struct ctx *c, const struct uuid *chunks, size_t n, struct uuids *out)
{
    scoped_cursor q = {0};
    struct sql s;

    out->v = ARENA_ARRAY(c->arena, struct uuid, NAMES_AT_ONCE);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT m.community_id FROM edge e JOIN community_member m ON m.account_id = e.account_id AND "
                "m.node_id = e.target_id WHERE e.account_id = ? AND e.relation = 'MENTIONS' AND e.retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", chunks, n);
    sql_add(&s, " LIMIT ?", IN((int64_t)NAMES_AT_ONCE));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, out->v, NAMES_AT_ONCE, &out->n);
}

err names_store_move(struct ctx *c, struct uuid space_id, struct uuid from, struct uuid to, const char *const *norms, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE name SET entity_id = ? WHERE account_id = ? AND space_id = ? AND entity_id = ?", IN(to), IN(c->account_id),
            IN(space_id), IN(from));
    if (norms && !n)
        return ERR_OK;
    if (norms)
        names_store_add_list(&s, norms, n);
    return sql_exec(c, NULL, &s);
}
