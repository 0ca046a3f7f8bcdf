/* SQL of receipts, and of names. */
#include "erase_store.h"

#include "db.h"
#include "row.h"

err erase_store_items(struct ctx *c, struct uuid receipt_id, const struct erase_item *items, size_t n)
{
    struct sql s;

    for (size_t i = 0, k; i < n; i = k) {
        sql_init(&s, c->arena);
        sql_add(&s, "INSERT INTO erase_item (account_id, receipt_id, node_id, kind, space_id, seal) VALUES ");
        for (k = i; k < n && k < i + ERASE_SLICE; k++) {
            if (k > i)
                sql_add(&s, ", ");
            sql_add(&s, "(?,?,?,?,?,?)", IN(c->account_id), IN(receipt_id), IN(items[k].node_id), IN(items[k].kind), IN(items[k].space_id),
                    IN(items[k].seal));
        }
        TRY(sql_exec(c, NULL, &s));
    }
    return ERR_OK;
}

static err erase_read_item(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct erase_item *i = row;

    return db_row(q, c, found, OUT(&i->node_id), OUT(&i->space_id), OUT(&i->kind), OUT(&i->seal));
}

err erase_store_read(struct ctx *c, struct uuid receipt_id, bool waiting, size_t max, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT node_id, space_id, kind, seal FROM erase_item WHERE account_id = ? AND receipt_id = ?", IN(c->account_id),
            IN(receipt_id));
    if (waiting)
        sql_add(&s, " AND purged = 0");
    sql_add(&s, " ORDER BY node_id LIMIT ?", IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct erase_item), erase_read_item, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err erase_store_purged(struct ctx *c, struct uuid receipt_id, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE erase_item SET purged = 1 WHERE account_id = ? AND receipt_id = ?", IN(c->account_id), IN(receipt_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    return sql_exec(c, NULL, &s);
}

err erase_store_done(struct ctx *c, const struct erase_receipt *r)
{
    return db_exec(c, NULL, "UPDATE erase_receipt SET state = 'done', done_at = ?, left_over = ?, seal = ? WHERE account_id = ? AND id = ?",
                   IN(r->done_at), IN(json_text(c->arena, r->left_over)), IN(r->seal), IN(c->account_id), IN(r->id));
}

static err erase_read_id(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

static err erase_ids(struct ctx *c, struct sql *s, struct list *out)
{
    void *rows;

    TRY(sql_rows(c, s, DERIVED_MAX, sizeof(struct uuid), erase_read_id, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err erase_store_of_entity(struct ctx *c, struct uuid entity_id, bool episodes, struct list *ids)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT node_id FROM fact WHERE account_id = ? AND subject_id = ?", IN(c->account_id), IN(entity_id));
    if (episodes)
        sql_add(&s, " UNION SELECT source_id FROM edge WHERE account_id = ? AND target_id = ? AND relation = 'MENTIONS'",
                IN(c->account_id), IN(entity_id));
    return erase_ids(c, &s, ids);
}

err erase_store_names(struct ctx *c, const struct uuid *ids, size_t n, struct list *entities)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT target_id FROM edge WHERE account_id = ? AND relation IN ('ABOUT', 'MENTIONS')", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    return erase_ids(c, &s, entities);
}

err erase_store_forget_names(struct ctx *c, const struct uuid *entities, size_t n)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM entity_alias WHERE account_id = ? AND source = 'text' AND NOT EXISTS (SELECT 1 FROM node e WHERE "
            "e.account_id = entity_alias.account_id AND e.id = entity_alias.entity_id AND e.title = entity_alias.surface) AND NOT EXISTS "
            "(SELECT 1 FROM edge g JOIN node m ON m.account_id = g.account_id AND m.id = g.source_id WHERE g.account_id = "
            "entity_alias.account_id AND g.target_id = entity_alias.entity_id AND g.relation IN ('ABOUT', 'MENTIONS') AND "
            "LOCATE(entity_alias.surface, m.body) > 0)", IN(c->account_id));
    sql_add_in_uuids(&s, "entity_id", entities, n);
    return sql_exec(c, NULL, &s);
}
