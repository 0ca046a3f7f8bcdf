/* SQL of consolidation. */
#include "consolidate_store.h"

#include "db.h"
#include "row.h"

#define LEASE_US (60 * SECOND_US)
#define LIVE " AND n.status = 'active' AND n.forgotten_at IS NULL AND n.archived_at IS NULL"
#define WAITS \
    "((e.consolidation_state = 'raw' AND (e.next_attempt_at IS NULL OR e.next_attempt_at <= ?)) OR " \
    "(e.consolidation_state = 'in_progress' AND e.claimed_until <= ?))"

static err consolidate_item_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct consolidate_item *i = row;
    const char *origin = NULL;

    TRY(db_row(q, c, found, OUT(&i->id), OUT(&i->space_id), OUT(&i->author_id), OUT(&i->author_kind), OUT(&i->body),
        OUT_OPT(&i->session_id),
               OUT(&i->role_name), OUT(&origin), OUT(&i->at), OUT(&i->trust), OUT(&i->seq), OUT(&i->attempts)));
    if (*found)
        i->origin = json_opened(c->arena, json_raw(c->arena, origin));
    return ERR_OK;
}

err consolidate_store_items(struct ctx *c, struct uuid space_id, size_t max, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT * FROM (SELECT e.id, n.space_id, n.author_id, n.author_kind, n.body, e.session_id, e.role, e.origin, "
        "e.captured_at, "
            "n.trust, 1 AS seq, e.attempts FROM episode e JOIN node n ON n.account_id = e.account_id AND n.id = e.id WHERE e.account_id = "
                "? AND "
            "e.space_id = ?" LIVE " AND " WAITS " ORDER BY e.id LIMIT ?) AS a UNION ALL SELECT * FROM (SELECT e.id, n.space_id, "
                "o.author_id, "
            "o.author_kind, n.body, o.session_id, o.role, e.origin, o.captured_at, o.trust, o.seq, 0 AS attempts FROM episode_occurrence "
                "o JOIN "
            "episode e ON e.account_id = o.account_id AND e.id = o.node_id JOIN node n ON n.account_id = e.account_id AND n.id = e.id "
                "WHERE "
            "o.account_id = ? AND o.state = 'raw' AND e.space_id = ?" LIVE " ORDER BY o.node_id, o.seq LIMIT ?) AS b LIMIT ?",
            IN(c->account_id), IN(space_id), IN(c->now), IN(c->now), IN((int64_t)max), IN(c->account_id), IN(space_id), IN((int64_t)max),
            IN((int64_t)max));
    TRY(sql_rows(c, &s, max, sizeof(struct consolidate_item), consolidate_item_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err consolidate_store_claim(struct ctx *c, const struct consolidate_item *i, bool *mine)
{
    int64_t changed = 1;

    if (i->seq == 1)
        TRY(db_exec(c, &changed, "UPDATE episode e SET e.consolidation_state = 'in_progress', e.claimed_until = ? WHERE e.account_id = ? "
            "AND "
                    "e.id = ? AND " WAITS, IN((struct instant){c->now.us + LEASE_US}), IN(c->account_id), IN(i->id), IN(c->now),
                        IN(c->now)));
    *mine = changed > 0;
    return ERR_OK;
}

err consolidate_store_lock(struct ctx *c, const struct consolidate_item *i, bool *mine)
{
    scoped_cursor q = {0};
    int64_t one;

    if (i->seq == 1)
        TRY(db_query(c, &q, "SELECT 1 FROM episode WHERE account_id = ? AND id = ? AND consolidation_state = 'in_progress' FOR UPDATE",
                     IN(c->account_id), IN(i->id)));
    else
        TRY(db_query(c, &q, "SELECT 1 FROM episode_occurrence WHERE account_id = ? AND node_id = ? AND seq = ? AND state = 'raw' FOR "
            "UPDATE",
                     IN(c->account_id), IN(i->id), IN(i->seq)));
    return db_row(&q, c, mine, OUT(&one));
}

err consolidate_store_done(struct ctx *c, const struct consolidate_item *i, const char *rule_set)
{
    if (i->seq == 1)
        TRY(db_exec(c, NULL, "UPDATE episode SET consolidation_state = 'consolidated', claimed_until = NULL, next_attempt_at = NULL, "
                    "last_error = NULL, rule_set = ? WHERE account_id = ? AND id = ?", IN(rule_set), IN(c->account_id), IN(i->id)));
    else
        TRY(db_exec(c, NULL, "UPDATE episode_occurrence SET state = 'consolidated' WHERE account_id = ? AND node_id = ? AND seq = ?",
                    IN(c->account_id), IN(i->id), IN(i->seq)));
    return db_exec(c, NULL, "INSERT INTO consolidation_cursor (account_id, space_id, last_episode_id, last_processed_at, generation, "
        "rule_set) "
                   "VALUES (?,?,?,?,1,?) ON DUPLICATE KEY UPDATE last_episode_id = VALUES(last_episode_id), last_processed_at = "
                   "VALUES(last_processed_at), generation = generation + 1, rule_set = VALUES(rule_set)", IN(c->account_id),
                       IN(i->space_id),
                   IN(i->id), IN(c->now), IN(rule_set));
}

err consolidate_store_failed(struct ctx *c, const struct consolidate_item *i, bool for_good, struct instant next, const char *why)
{
    return db_exec(c, NULL, "UPDATE episode SET consolidation_state = ?, attempts = attempts + 1, next_attempt_at = ?, claimed_until = "
        "NULL, "
                   "last_error = ? WHERE account_id = ? AND id = ?", IN(for_good ? "failed" : "raw"), IN(next), IN(why), IN(c->account_id),
                   IN(i->id));
}

err consolidate_store_spaces(struct ctx *c, size_t max, struct uuids *out)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, max + 1);
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT e.space_id FROM episode e JOIN node n ON n.account_id = e.account_id AND n.id = e.id WHERE e.account_id = "
        "?" LIVE
                 " AND " WAITS " UNION SELECT e.space_id FROM episode_occurrence o JOIN episode e ON e.account_id = o.account_id AND e.id "
                     "= "
                 "o.node_id JOIN node n ON n.account_id = e.account_id AND n.id = e.id WHERE o.account_id = ? AND o.state = 'raw'" LIVE
                 " ORDER BY 1 LIMIT ?", IN(c->account_id), IN(c->now), IN(c->now), IN(c->account_id), IN((int64_t)max)));
    *out = (struct uuids){ids, 0};
    return db_ids(c, &q, ids, max, &out->n);
}

