/* SQL of weights that learn. */
#include "plastic_store.h"

#include "access.h"
#include "row.h"

#define HELD_MAX 500

err plastic_store_edge(struct ctx *c, struct uuid source, struct uuid target, const char *relation, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT id FROM edge WHERE account_id = ? AND source_id = ? AND target_id = ? AND relation = ? AND live = 1",
        IN(c->account_id), IN(source), IN(target), IN(relation)));
    TRY(db_row(&q, c, &found, OUT(id)));
    return found ? ERR_OK : fail(c, ERR_INTERNAL, "an edge was put, and is not there");
}

err plastic_store_lock(struct ctx *c, struct uuid subject, struct uuid tag, bool *found, struct plastic_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT p.edge_id, p.weight, p.decay_rate, p.weighted_at, p.decays_at, p.hits, "
        "IF(p.hits_on = DATE(?), p.hits_day, 0) FROM edge e JOIN edge_plastic p ON p.account_id = e.account_id AND p.edge_id = e.id "
        "WHERE e.account_id = ? AND e.source_id = ? AND e.target_id = ? AND e.relation = 'activates' AND e.live = 1 FOR UPDATE",
        IN(c->now), IN(c->account_id), IN(subject), IN(tag)));
    return db_row(&q, c, found, OUT(&out->edge_id), OUT(&out->weight), OUT(&out->decay_rate), OUT(&out->weighted_at),
        OUT(&out->decays_at), OUT(&out->hits), OUT(&out->hits_day));
}

/* Edges get the weights that were computed at this moment. */
static err plastic_store_show(struct ctx *c)
{
    return db_exec(c, NULL, "UPDATE edge e JOIN edge_plastic p ON p.account_id = e.account_id AND p.edge_id = e.id SET "
        "e.weight = p.weight, e.status = IF(p.state = 'active', 'active', 'archived'), e.updated_at = ?, e.version = e.version + 1 "
        "WHERE p.account_id = ? AND p.weighted_at = ? AND e.retired_at IS NULL AND (e.weight <> p.weight OR (e.status = 'active') <> "
        "(p.state = 'active'))", IN(c->now), IN(c->account_id), IN(c->now));
}

err plastic_store_write(struct ctx *c, const char *relation, const struct plastic_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO edge_plastic (account_id, edge_id, relation, weight, decay_rate, weighted_at, hits, last_hit_at, hits_on, "
        "hits_day, decays_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?, ?, ?, ?, DATE(?), ?, ?)", IN(c->account_id), IN(rows[i].edge_id), IN(relation), IN(rows[i].weight),
            IN(rows[i].decay_rate), IN(c->now), IN(rows[i].hits), IN(c->now), IN(c->now), IN(rows[i].hits_day), IN(rows[i].decays_at));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE weight = VALUES(weight), weighted_at = VALUES(weighted_at), hits = VALUES(hits), "
        "last_hit_at = VALUES(last_hit_at), hits_on = VALUES(hits_on), hits_day = VALUES(hits_day), decays_at = VALUES(decays_at), "
        "state = 'active'");
    TRY(sql_exec(c, NULL, &s));
    return plastic_store_show(c);
}

/* MariaDB assigns from left to right: the weight is computed of the old moment, then the moment moves. */
#define P "edge_plastic."
#define NOW_WEIGHT P "weight * POW(1 - " P "decay_rate, GREATEST(TIMESTAMPDIFF(MICROSECOND, " P "weighted_at, ?), 0) / 86400e6)"
#define FALLS_AT(floor) \
    "TIMESTAMPADD(SECOND, GREATEST(LN(" P "weight / " floor ") / -LN(1 - " P "decay_rate), 0) * 86400, " P "weighted_at)"
#define TODAY "IF(" P "hits_on = VALUES(hits_on), " P "hits_day, 0)" /* of a pair */
#define TIMES "LEAST(VALUES(hits_day), 20 - LEAST(" TODAY ", 20))"   /* that still count today */

