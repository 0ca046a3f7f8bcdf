/* SQL of entities and their names. */
#include "entity_store.h"

#include "db.h"
#include "entity_root.h"
#include "like.h"
#include "row.h"

#define NAMED 1000 /* owners of a name */
#define LIVE " AND n.kind = 'entity' AND n.status = 'active' AND n.forgotten_at IS NULL AND n.archived_at IS NULL"

static err entity_read_alias(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct entity_alias *a = row;

    return db_row(q, c, found, OUT(&a->norm), OUT(&a->entity_id), OUT(&a->surface), OUT(&a->count));
}

err entity_store_owners(struct ctx *c, struct uuid space_id, const char *const *norms, size_t n, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT a.norm, a.entity_id, a.surface, a.count FROM entity_alias a LEFT JOIN entity_root r ON r.account_id = "
            "a.account_id AND r.entity_id = a.entity_id JOIN node n ON n.account_id = a.account_id AND n.id = COALESCE(r.root_id, "
            "a.entity_id) WHERE a.account_id = ? AND a.space_id = ?" LIVE " AND a.norm IN (NULL", IN(c->account_id), IN(space_id));
    for (size_t i = 0; i < n; i++)
        sql_add(&s, ",?", IN(norms[i]));
    sql_add(&s, ") ORDER BY a.count DESC, a.entity_id FOR UPDATE");
    TRY(sql_rows(c, &s, n * 8 + 8, sizeof(struct entity_alias), entity_read_alias, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err entity_store_met(struct ctx *c, struct uuid space_id, const struct entity_alias *rows, size_t n)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO entity_alias (account_id, space_id, norm, entity_id, surface, source) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?)", IN(c->account_id), IN(space_id), IN(rows[i].norm), IN(rows[i].entity_id), IN(rows[i].surface),
                IN(rows[i].source));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE count = count + 1");
    return sql_exec(c, NULL, &s);
}

err entity_store_get(struct ctx *c, struct uuid id, bool *found, struct entity *out)
{
    return row_one(c, &ENTITY, found, out, "SELECT {*} FROM {from} WHERE n.account_id = ? AND n.id = ?" LIVE, IN(c->account_id), IN(id));
}

static err alias_surface_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((const char **)row));
}

err entity_store_aliases(struct ctx *c, struct uuids ids, struct strs *out)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT surface FROM entity_alias WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "entity_id", ids.v, ids.n);
    sql_add(&s, " GROUP BY norm ORDER BY SUM(count) DESC, norm LIMIT ?", IN((int64_t)ENTITY_ALIASES));
    TRY(sql_rows(c, &s, ENTITY_ALIASES, sizeof(const char *), alias_surface_read, &v, &out->n));
    out->v = v;
    return ERR_OK;
}

err entity_store_alias_move(struct ctx *c, struct uuids ids, const char *const *norms, size_t n, struct uuid to, int64_t *moved)
{
    struct sql s;

    *moved = 0;
    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    if (uuid_is_nil(to))
        sql_add(&s, "DELETE FROM entity_alias WHERE account_id = ? AND norm IN (?", IN(c->account_id), IN(norms[0]));
    else
        sql_add(&s, "UPDATE IGNORE entity_alias SET entity_id = ? WHERE account_id = ? AND norm IN (?", IN(to), IN(c->account_id),
                IN(norms[0]));
    for (size_t i = 1; i < n; i++)
        sql_add(&s, ",?", IN(norms[i]));
    sql_add(&s, ")");
    sql_add_in_uuids(&s, "entity_id", ids.v, ids.n);
    return sql_exec(c, moved, &s);
}

err entity_store_claims_move(struct ctx *c, struct uuids ids, struct uuids facts, struct uuids sources, struct uuid to, int64_t *moved)
{
    struct uuids all = {ARENA_ARRAY(c->arena, struct uuid, facts.n + sources.n + 1), facts.n + sources.n};
    struct sql s;

    for (size_t i = 0; i < all.n; i++)
        all.v[i] = i < facts.n ? facts.v[i] : sources.v[i - facts.n];
    sql_init(&s, c->arena);
    if (uuid_is_nil(to))
        sql_add(&s, "UPDATE fact_claim SET subject_id = subject_id WHERE account_id = ?", IN(c->account_id));
    else
        sql_add(&s, "UPDATE fact_claim SET subject_id = ? WHERE account_id = ?", IN(to), IN(c->account_id));
    sql_add_in_uuids(&s, "subject_id", ids.v, ids.n);
    sql_add(&s, " AND (0");
    for (size_t i = 0; i < all.n; i++)
        sql_add(&s, " OR fact_id = ? OR source_id = ?", IN(all.v[i]), IN(all.v[i]));
    sql_add(&s, ")");
    return sql_exec(c, moved, &s);
}