err consolidate_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT account_id FROM episode WHERE consolidation_state IN ('raw','in_progress') AND account_id > ? UNION SELECT "
                 "account_id FROM episode_occurrence WHERE state = 'raw' AND account_id > ? ORDER BY 1 LIMIT ?", IN(above), IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

static err status_occurrences(struct ctx *c, struct uuids spaces, int64_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COUNT(*) FROM episode_occurrence o JOIN episode e ON e.account_id = o.account_id AND e.id = o.node_id WHERE "
            "o.account_id = ? AND o.state = 'raw'", IN(c->account_id));
    sql_add_in_uuids(&s, "e.space_id", spaces.v, spaces.n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(n));
}

static err status_cursor(struct ctx *c, struct uuids spaces, struct consolidation_status *o)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT CAST(COALESCE(SUM(generation), 0) AS SIGNED), MAX(last_processed_at) FROM consolidation_cursor WHERE account_id = "
        "?",
            IN(c->account_id));
    sql_add_in_uuids(&s, "space_id", spaces.v, spaces.n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(&o->generation), OUT_OPT(&o->last_processed_at));
}

err consolidate_store_status(struct ctx *c, struct uuids spaces, struct consolidation_status *o)
{
    scoped_cursor q = {0};
    struct instant oldest;
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT CAST(COALESCE(SUM(e.consolidation_state = 'raw'), 0) AS SIGNED), CAST(COALESCE(SUM(e.consolidation_state = "
            "'in_progress'), 0) AS SIGNED), CAST(COALESCE(SUM(e.consolidation_state = 'consolidated'), 0) AS SIGNED), "
            "CAST(COALESCE(SUM(e.consolidation_state = 'failed'), 0) AS SIGNED), MIN(IF(e.consolidation_state = 'raw', e.created_at, "
                "NULL)) "
            "FROM episode e JOIN node n ON n.account_id = e.account_id AND n.id = e.id WHERE e.account_id = ?" LIVE, IN(c->account_id));
    sql_add_in_uuids(&s, "e.space_id", spaces.v, spaces.n);
    TRY(sql_query(c, &q, &s));
    TRY(db_row(&q, c, &found, OUT(&o->pending), OUT(&o->in_progress), OUT(&o->consolidated), OUT(&o->failed), OUT_OPT(&oldest)));
    o->oldest_pending_age_s = oldest.us ? (double)(c->now.us - oldest.us) / (double)SECOND_US : 0;
    TRY(status_occurrences(c, spaces, &o->occurrences_pending));
    return status_cursor(c, spaces, o);
}
