/* SQL of intervention policies. */
#include "intervention_store.h"

#include "row.h"

err intervention_store_list(struct ctx *c, const struct intervention_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &INTERVENTION, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->action_category >= 0)
        sql_add(&s, " AND action_category = ?", IN(enumx_name(&intervention_category_enumx, f->action_category)));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    if (!uuid_is_nil(f->user_id))
        sql_add(&s, " AND user_id = ?", IN(f->user_id));
    if (f->active)
        sql_add(&s, " AND is_active");
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &INTERVENTION, &s, f->limit, out);
}

err intervention_store_count(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM intervention_policy WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err intervention_store_candidates(struct ctx *c, const char *category, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &INTERVENTION, "SELECT {*} FROM {from} WHERE account_id = ? AND is_active = 1 AND action_category IN (?, '*') "
        "ORDER BY id LIMIT ?", IN(c->account_id), IN(category), IN((int64_t)INTERVENTION_POLICIES));
    return row_all(c, &INTERVENTION, &s, INTERVENTION_POLICIES, out);
}

err intervention_store_told(struct ctx *c, struct uuid user_id, struct instant since, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM notification WHERE account_id = ? AND user_id = ? AND created_at >= ?", IN(c->account_id),
        IN(user_id), IN(since)));
    return db_row(&q, c, &found, OUT(n));
}
