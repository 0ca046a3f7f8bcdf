/* SQL of entities and their names. */
#include "entity_store.h"

#include "db.h"
#include "like.h"
#include "row.h"

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
    sql_add(&s, "SELECT a.norm, a.entity_id, a.surface, a.count FROM entity_alias a JOIN node n ON n.account_id = a.account_id AND "
            "n.id = a.entity_id WHERE a.account_id = ? AND a.space_id = ?" LIVE " AND a.norm IN (NULL", IN(c->account_id), IN(space_id));
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

err entity_store_aliases(struct ctx *c, struct uuid id, struct strs *out)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, ENTITY_ALIASES);
    scoped_cursor q = {0};
    size_t n = 0;
    bool found = true;

    TRY(db_query(c, &q, "SELECT surface FROM entity_alias WHERE account_id = ? AND entity_id = ? ORDER BY count DESC, norm LIMIT ?",
                 IN(c->account_id), IN(id), IN((int64_t)ENTITY_ALIASES)));
    while (n < ENTITY_ALIASES) {
        TRY(db_row(&q, c, &found, OUT(&v[n])));
        if (!found)
            break;
        n++;
    }
    *out = (struct strs){v, n};
    return ERR_OK;
}

err entity_store_list(struct ctx *c, const struct entity_filter *f, const char *norm, struct uuids spaces, struct uuid before,
    struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &ENTITY, "SELECT {*} FROM {from} WHERE n.account_id = ? AND n.id < ?" LIVE, IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    if (norm)
        sql_add(&s, " AND EXISTS (SELECT 1 FROM entity_alias a WHERE a.account_id = n.account_id AND a.entity_id = n.id AND a.norm LIKE ?)",
                IN(like_prefix(c->arena, norm)));
    if (f->type)
        sql_add(&s, " AND JSON_VALUE(n.attrs, '$.entity_type') = ?", IN(f->type));
    sql_add(&s, " ORDER BY n.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &ENTITY, &s, f->limit, out);
}
