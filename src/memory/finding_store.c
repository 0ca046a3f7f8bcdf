/* SQL of findings. */
#include "finding_store.h"

#include "db.h"

err finding_store_drop(struct ctx *c, const char *class, const struct uuid *nodes, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM memory_finding WHERE account_id = ? AND class = ?", IN(c->account_id), IN(class));
    sql_add_in_uuids(&s, "node_id", nodes, n);
    return sql_exec(c, NULL, &s);
}

err finding_store_put(struct ctx *c, const char *class, const struct finding *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO memory_finding (account_id, node_id, class, space_id, value, other_id, found_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?)", IN(c->account_id), IN(rows[i].node_id), IN(class), IN(rows[i].space_id), IN(rows[i].value),
                IN_OPT(rows[i].other_id), IN(c->now));
    }
    return sql_exec(c, NULL, &s);
}
