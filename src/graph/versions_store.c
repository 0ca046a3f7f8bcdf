/* Finding old states of nodes; see versions_store.h. */
#include "versions_store.h"

#include "db.h"

/* One entry of the index node_changed is looked at for each account. */
err versions_store_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT a.id FROM account a LEFT JOIN job_state s ON s.account_id = a.id AND s.job_name = ? WHERE a.id > ? "
                 "AND a.status = 'active' AND (s.position IS NOT NULL OR (SELECT MAX(n.updated_at) FROM node n "
                 "WHERE n.account_id = a.id) > COALESCE(s.watermark, '1970-01-02')) ORDER BY a.id LIMIT ?",
                 IN(job), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* A state carries the version that its node had then: the index tells which nodes have had many. */
err versions_store_grown(struct ctx *c, struct instant since, int64_t kept, struct uuid above, struct uuid *ids, size_t max,
                         size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT DISTINCT superseded_by FROM node FORCE INDEX (node_changed) WHERE account_id = ? AND updated_at > ? "
                 "AND version > ? AND status = 'version' AND superseded_by > ? ORDER BY superseded_by LIMIT ?",
                 IN(c->account_id), IN(since), IN(kept), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err versions_store_lock(struct ctx *c, struct uuid id, struct uuid *space_id, bool *found)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT space_id FROM node WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    return db_row(&q, c, found, OUT(space_id));
}

err versions_store_chain(struct ctx *c, struct uuid id, int64_t kept, struct old_state *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "WITH RECURSIVE chain (id, older, until, depth) AS ("
                 "SELECT id, previous_id, updated_at, 0 FROM node WHERE account_id = ? AND id = ? "
                 "UNION ALL SELECT v.id, v.previous_id, v.updated_at, chain.depth + 1 FROM chain JOIN node v "
                 "ON v.account_id = ? AND v.id = chain.older WHERE chain.depth < ?) "
                 "SELECT id, until FROM chain WHERE depth >= ? ORDER BY depth",
                 IN(c->account_id), IN(id), IN(c->account_id), IN(kept + (int64_t)max - 1), IN(kept)));
    for (bool found; k < max; k++) {
        TRY(db_row(&q, c, &found, OUT(&rows[k].id), OUT(&rows[k].until)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}