err entity_store_facts_move(struct ctx *c, struct uuids ids, struct uuid to, int64_t *moved)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE fact f SET f.subject_id = ? WHERE f.account_id = ?", IN(to), IN(c->account_id));
    sql_add_in_uuids(&s, "f.subject_id", ids.v, ids.n);
    sql_add(&s, " AND EXISTS (SELECT 1 FROM fact_claim k WHERE k.account_id = f.account_id AND k.fact_id = f.node_id AND k.subject_id = ?) "
            "AND NOT EXISTS (SELECT 1 FROM fact_claim k WHERE k.account_id = f.account_id AND k.fact_id = f.node_id AND k.subject_id <> ?)",
            IN(to), IN(to));
    return sql_exec(c, moved, &s);
}

err entity_store_list(struct ctx *c, const struct entity_filter *f, const char *norm, struct uuids spaces, struct uuid before,
    struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &ENTITY, "SELECT {*} FROM {from} WHERE n.account_id = ? AND n.id < ?" LIVE, IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    if (norm)
        sql_add(&s, " AND (EXISTS (SELECT 1 FROM entity_alias a WHERE a.account_id = n.account_id AND a.entity_id = n.id AND a.norm LIKE "
                "?) OR "
                "EXISTS (SELECT 1 FROM entity_root r JOIN entity_alias a ON a.account_id = r.account_id AND a.entity_id = r.entity_id "
                "WHERE "
                "r.account_id = n.account_id AND r.root_id = n.id AND a.norm LIKE ?))", IN(like_prefix(c->arena, norm)),
                IN(like_prefix(c->arena, norm)));
    if (f->type)
        sql_add(&s, " AND JSON_VALUE(n.attrs, '$.entity_type') = ?", IN(f->type));
    sql_add(&s, " ORDER BY n.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &ENTITY, &s, f->limit, out);
}

/* ---- entities that are one */

static err rooted_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct entity_rooted *r = row;

    return db_row(q, c, found, OUT(&r->entity_id), OUT(&r->parent_id));
}

err root_store_under(struct ctx *c, struct uuid root, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT entity_id, parent_id FROM entity_root WHERE account_id = ? AND root_id = ? ORDER BY entity_id LIMIT ? FOR UPDATE",
            IN(c->account_id), IN(root), IN((int64_t)ENTITY_MEMBERS));
    return sql_rows(c, &s, ENTITY_MEMBERS, sizeof(struct entity_rooted), rooted_read, &out->v, &out->n);
}

err root_store_add(struct ctx *c, struct uuid id, struct uuid keeper)
{
    return db_exec(c, NULL, "INSERT INTO entity_root (account_id, entity_id, parent_id, root_id) VALUES (?,?,?,?)", IN(c->account_id),
                   IN(id), IN(keeper), IN(keeper));
}

err root_store_drop(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "DELETE FROM entity_root WHERE account_id = ? AND entity_id = ?", IN(c->account_id), IN(id));
}

err root_store_set(struct ctx *c, const struct uuid *ids, size_t n, struct uuid root)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE entity_root SET root_id = ? WHERE account_id = ?", IN(root), IN(c->account_id));
    sql_add_in_uuids(&s, "entity_id", ids, n);
    return sql_exec(c, NULL, &s);
}

err root_store_get(struct ctx *c, struct uuid id, struct uuid *root)
{
    scoped_cursor q = {0};
    bool found;

    *root = id;
    TRY(db_query(c, &q, "SELECT root_id FROM entity_root WHERE account_id = ? AND entity_id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT(root));
}

static err rooted_id_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

err root_store_members(struct ctx *c, const struct uuid *ids, size_t n, struct uuids *out)
{
    size_t max = n + ENTITY_MEMBERS, there;
    struct uuid *all = ARENA_ARRAY(c->arena, struct uuid, max + 1);
    struct sql s;
    void *v;

    for (size_t i = 0; i < n; i++)
        all[i] = ids[i];
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT entity_id FROM entity_root WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "root_id", ids, n);
    sql_add(&s, " LIMIT ?", IN((int64_t)ENTITY_MEMBERS));
    TRY(sql_rows(c, &s, ENTITY_MEMBERS, sizeof(struct uuid), rooted_id_read, &v, &there));
    for (size_t i = 0; i < there; i++)
        all[n + i] = ((struct uuid *)v)[i];
    *out = (struct uuids){all, n + there};
    return ERR_OK;
}

err root_store_named(struct ctx *c, const char *norm, struct uuids spaces, struct uuids *out)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT COALESCE(r.root_id, a.entity_id) FROM entity_alias a LEFT JOIN entity_root r ON r.account_id = "
            "a.account_id "
            "AND r.entity_id = a.entity_id WHERE a.account_id = ? AND a.norm = ?", IN(c->account_id), IN(norm));
    sql_add_in_uuids(&s, "a.space_id", spaces.v, spaces.n);
    sql_add(&s, " LIMIT ?", IN((int64_t)NAMED));
    TRY(sql_rows(c, &s, NAMED, sizeof(struct uuid), rooted_id_read, &v, &out->n));
    out->v = v;
    return ERR_OK;
}