/* A new row begins at nothing. How often the pair was seen stands in hits_day of what is inserted. */
err plastic_store_together(struct ctx *c, const struct plastic_pair *pairs, size_t n, double share)
{
    struct sql s;

    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO edge_plastic (account_id, edge_id, relation, weight, decay_rate, weighted_at, last_hit_at, hits_on, "
        "decays_at) SELECT account_id, id, 'CO_OCCURS', 0, ?, ?, ?, '2000-01-01', ? FROM edge WHERE account_id = ? AND live = 1 AND "
        "relation = 'CO_OCCURS' AND (source_id, target_id) IN (", IN(TOGETHER_DECAY), IN(c->now), IN(c->now), IN(c->now),
        IN(c->account_id));
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?)", IN(pairs[i].a), IN(pairs[i].b));
    }
    sql_add(&s, ")");
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO edge_plastic (account_id, edge_id, relation, weight, decay_rate, weighted_at, hits, last_hit_at, hits_on, "
        "hits_day, decays_at) SELECT e.account_id, e.id, 'CO_OCCURS', 0, ?, ?, 0, ?, DATE(?), v.times, ? FROM (", IN(TOGETHER_DECAY),
        IN(c->now), IN(c->now), IN(c->now), IN(c->now));
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) a, CAST(? AS UUID) b, ? times", IN(pairs[i].a), IN(pairs[i].b), IN(pairs[i].times));
    }
    sql_add(&s, ") v JOIN edge e ON e.account_id = ? AND e.source_id = v.a AND e.target_id = v.b AND e.relation = 'CO_OCCURS' AND "
        "e.live = 1 ON DUPLICATE KEY UPDATE " P "weight = LEAST(1, 1 - (1 - " NOW_WEIGHT ") * POW(1 - ?, " TIMES ")), "
        P "hits = " P "hits + " TIMES ", " P "hits_day = " TODAY " + " TIMES ", " P "hits_on = VALUES(hits_on), "
        P "last_hit_at = VALUES(last_hit_at), " P "weighted_at = VALUES(weighted_at), " P "state = 'active', " P "decays_at = "
        FALLS_AT("0.01"), IN(c->account_id), IN(c->now), IN(share));
    TRY(sql_exec(c, NULL, &s));
    return plastic_store_show(c);
}

/* ---- nights */

err plastic_store_boost(struct ctx *c, int64_t limit, int64_t *n)
{
    struct instant since = {c->now.us - DAY_US};

    TRY(db_exec(c, n, "UPDATE edge_plastic SET weight = LEAST(1, 1 - (1 - " NOW_WEIGHT ") * (1 - ?)), boosted_on = DATE(?), "
        "weighted_at = ?, decays_at = " FALLS_AT("0.1") " WHERE account_id = ? AND relation = 'activates' AND state = 'active' AND "
        "last_hit_at > ? AND boosted_on < DATE(?) ORDER BY edge_id LIMIT ?", IN(c->now), IN(PLASTIC_NIGHT), IN(c->now), IN(c->now),
        IN(c->account_id), IN(since), IN(c->now), IN(limit)));
    return *n ? plastic_store_show(c) : ERR_OK;
}

err plastic_store_decay(struct ctx *c, int64_t limit, int64_t *n)
{
    TRY(db_exec(c, n, "UPDATE edge_plastic SET weight = " NOW_WEIGHT ", weighted_at = ?, state = 'decayed' WHERE account_id = ? AND "
        "relation = 'activates' AND state = 'active' AND decays_at <= ? ORDER BY edge_id LIMIT ?", IN(c->now), IN(c->now),
        IN(c->account_id), IN(c->now), IN(limit)));
    return *n ? plastic_store_show(c) : ERR_OK;
}

