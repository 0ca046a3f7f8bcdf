/* SQL of the timeline. */
#include "timeline_store.h"

#include "access.h"
#include "clock.h"
#include "db.h"

#define DERIVED \
    "(n.author_kind = 'system' OR EXISTS (SELECT 1 FROM edge e WHERE e.account_id = n.account_id AND e.source_id = n.id " \
    "AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL))"

/* Ids follow time, so that only the rows of these days are looked at. */
err timeline_store_days(struct ctx *c, struct instant first, int n, struct timeline_day *out)
{
    scoped_cursor q = {0};
    int64_t day, all, derived;
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DATEDIFF(n.created_at, ?), COUNT(*), CAST(SUM(" DERIVED ") AS SIGNED) FROM node n WHERE n.account_id = ? "
                "AND n.id >= ? AND n.id < ?",
            IN(first), IN(c->account_id), IN(uuid_floor(first.us)), IN(uuid_floor(first.us + n * DAY_US)));
    sql_add_in_uuids(&s, "n.space_id", c->access->readable, c->access->n);
    sql_add(&s, " AND n.status NOT IN ('version', 'forgotten') AND (n.expires_at IS NULL OR n.expires_at > ?) GROUP BY 1", IN(c->now));
    TRY(sql_query(c, &q, &s));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&day), OUT(&all), OUT(&derived)));
        if (!found)
            return ERR_OK;
        if (day >= 0 && day < n)
            out[day] = (struct timeline_day){all - derived, derived};
    }
}

err timeline_store_derived(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *those, size_t *k)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id FROM node n WHERE n.account_id = ? AND " DERIVED, IN(c->account_id));
    sql_add_in_uuids(&s, "n.id", ids, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, those, n, k);
}
