/* SQL of feedback. */
#include "feedback_store.h"

#include "row.h"

err feedback_store_find(struct ctx *c, const struct feedback *of, bool *found, struct feedback *out)
{
    return row_one(c, &FEEDBACK, found, out, "SELECT {*} FROM {from} WHERE f.account_id = ? AND f.user_id = ? AND "
                   "f.agent_id = ? AND f.context_key = ? FOR UPDATE", IN(c->account_id), IN(of->user_id), IN(of->agent_id),
                   IN(of->context_id ? of->context_id : ""));
}

err feedback_store_open(struct ctx *c, struct uuid agent_id, struct uuid user_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM feedback WHERE account_id = ? AND agent_id = ? AND user_id = ? AND rating IS NULL",
                 IN(c->account_id), IN(agent_id), IN(user_id)));
    return db_row(&q, c, &found, OUT(n));
}

err feedback_store_list(struct ctx *c, const struct feedback_filter *f, struct uuid user_id, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &FEEDBACK, "SELECT {*} FROM {from} WHERE f.account_id = ? AND f.id < ?", IN(c->account_id), IN(before));
    if (!uuid_is_nil(user_id))
        sql_add(&s, " AND f.user_id = ?", IN(user_id));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND f.agent_id = ?", IN(f->agent_id));
    if (f->open)
        sql_add(&s, " AND f.rating IS NULL");
    sql_add(&s, " ORDER BY f.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &FEEDBACK, &s, f->limit, out);
}
