/* SQL of escalations. */
#include "escalation_store.h"

#include <string.h>

#include "db.h"

#define COLUMNS \
    "id, asker_kind, agent_id, title, escalation_type, severity, status, context, seen_count, last_seen_at, resolved_at," \
    " resolved_by, resolution, answer_node_id, version, created_at, updated_at"

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, struct escalation *e)
{
    const char *context, *why;
    struct json *tree;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->asker_kind), OUT(&e->agent_id), OUT(&e->title), OUT(&e->escalation_type),
               OUT(&e->severity), OUT(&e->status), OUT(&context), OUT(&e->seen_count), OUT(&e->last_seen_at),
               OUT_OPT(&e->resolved_at), OUT_OPT(&e->resolved_by), OUT_OPT(&e->resolution), OUT_OPT(&e->answer_node_id),
               OUT(&e->version), OUT(&e->created_at), OUT(&e->updated_at)));
    if (!*found)
        return ERR_OK;
    if (json_parse(c->arena, context, strlen(context), &tree, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "an escalation's context is no JSON: %s", why);
    e->context = tree;
    return ERR_OK;
}

err escalation_store_find(struct ctx *c, struct bytes question, struct instant since, bool *found, struct escalation *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "SELECT " COLUMNS " FROM escalation WHERE account_id = ? AND question_hash = ?"
        " AND (resolved_at IS NULL OR (resolved_at > ? AND answer_node_id IS NULL))"
        " ORDER BY resolved_at IS NULL DESC, id DESC LIMIT 1",
        IN(c->account_id), IN(question), IN(since)));
    return read_row(c, &q, found, out);
}

err escalation_store_insert(struct ctx *c, const struct escalation *e, struct bytes question)
{
    return db_exec(c, NULL,
        "INSERT INTO escalation (account_id, id, asker_kind, agent_id, title, escalation_type, severity, status, context,"
        " question_hash, dedup_key, last_seen_at, version, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)",
        IN(c->account_id), IN(e->id), IN(e->asker_kind), IN(e->agent_id), IN(e->title), IN(e->escalation_type), IN(e->severity),
        IN(e->status), IN(json_text(c->arena, e->context)), IN(question), IN(question), IN(c->now), IN(c->now), IN(c->now));
}

err escalation_store_seen(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL,
        "UPDATE escalation SET seen_count = seen_count + 1, last_seen_at = ? WHERE account_id = ? AND id = ?", IN(c->now),
        IN(c->account_id), IN(id));
}

err escalation_store_count(struct ctx *c, struct uuid agent_id, int64_t *of_agent, int64_t *of_account)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
        "SELECT (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND agent_id = ? AND dedup_key IS NOT NULL),"
        " (SELECT COUNT(*) FROM escalation WHERE account_id = ? AND dedup_key IS NOT NULL)",
        IN(c->account_id), IN(agent_id), IN(c->account_id)));
    return db_row(&q, c, &found, OUT(of_agent), OUT(of_account));
}

err escalation_store_get(struct ctx *c, struct uuid id, bool *found, struct escalation *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM escalation WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return read_row(c, &q, found, out);
}

err escalation_store_list(struct ctx *c, const struct escalation_filter *f, struct uuid before, struct escalation **rows,
                          size_t *n)
{
    struct escalation *list = ARENA_ARRAY(c->arena, struct escalation, (size_t)f->limit + 1);
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM escalation WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (f->status == ESCALATION_UNRESOLVED)
        sql_add(&s, " AND dedup_key IS NOT NULL");
    else if (f->status == ESCALATION_RESOLVED)
        sql_add(&s, " AND dedup_key IS NULL");
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND agent_id = ?", IN(f->agent_id));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; (int64_t)*n <= f->limit; ++*n) {
        TRY(read_row(c, &q, &found, &list[*n]));
        if (!found)
            break;
    }
    *rows = list;
    return ERR_OK;
}

err escalation_store_resolve(struct ctx *c, const struct escalation *e, int64_t *changed)
{
    return db_exec(c, changed,
        "UPDATE escalation SET status = 'resolved', dedup_key = NULL, resolved_at = ?, resolved_by = ?, resolution = ?,"
        " answer_node_id = ?, updated_at = ?, version = version + 1"
        " WHERE account_id = ? AND id = ? AND version = ? AND dedup_key IS NOT NULL",
        IN(c->now), IN(e->resolved_by), IN_OPT(e->resolution), IN_OPT(e->answer_node_id), IN(c->now), IN(c->account_id), IN(e->id),
        IN(e->version));
}