err plastic_store_part(struct ctx *c, int64_t limit, int64_t *n)
{
    TRY(db_exec(c, n, "UPDATE edge_plastic SET weight = " NOW_WEIGHT ", weighted_at = ?, state = 'decayed' WHERE account_id = ? AND "
        "relation = 'CO_OCCURS' AND state = 'active' AND decays_at <= ? ORDER BY edge_id LIMIT ?", IN(c->now), IN(c->now),
        IN(c->account_id), IN(c->now), IN(limit)));
    if (!*n)
        return ERR_OK;
    return db_exec(c, NULL, "UPDATE edge e JOIN edge_plastic p ON p.account_id = e.account_id AND p.edge_id = e.id SET "
        "e.retired_at = ?, e.updated_at = ?, e.version = e.version + 1 WHERE p.account_id = ? AND p.relation = 'CO_OCCURS' AND "
        "p.state = 'decayed' AND e.retired_at IS NULL", IN(c->now), IN(c->now), IN(c->account_id));
}

/* ---- merging, reading */

err plastic_store_copy(struct ctx *c, struct uuid from, struct uuid to)
{
    return db_exec(c, NULL, "INSERT IGNORE INTO edge_plastic (account_id, edge_id, relation, weight, decay_rate, weighted_at, hits, "
        "last_hit_at, hits_on, hits_day, boosted_on, decays_at, state) SELECT p.account_id, e.id, p.relation, p.weight, p.decay_rate, "
        "p.weighted_at, p.hits, p.last_hit_at, p.hits_on, p.hits_day, p.boosted_on, p.decays_at, p.state FROM edge_plastic p JOIN edge o "
        "ON o.account_id = p.account_id AND o.id = p.edge_id JOIN edge e ON e.account_id = o.account_id AND e.source_id = o.source_id AND "
        "e.relation = o.relation AND e.target_id = ? AND e.live = 1 WHERE p.account_id = ? AND o.target_id = ? AND o.live = 1 AND "
        "o.relation = 'activates'", IN(to), IN(c->account_id), IN(from));
}

static err plastic_store_read_end(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct edge *e = row;

    return db_row(q, c, found, OUT(&e->source_id), OUT(&e->relation), OUT(&e->weight), OUT(&e->confidence));
}

err plastic_store_ends(struct ctx *c, struct uuid tag, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT source_id, relation, weight, confidence FROM edge WHERE account_id = ? AND target_id = ? AND live = 1 AND relation "
        "IN ('HAS_TAG', 'activates', 'HAS_CATEGORY', 'in_category', 'USES_TAG') ORDER BY id LIMIT ?", IN(c->account_id), IN(tag),
        IN((int64_t)PLASTIC_ENDS));
    return sql_rows(c, &s, PLASTIC_ENDS, sizeof(struct edge), plastic_store_read_end, &out->v, &out->n);
}

static err plastic_store_read_held(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct plastic_held *h = row;

    return db_row(q, c, found, OUT(&h->tag_id), OUT(&h->slug), OUT(&h->display), OUT(&h->state), OUT(&h->tag_type), OUT(&h->tier),
        OUT(&h->weight), OUT(&h->hits), OUT(&h->last_hit_at));
}

err plastic_store_of_subject(struct ctx *c, struct uuid subject, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT t.id, t.slug, n.title, p.state, t.tag_type, t.tier, p.weight * POW(1 - p.decay_rate, "
        "GREATEST(TIMESTAMPDIFF(MICROSECOND, p.weighted_at, ?), 0) / 86400e6) w, p.hits, p.last_hit_at FROM edge e JOIN edge_plastic p "
        "ON p.account_id = e.account_id AND p.edge_id = e.id JOIN tag t ON t.account_id = e.account_id AND t.id = e.target_id JOIN node n "
        "ON n.account_id = t.account_id AND n.id = t.id WHERE e.account_id = ? AND e.source_id = ? AND e.relation = 'activates' AND "
        "e.live = 1", IN(c->now), IN(c->account_id), IN(subject));
    sql_add_in_uuids(&s, "t.space_id", c->access->readable, c->access->n);
    sql_add(&s, " ORDER BY w DESC, t.slug LIMIT ?", IN(limit < HELD_MAX ? limit : HELD_MAX));
    return sql_rows(c, &s, HELD_MAX, sizeof(struct plastic_held), plastic_store_read_held, &out->v, &out->n);
}
