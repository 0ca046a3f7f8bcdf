/* SQL of decay. */
#include "decay_store.h"

#include "db.h"

err decay_store_learners(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM learning WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err decay_store_keepers(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT account_id FROM (SELECT DISTINCT account_id FROM entry WHERE account_id > ? "
                 "UNION SELECT DISTINCT account_id FROM pool_entry WHERE account_id > ?) either ORDER BY account_id LIMIT ?",
                 IN(above), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

#define COLUMNS \
    "SELECT STRAIGHT_JOIN n.id, n.kind, n.importance, n.decay_rate, n.decayed_at, n.created_at, COALESCE(n.last_access_at, n.created_at) "
#define NODE(table, column) " JOIN node n ON n.account_id = " table ".account_id AND n.id = " table "." column
#define FADES \
    " AND n.decay_rate > 0 AND n.is_pinned = 0 AND n.decayed_at <= ? AND n.archived_at IS NULL AND n.forgotten_at IS NULL " \
    "AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define SCAN(sql) \
    db_query(c, q, COLUMNS sql, IN(c->account_id), IN(after), IN(before), IN(c->now), IN((int64_t)max))

static err query(struct ctx *c, struct db_cursor *q, enum decay_from from, struct uuid after, struct instant before, size_t max)
{
    switch (from) {
    case DECAY_LEARNINGS:
        return SCAN("FROM learning l" NODE("l", "id") " WHERE l.account_id = ? AND l.id > ?" FADES
                    " AND n.status IN ('active','verified') ORDER BY l.id LIMIT ?");
    case DECAY_ENTRIES:
        return SCAN("FROM entry e" NODE("e", "node_id") " WHERE e.account_id = ? AND e.node_id > ?" FADES
                    " AND e.live = 1 ORDER BY e.node_id LIMIT ?");
    case DECAY_POOL_KEYS:
        break;
    }
    return SCAN("FROM pool_entry e" NODE("e", "node_id") " WHERE e.account_id = ? AND e.node_id > ?" FADES
                " AND e.deleted_at IS NULL ORDER BY e.node_id LIMIT ?");
}

err decay_store_scan(struct ctx *c, enum decay_from from, struct uuid after, struct instant before, size_t max, struct decay_row *rows,
                     struct decay_facts *facts, size_t *n)
{
    scoped_cursor q = {0};
    bool found;
    size_t k = 0;

    TRY(query(c, &q, from, after, before, max));
    for (; k < max; k++) {
        struct decay_row *r = &rows[k];
        struct decay_facts *f = &facts[k];

        *r = (struct decay_row){0};
        *f = (struct decay_facts){0};
        TRY(db_row(&q, c, &found, OUT(&r->id), OUT(&r->kind), OUT(&f->life.score), OUT(&f->life.decay_rate), OUT(&f->life.decayed_at),
                   OUT(&f->created_at), OUT(&f->used_at)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}
