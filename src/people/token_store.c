/* SQL of tokens. */
#include "token_store.h"

#include "row.h"

err token_store_insert(struct ctx *c, const struct token *t)
{
    return row_insert(c, &TOKEN, t);
}

err token_store_get(struct ctx *c, struct uuid id, bool *found, struct token *out)
{
    return row_get(c, &TOKEN, id, found, out);
}

err token_store_list(struct ctx *c, const struct token_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &TOKEN, "SELECT {*} FROM token WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (!uuid_is_nil(f->user_id))
        sql_add(&s, " AND user_id = ?", IN(f->user_id));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    if (!f->with_revoked)
        sql_add(&s, " AND revoked_at IS NULL");
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &TOKEN, &s, f->limit, out);
}

err token_store_revoke(struct ctx *c, struct uuid id, int64_t *changed)
{
    return db_exec(c, changed, "UPDATE token SET revoked_at = ? WHERE account_id = ? AND id = ? AND revoked_at IS NULL",
                   IN(c->now), IN(c->account_id), IN(id));
}
