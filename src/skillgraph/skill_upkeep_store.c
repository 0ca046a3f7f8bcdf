/* SQL of the upkeep of skills. */
#include "skill_upkeep_store.h"

#include "db.h"

#define MISSED_MAX 100

static err skill_upkeep_store_read_due(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT(&((struct skill_due *)row)->id));
}

err skill_upkeep_store_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.id FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id WHERE k.account_id = ? AND k.id > ? "
        "AND n.status = 'active' AND n.forgotten_at IS NULL ORDER BY k.id LIMIT ?", IN(c->account_id), IN(behind), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct skill_due), skill_upkeep_store_read_due, &out->v, &out->n);
}

/* The same formula as that of an outcome (skill_usage_store.c). */
#define SCORE \
    "ROUND(.3 * (SELECT n.confidence FROM node n WHERE n.account_id = k.account_id AND n.id = k.id) " \
    "+ .5 * (success_count + .5 * partial_count + 1) / (success_count + failure_count + partial_count + 2) " \
    "+ .2 * COALESCE((SELECT AVG(l.positive_outcome_count / l.injection_count) FROM edge e JOIN learning l " \
    "ON l.account_id = e.account_id AND l.id = e.source_id WHERE e.account_id = k.account_id AND e.target_id = k.id " \
    "AND e.retired_at IS NULL AND l.injection_count >= 3), .5), 4)"

err skill_upkeep_store_score(struct ctx *c, const struct uuid *ids, size_t n, int64_t *changed)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE skill k SET last_optimized_at = ?, effectiveness = " SCORE " WHERE k.account_id = ? AND success_count + "
        "failure_count "
        "+ partial_count > 0 AND effectiveness <> " SCORE, IN(c->now), IN(c->account_id));
    sql_add_in_uuids(&s, "k.id", ids, n);
    return sql_exec(c, changed, &s);
}

err skill_upkeep_store_stale(struct ctx *c, const struct uuid *ids, size_t n, struct instant since, int64_t *stale)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COUNT(*) FROM skill WHERE account_id = ? AND GREATEST(COALESCE(last_used_at, created_at), created_at) < ?",
        IN(c->account_id), IN(since));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(stale));
}

static err skill_upkeep_store_read_missed(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_missed *m = row;

    return db_row(q, c, found, OUT(&m->task), OUT(&m->misses));
}

err skill_upkeep_store_missed(struct ctx *c, struct instant since, int64_t least, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT task, misses FROM skill_miss WHERE account_id = ? AND last_at >= ? AND misses >= ? ORDER BY misses DESC, task_hash "
        "LIMIT ?", IN(c->account_id), IN(since), IN(least), IN((int64_t)MISSED_MAX));
    return sql_rows(c, &s, MISSED_MAX, sizeof(struct skill_missed), skill_upkeep_store_read_missed, &out->v, &out->n);
}

err skill_upkeep_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM skill_miss WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
        IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
