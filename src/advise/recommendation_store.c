/* SQL of recommendations. */
#include "recommendation_store.h"

#include "access.h"
#include "row.h"

err recommendation_store_rests(struct ctx *c, struct bytes topic, struct instant since, bool *rests)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT EXISTS (SELECT 1 FROM recommendation WHERE account_id = ? AND topic = ? AND (dedup_key IS NOT NULL "
        "OR decided_at > ?))", IN(c->account_id), IN(topic), IN(since)));
    return db_row(&q, c, &found, OUT(rests));
}

err recommendation_store_is_full(struct ctx *c, int64_t most, bool *full)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) >= ? FROM recommendation WHERE account_id = ? AND dedup_key IS NOT NULL", IN(most),
        IN(c->account_id)));
    return db_row(&q, c, &found, OUT(full));
}

err recommendation_store_lock(struct ctx *c, struct uuid id, bool *found, struct recommendation *out)
{
    return row_one(c, &RECOMMENDATION, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id),
        IN(id));
}

err recommendation_store_list(struct ctx *c, const struct recommendation_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &RECOMMENDATION, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status != WANTED_ANY)
        sql_add(&s, " AND status = ?", IN(enumx_name(&recommendation_wanted_enumx, (int)f->status)));
    if (f->recommendation_type >= 0)
        sql_add(&s, " AND recommendation_type = ?", IN(enumx_name(&recommendation_type_enumx, f->recommendation_type)));
    if (!uuid_is_nil(f->target_id))
        sql_add(&s, " AND target_id = ?", IN(f->target_id));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    sql_add(&s, " AND (space_id IS NULL OR (1");
    sql_add_in_uuids(&s, "space_id", c->access->readable, c->access->n);
    sql_add(&s, ")) ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &RECOMMENDATION, &s, f->limit, out);
}

err recommendation_store_overdue(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &RECOMMENDATION, "SELECT {*} FROM {from} WHERE account_id = ? AND due_at <= ? ORDER BY due_at LIMIT ? "
        "FOR UPDATE", IN(c->account_id), IN(c->now), IN(limit));
    return row_all(c, &RECOMMENDATION, &s, (size_t)limit, out);
}
