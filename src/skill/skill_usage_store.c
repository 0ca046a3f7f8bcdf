/* SQL of uses of skills. */
#include "skill_usage_store.h"

#include "row.h"

#define USAGE "SELECT {*} FROM {from} WHERE account_id = ?"

err skill_usage_store_insert(struct ctx *c, const struct skill_usage *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO skill_usage (account_id, id, skill_id, version_id, test_id, agent_id, session_id, execution_id, outcome, "
        "served_at, outcome_at, duration_ms, context_summary) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct skill_usage *u = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULLIF(?, -1), ?)", IN(c->account_id), IN(u->id), IN(u->skill_id), IN(u->version_id),
            IN_OPT(u->test_id), IN_OPT(u->agent_id), IN_OPT(u->session_id), IN_OPT(u->execution_id), IN_OPT(u->outcome), IN(u->served_at),
            IN_OPT(u->outcome_at), IN(u->duration_ms == FIELD_NONE ? (int64_t)-1 : u->duration_ms), IN_OPT(u->context_summary));
    }
    return sql_exec(c, NULL, &s);
}

static err skill_usage_store_count_in(struct ctx *c, const struct uuid *ids, size_t n, bool of_skills)
{
    struct sql s;

    sql_init(&s, c->arena);
    if (of_skills)
        sql_add(&s, "UPDATE skill SET usage_count = usage_count + 1, last_used_at = ? WHERE account_id = ?", IN(c->now), IN(c->account_id));
    else
        sql_add(&s, "UPDATE skill_version SET usage_count = usage_count + 1 WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

err skill_usage_store_count(struct ctx *c, const struct skill_usage *rows, size_t n)
{
    struct uuid *skills = ARENA_ARRAY(c->arena, struct uuid, n + 1), *versions = ARENA_ARRAY(c->arena, struct uuid, n + 1);

    for (size_t i = 0; i < n; i++) {
        skills[i] = rows[i].skill_id;
        versions[i] = rows[i].version_id;
    }
    TRY(skill_usage_store_count_in(c, skills, n, true));
    return skill_usage_store_count_in(c, versions, n, false);
}

err skill_usage_store_get(struct ctx *c, struct uuid id, bool lock, bool *found, struct skill_usage *out)
{
    if (!lock)
        return row_one(c, &SKILL_USAGE, found, out, USAGE " AND id = ?", IN(c->account_id), IN(id));
    return row_one(c, &SKILL_USAGE, found, out, USAGE " AND id = ? FOR UPDATE", IN(c->account_id), IN(id));
}

err skill_usage_store_by_execution(struct ctx *c, struct uuid skill_id, const char *execution_id, bool *found, struct skill_usage *out)
{
    return row_one(c, &SKILL_USAGE, found, out, USAGE " AND skill_id = ? AND execution_id = ? FOR UPDATE", IN(c->account_id),
        IN(skill_id), IN(execution_id));
}

err skill_usage_store_last(struct ctx *c, struct uuid skill_id, const char *session_id, struct uuid agent_id, struct instant since,
        bool *found,
                           struct skill_usage *out)
{
    if (session_id)
        return row_one(c, &SKILL_USAGE, found, out, USAGE " AND skill_id = ? AND session_id = ? AND outcome IS NULL AND served_at >= ? "
            "ORDER BY id DESC LIMIT 1 FOR UPDATE", IN(c->account_id), IN(skill_id), IN(session_id), IN(since));
    return row_one(c, &SKILL_USAGE, found, out, USAGE " AND skill_id = ? AND agent_id = ? AND outcome IS NULL AND served_at >= ? "
        "ORDER BY id DESC LIMIT 1 FOR UPDATE", IN(c->account_id), IN(skill_id), IN(agent_id), IN(since));
}

err skill_usage_store_outcome(struct ctx *c, const struct skill_usage *u)
{
    return db_exec(c, NULL, "UPDATE skill_usage SET outcome = ?, outcome_at = ?, duration_ms = NULLIF(?, -1), execution_id = ?, "
        "context_summary = COALESCE(?, context_summary) WHERE account_id = ? AND id = ?", IN(u->outcome), IN(u->outcome_at),
        IN(u->duration_ms == FIELD_NONE ? (int64_t)-1 : u->duration_ms), IN_OPT(u->execution_id), IN_OPT(u->context_summary),
        IN(c->account_id), IN(u->id));
}

#define CREDIT "success_count = success_count + ?, failure_count = failure_count + ?, partial_count = partial_count + ?"

/* MariaDB assigns from left to right: effectiveness is made of the new counts. Learnings belong to a skill by an edge. */
err skill_usage_store_credit(struct ctx *c, const struct skill_usage *u, const struct skill_outcomes *more, double *effectiveness)
{
    int64_t timed = u->duration_ms != FIELD_NONE;
    scoped_cursor q = {0};
    bool found;

    TRY(db_exec(c, NULL, "UPDATE skill_version SET " CREDIT " WHERE account_id = ? AND id = ?", IN(more->success), IN(more->failure),
        IN(more->partial), IN(c->account_id), IN(u->version_id)));
    TRY(db_exec(c, NULL, "UPDATE skill k SET " CREDIT ", latency_sum_ms = latency_sum_ms + ?, latency_count = latency_count + ?, "
        "last_used_at = ?, last_success_at = IF(? > 0, ?, last_success_at), last_failure_at = IF(? > 0, ?, last_failure_at), "
        "effectiveness = ROUND(.3 * (SELECT n.confidence FROM node n WHERE n.account_id = k.account_id AND n.id = k.id) "
        "+ .5 * (success_count + .5 * partial_count + 1) / (success_count + failure_count + partial_count + 2) "
        "+ .2 * COALESCE((SELECT AVG(l.positive_outcome_count / l.injection_count) FROM edge e JOIN learning l "
        "ON l.account_id = e.account_id AND l.id = e.source_id WHERE e.account_id = k.account_id AND e.target_id = k.id "
        "AND e.retired_at IS NULL AND l.injection_count >= 3), .5), 4) WHERE k.account_id = ? AND k.id = ?",
        IN(more->success), IN(more->failure), IN(more->partial), IN(timed ? u->duration_ms : (int64_t)0), IN(timed), IN(c->now),
        IN(more->success), IN(c->now), IN(more->failure), IN(c->now), IN(c->account_id), IN(u->skill_id)));
    TRY(db_query(c, &q, "SELECT effectiveness FROM skill WHERE account_id = ? AND id = ?", IN(c->account_id), IN(u->skill_id)));
    return db_row(&q, c, &found, OUT(effectiveness));
}

err skill_usage_store_list(struct ctx *c, const struct skill_usage_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL_USAGE, USAGE " AND skill_id = ? AND id < ? ORDER BY id DESC LIMIT ?", IN(c->account_id), IN(f->id),
        IN(before), IN(f->limit + 1));
    return row_page(c, &SKILL_USAGE, &s, f->limit, out);
}

err skill_usage_store_between(struct ctx *c, struct uuid skill_id, struct instant from, struct instant to, struct skill_outcomes *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT CAST(COALESCE(SUM(outcome = 'success'), 0) AS INT), CAST(COALESCE(SUM(outcome = 'failure'), 0) AS INT), "
        "CAST(COALESCE(SUM(outcome = 'partial'), 0) AS INT) FROM skill_usage WHERE account_id = ? AND skill_id = ? AND outcome_at >= ? "
        "AND outcome_at < ?", IN(c->account_id), IN(skill_id), IN(from), IN(to)));
    return db_row(&q, c, &found, OUT(&out->success), OUT(&out->failure), OUT(&out->partial));
}

err skill_usage_store_texts(struct ctx *c, struct skill_served *v, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1), id;
    const char *body, *semver;
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].version_id;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, semver, body FROM skill_version WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&id), OUT(&semver), OUT(&body)));
        if (!found)
            return ERR_OK;
        for (size_t i = 0; i < n; i++)
            if (uuid_eq(v[i].version_id, id)) {
                v[i].semver = semver;
                v[i].skill->body = v[i].skill->system_prompt = body;
            }
    }
}
