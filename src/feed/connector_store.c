/* SQL of connectors. */
#include "connector_store.h"

#include "row.h"

err connector_store_lock(struct ctx *c, struct uuid id, bool *found, struct connector *out)
{
    return row_one(c, &CONNECTOR, found, out,
                   "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id));
}

err connector_store_list(struct ctx *c, struct uuids bases, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &CONNECTOR, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "knowledge_base_id", bases.v, bases.n);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(limit + 1));
    return row_page(c, &CONNECTOR, &s, limit, out);
}

err connector_store_count(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM connector WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err connector_store_due(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &CONNECTOR, "SELECT {*} FROM {from} WHERE account_id = ? AND next_sync_at <= ? AND status <> 'paused' "
        "ORDER BY next_sync_at LIMIT ?", IN(c->account_id), IN(c->now), IN(limit));
    return row_all(c, &CONNECTOR, &s, (size_t)limit, out);
}

err connector_store_due_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM connector WHERE next_sync_at <= ? AND status <> 'paused' AND account_id > ? "
        "ORDER BY account_id LIMIT ?", IN(c->now), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
