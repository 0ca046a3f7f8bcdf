/* SQL of domains. */
#include "domain_store.h"

#include "row.h"

err domain_store_insert(struct ctx *c, struct uuid id, const char *role)
{
    return db_exec(c, NULL, "INSERT INTO memory_domain (account_id, id, created_by_role) VALUES (?, ?, ?)", IN(c->account_id), IN(id),
                   IN(role));
}

err domain_store_get(struct ctx *c, struct uuid id, bool *found, struct domain *out)
{
    return row_one(c, &DOMAIN, found, out, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id = ?", IN(c->account_id), IN(id));
}

err domain_store_list(struct ctx *c, struct uuids spaces, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &DOMAIN, "SELECT {*} FROM {from} WHERE d.account_id = ? AND d.id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "d.id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY d.id DESC LIMIT ?", IN(limit + 1));
    return row_page(c, &DOMAIN, &s, limit, out);
}

err domain_store_is_empty(struct ctx *c, struct uuid id, bool *yes)
{
    scoped_cursor q = {0};
    bool found;
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM node WHERE account_id = ? AND space_id = ? AND kind <> 'entity' AND status <> 'version' AND "
                        "forgotten_at IS NULL LIMIT 1", IN(c->account_id), IN(id)));
    TRY(db_row(&q, c, &found, OUT(&one)));
    *yes = !found;
    return ERR_OK;
}
