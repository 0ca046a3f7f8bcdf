/* SQL of spaces by their owners; see governed_store.h. */
#include "governed_store.h"

#include "access.h"

err governed_store_owner(struct ctx *c, struct uuid space_id, struct uuid *owner)
{
    scoped_cursor q = {0};
    bool found;

    *owner = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT owner_agent_id FROM space WHERE account_id = ? AND id = ? AND owner_agent_id IS NOT NULL AND deleted_at IS NULL",
                 IN(c->account_id), IN(space_id)));
    return db_row(&q, c, &found, OUT(owner));
}

err governed_store_owners(struct ctx *c, const struct uuid *spaces, size_t n, struct uuid *owners, size_t *n_owners)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT owner_agent_id FROM space WHERE account_id = ? AND owner_agent_id IS NOT NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "id", spaces, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, owners, n, n_owners);
}

void governed_store_add(const struct ctx *c, struct sql *s)
{
    if (!permissions_have(c->who->perms, PERM_MEMORY_MANAGE)) {
        sql_add(s, " AND p.owner_agent_id = ?", IN(c->who->id));
        return;
    }
    sql_add(s, " AND (p.owner_agent_id IS NOT NULL");
    if (c->access->n)
        sql_add_in_uuids_(s, " OR p.id IN (", c->access->readable, c->access->n);
    sql_add(s, ")");
}
