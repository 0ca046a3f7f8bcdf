/* SQL of entries by key alone: one look at an index for each context that counts. */
#include "long_term_store.h"

#include <string.h>

#include "access.h"
#include "db.h"

err long_term_store_own(struct ctx *c, struct uuid agent_id, const char *const own[LONG_TERM_OWN], struct uuid ids[LONG_TERM_OWN],
                        size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM space WHERE account_id = ? AND kind = 'context' AND slug IN (?, ?, ?) AND owner_agent_id = ? "
                 "AND deleted_at IS NULL", IN(c->account_id), IN(own[0]), IN(own[1]), IN(own[2]), IN(agent_id)));
    return db_ids(c, &q, ids, LONG_TERM_OWN, n);
}

err long_term_store_find(struct ctx *c, struct uuid agent_id, const char *const own[LONG_TERM_OWN], const char *key, const char *session_key, bool merged,
                         bool *found, struct long_term_place *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, c->access->n + LONG_TERM_OWN);
    scoped_cursor q = {0};
    struct sql s;
    size_t n;

    TRY(long_term_store_own(c, agent_id, own, ids, &n));
    if (c->access->n)
        memcpy(ids + n, c->access->readable, c->access->n * sizeof *ids);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.node_id, e.space_id, s.slug FROM entry e JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id"
                " JOIN space s ON s.account_id = e.account_id AND s.id = e.space_id"
                " WHERE e.account_id = ? AND e.entry_key IN (?, ?) AND e.memory_type <> 'working'"
                " AND (n.expires_at IS NULL OR n.expires_at > ?) AND n.forgotten_at IS NULL"
                " AND s.status = 'active' AND s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)",
            IN(c->account_id), IN(key), IN(session_key), IN(c->now), IN(c->now));
    if (merged)
        sql_add(&s, " AND e.live IS NULL AND n.archived_at IS NOT NULL AND EXISTS (SELECT 1 FROM node_merge m WHERE"
                    " m.account_id = e.account_id AND m.loser_id = e.node_id AND m.undone_at IS NULL)");
    else
        sql_add(&s, " AND e.live = 1 AND n.archived_at IS NULL");
    sql_add_in_uuids(&s, "e.space_id", ids, n + c->access->n);
    sql_add(&s, " ORDER BY FIELD(s.slug, ?, ?, ?) DESC, e.entry_key = ? DESC, n.updated_at DESC LIMIT 1", IN(own[2]), IN(own[1]),
            IN(own[0]), IN(session_key));
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, found, OUT(&out->node_id), OUT(&out->space_id), OUT(&out->slug));
}
