/* SQL of forgetting. */
#include "forgetting_store.h"

#include "db.h"
#include "derived.h"
#include "principal.h"

static err add_items(struct ctx *c, struct uuid op_id, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO forget_item (account_id, op_id, node_id) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?)", IN(c->account_id), IN(op_id), IN(ids[i]));
    }
    return sql_exec(c, NULL, &s);
}

err forgetting_store_add(struct ctx *c, const struct forget_op *op, const struct uuid *ids, size_t n)
{
    TRY(db_exec(c, NULL, "INSERT INTO forget_op (account_id, id, node_id, space_id, actor_kind, actor_id, reason, block_relearn, at) "
                "VALUES (?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(op->id), IN(op->node_id), IN(op->space_id),
                IN(enumx_name(&principal_kind_enumx, (int)c->who->kind)), IN_OPT(c->who->id), IN(op->reason), IN(op->block_relearn),
                IN(c->now)));
    for (size_t i = 0; i < n; i += DERIVED_AT_ONCE)
        TRY(add_items(c, op->id, ids + i, n - i < DERIVED_AT_ONCE ? n - i : DERIVED_AT_ONCE));
    return ERR_OK;
}

err forgetting_store_take(struct ctx *c, struct uuid node_id, struct uuid op_id, struct forget_op *out)
{
    scoped_cursor q = {0};
    bool found;

    *out = (struct forget_op){0};
    TRY(db_query(c, &q, "SELECT id, node_id, space_id, reason, block_relearn FROM forget_op WHERE account_id = ? AND node_id = ? AND "
                 "(? IS NULL OR id = ?) AND undone_at IS NULL ORDER BY id DESC LIMIT 1 FOR UPDATE", IN(c->account_id), IN(node_id),
                 IN_OPT(op_id), IN_OPT(op_id)));
    return db_row(&q, c, &found, OUT(&out->id), OUT(&out->node_id), OUT(&out->space_id), OUT(&out->reason), OUT(&out->block_relearn));
}

static err forgetting_read_id(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

err forgetting_store_items(struct ctx *c, struct uuid op_id, struct list *ids)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT node_id FROM forget_item WHERE account_id = ? AND op_id = ? ORDER BY node_id", IN(c->account_id), IN(op_id));
    TRY(sql_rows(c, &s, DERIVED_MAX, sizeof(struct uuid), forgetting_read_id, &rows, &ids->n));
    ids->v = rows;
    return ERR_OK;
}

err forgetting_store_undone(struct ctx *c, struct uuid op_id)
{
    TRY(db_exec(c, NULL, "DELETE FROM suppress WHERE account_id = ? AND op_id = ?", IN(c->account_id), IN(op_id)));
    return db_exec(c, NULL, "UPDATE forget_op SET undone_at = ? WHERE account_id = ? AND id = ?", IN(c->now), IN(c->account_id), IN(op_id));
}

err forgetting_store_node(struct ctx *c, struct uuid id, struct uuid *space_id, bool *is_forgotten)
{
    scoped_cursor q = {0};
    bool found;

    *space_id = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT space_id, forgotten_at IS NOT NULL FROM node WHERE account_id = ? AND id = ? AND status <> 'version'",
                 IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT(space_id), OUT(is_forgotten));
}
