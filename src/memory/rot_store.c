/* SQL of rot. */
#include "rot_store.h"

#include "db.h"

err rot_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM entry WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* Content changed last when the state before it was kept; of an entry that never changed, when it was made. */
#define SCAN \
    "SELECT STRAIGHT_JOIN e.node_id, e.space_id, n.importance, n.decay_rate, n.decayed_at, COALESCE(n.last_access_at, n.created_at), " \
    "COALESCE(p.updated_at, n.created_at), x.retention_policy FROM entry e JOIN node n ON n.account_id = e.account_id " \
    "AND n.id = e.node_id JOIN context x ON x.account_id = e.account_id AND x.space_id = e.space_id " \
    "JOIN space s ON s.account_id = e.account_id AND s.id = e.space_id " \
    "LEFT JOIN node p ON p.account_id = n.account_id AND p.id = n.previous_id " \
    "WHERE e.account_id = ? AND e.node_id > ? AND e.live = 1 AND n.is_pinned = 0 AND n.archived_at IS NULL " \
    "AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?) AND s.status = 'active' AND s.deleted_at IS NULL " \
    "ORDER BY e.node_id LIMIT ?"

err rot_store_scan(struct ctx *c, struct uuid after, size_t max, struct rot_row *rows, const char **policies, size_t *n)
{
    scoped_cursor q = {0};
    bool found;
    size_t k = 0;

    TRY(db_query(c, &q, SCAN, IN(c->account_id), IN(after), IN(c->now), IN((int64_t)max)));
    for (; k < max; k++) {
        struct rot_row *r = &rows[k];

        *r = (struct rot_row){0};
        TRY(db_row(&q, c, &found, OUT(&r->id), OUT(&r->space_id), OUT(&r->facts.life.score), OUT(&r->facts.life.decay_rate),
                   OUT(&r->facts.life.decayed_at), OUT(&r->facts.used_at), OUT(&r->facts.content_at), OUT(&policies[k])));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

#define IN_SNAPSHOT \
    "EXISTS (SELECT 1 FROM snapshot_item i JOIN snapshot t ON t.account_id = i.account_id AND t.id = i.snapshot_id " \
    "WHERE i.account_id = n.account_id AND i.node_id = n.id AND t.created_at > ?)"
#define IS_SOURCE \
    "EXISTS (SELECT 1 FROM edge g JOIN node m ON m.account_id = g.account_id AND m.id = g.source_id " \
    "WHERE g.account_id = n.account_id AND g.target_id = n.id AND g.relation = 'DERIVED_FROM' AND g.retired_at IS NULL " \
    "AND g.status = 'active' AND m.archived_at IS NULL AND m.forgotten_at IS NULL AND m.status <> 'version' " \
    "AND (m.expires_at IS NULL OR m.expires_at > ?))"

err rot_store_spared(struct ctx *c, struct instant since, const struct uuid *ids, size_t n, struct uuid *spared, size_t *n_spared)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id FROM node n WHERE n.account_id = ? AND (" IN_SNAPSHOT " OR " IS_SOURCE ")", IN(c->account_id), IN(since),
            IN(c->now));
    sql_add_in_uuids(&s, "n.id", ids, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, spared, n, n_spared);
}
