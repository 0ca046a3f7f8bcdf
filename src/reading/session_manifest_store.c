/* SQL of a session's turns: episodes, and what was said in it again. */
#include "session_manifest_store.h"

#include "db.h"

#define TURNS \
    "(SELECT e.account_id, e.id, 1 AS seq, e.role, e.captured_at, e.created_at AS at, n.trust FROM episode e JOIN node n " \
    "ON n.account_id = e.account_id AND n.id = e.id WHERE e.account_id = ? AND e.session_id = ? UNION ALL " \
    "SELECT o.account_id, o.node_id, o.seq, o.role, o.captured_at, o.at, o.trust FROM episode_occurrence o WHERE o.account_id = ? " \
    "AND o.session_id = ?) t JOIN node n ON n.account_id = t.account_id AND n.id = t.id WHERE n.status = 'active' " \
    "AND n.forgotten_at IS NULL AND n.archived_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define TURNS_IN IN(c->account_id), IN(session_id), IN(c->account_id), IN(session_id), IN(c->now)
#define KEY \
    "CONCAT(DATE_FORMAT(t.captured_at, '%Y%m%d%H%i%s%f'), DATE_FORMAT(t.at, '%Y%m%d%H%i%s%f'), t.id, LPAD(t.seq, 10, '0'))"

err manifest_store_count(struct ctx *c, const char *session_id, struct uuids spaces, struct manifest *out)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COUNT(*), MIN(t.captured_at), MAX(t.captured_at) FROM " TURNS, TURNS_IN);
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(&out->total_visible), OUT_OPT(&out->started_at), OUT_OPT(&out->last_at));
}

static err turn_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct manifest_turn *t = row;
    const char *role;
    int value = ROLE_USER;

    TRY(db_row(q, c, found, OUT(&t->key), OUT(&t->episode_id), OUT(&t->space_id), OUT(&t->occurrence), OUT(&role), OUT(&t->captured_at),
               OUT(&t->created_at), OUT(&t->content), OUT(&t->trust)));
    if (*found && enumx_parse(&episode_role_enumx, role, &value))
        t->role = (enum episode_role)value;
    return ERR_OK;
}

err manifest_store_turns(struct ctx *c, const char *session_id, struct uuids spaces, const char *after, int64_t limit, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " KEY " AS turn_key, t.id, n.space_id, t.seq, t.role, t.captured_at, t.at, n.body, t.trust FROM " TURNS, TURNS_IN);
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " HAVING turn_key > ? ORDER BY turn_key LIMIT ?", IN(after), IN(limit + 1));
    TRY(sql_rows(c, &s, (size_t)limit + 1, sizeof(struct manifest_turn), turn_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}
