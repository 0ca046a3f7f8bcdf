/* SQL of what lies around a node; see around_store.h. */
#include "around_store.h"

#include "access.h"
#include "db.h"

#define LIVE " AND e.retired_at IS NULL AND e.status = 'active'"

/* Each direction is a statement of its own: it is found through the index of its end. */
static void around_store_begin(struct ctx *c, struct sql *s, const struct uuid *ids, size_t n, bool outward)
{
    sql_init(s, c->arena);
    if (outward)
        sql_add(s, "SELECT e.source_id, e.target_id, far.kind, far.title FROM edge e JOIN node far ON far.account_id = e.account_id "
                   "AND far.id = e.target_id WHERE e.account_id = ?", IN(c->account_id));
    else
        sql_add(s, "SELECT e.target_id, e.source_id, far.kind, far.title FROM edge e JOIN node far ON far.account_id = e.account_id "
                   "AND far.id = e.source_id WHERE e.account_id = ?", IN(c->account_id));
    if (outward)
        sql_add_in_uuids(s, "e.source_id", ids, n);
    else
        sql_add_in_uuids(s, "e.target_id", ids, n);
}

err around_store_steps(struct ctx *c, const struct uuid *ids, size_t n, bool outward, const char *relation, const char *kind, int64_t max,
                       struct around_step **rows, size_t *k)
{
    struct around_step *out = ARENA_ARRAY(c->arena, struct around_step, (size_t)max + 1);
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    around_store_begin(c, &s, ids, n, outward);
    sql_add(&s, LIVE);
    if (relation)
        sql_add(&s, " AND e.relation = ?", IN(relation));
    if (kind)
        sql_add(&s, " AND far.kind = ?", IN(kind));
    sql_add(&s, " AND far.forgotten_at IS NULL AND far.status NOT IN ('forgotten', 'version') AND (far.expires_at IS NULL OR far.expires_at > ?)",
            IN(c->now));
    sql_add_in_uuids(&s, "far.space_id", c->access->readable, c->access->n);
    sql_add(&s, " ORDER BY e.weight DESC, e.id LIMIT ?", IN(max));
    TRY(sql_query(c, &q, &s));
    for (*k = 0;; ++*k) {
        struct around_step r = {0};

        TRY(db_row(&q, c, &found, OUT(&r.near), OUT(&r.far), OUT(&r.kind), OUT(&r.title)));
        if (!found)
            break;
        out[*k] = r;
    }
    *rows = out;
    return ERR_OK;
}

err around_store_among(struct ctx *c, const struct uuid *ids, size_t n, const char *relation, int64_t max, struct around_edge **rows,
                       size_t *k)
{
    struct around_edge *out = ARENA_ARRAY(c->arena, struct around_edge, (size_t)max + 1);
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, e.target_id, e.relation, e.weight, e.bidirectional FROM edge e WHERE e.account_id = ?",
            IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", ids, n);
    sql_add_in_uuids(&s, "e.target_id", ids, n);
    sql_add(&s, LIVE);
    if (relation)
        sql_add(&s, " AND e.relation = ?", IN(relation));
    sql_add(&s, " ORDER BY e.weight DESC, e.id LIMIT ?", IN(max));
    TRY(sql_query(c, &q, &s));
    for (*k = 0;; ++*k) {
        struct around_edge r = {0};

        TRY(db_row(&q, c, &found, OUT(&r.source), OUT(&r.target), OUT(&r.relation), OUT(&r.weight), OUT(&r.bidirectional)));
        if (!found)
            break;
        out[*k] = r;
    }
    *rows = out;
    return ERR_OK;
}
