/* SQL of the timeline. */
#include "timeline_store.h"

#include <string.h>

#include "access.h"
#include "clock.h"
#include "db.h"

#define KINDS_MAX 64 /* there are fewer kinds of nodes */

#define DERIVED \
    "(n.author_kind = 'system' OR EXISTS (SELECT 1 FROM edge e WHERE e.account_id = n.account_id AND e.source_id = n.id " \
    "AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL))"

/* Ids follow time, so that only the rows of these days are looked at. */
static void timeline_store_add_days(struct ctx *c, struct sql *s, struct instant first, int n)
{
    sql_add(s, "DATEDIFF(n.created_at, ?), COUNT(*), CAST(SUM(" DERIVED ") AS SIGNED) FROM node n WHERE n.account_id = ? "
               "AND n.id >= ? AND n.id < ?",
            IN(first), IN(c->account_id), IN(uuid_floor(first.us)), IN(uuid_floor(first.us + n * DAY_US)));
    sql_add_in_uuids(s, "n.space_id", c->access->readable, c->access->n);
    sql_add(s, " AND n.status NOT IN ('version', 'forgotten') AND (n.expires_at IS NULL OR n.expires_at > ?)", IN(c->now));
}

static struct timeline_kind *timeline_store_kind_of(struct ctx *c, struct list *kinds, const char *kind, int n)
{
    struct timeline_kind *k = kinds->v;

    for (size_t i = 0; i < kinds->n; i++)
        if (str_eq(k[i].kind, kind))
            return &k[i];
    if (kinds->n == KINDS_MAX)
        return NULL;
    k[kinds->n] = (struct timeline_kind){kind, ARENA_ARRAY(c->arena, struct timeline_day, (size_t)n)};
    memset(k[kinds->n].days, 0, (size_t)n * sizeof *k->days);
    return &k[kinds->n++];
}

err timeline_store_kinds(struct ctx *c, struct instant first, int n, struct list *kinds)
{
    scoped_cursor q = {0};
    int64_t day, all, derived;
    const char *kind;
    struct sql s;
    bool found;

    *kinds = (struct list){ARENA_ARRAY(c->arena, struct timeline_kind, KINDS_MAX), 0};
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.kind, ");
    timeline_store_add_days(c, &s, first, n);
    sql_add(&s, " GROUP BY 1, 2 ORDER BY 1, 2");
    TRY(sql_query(c, &q, &s));
    for (;;) {
        struct timeline_kind *k;

        TRY(db_row(&q, c, &found, OUT(&kind), OUT(&day), OUT(&all), OUT(&derived)));
        if (!found)
            return ERR_OK;
        k = timeline_store_kind_of(c, kinds, kind, n);
        if (k && day >= 0 && day < n)
            k->days[day] = (struct timeline_day){all - derived, derived};
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
