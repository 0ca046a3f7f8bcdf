/* SQL of the access log. */
#include "access_log_store.h"

#include "db.h"

static const char *access_log_store_text_of(struct ctx *c, const struct json *j)
{
    return j ? json_text(c->arena, j) : NULL;
}

/* ---- writing */

err access_log_store_insert(struct ctx *c, const struct access_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO access_log (account_id, id, space_id, entry_id, action, access_type, success, error_message, user_id, "
                "agent_id, version_before, version_after, size_change, request_id, ip, user_agent, metadata, created_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct access_row *r = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,NULLIF(?, 0),NULLIF(?, 0),IF(?, ?, NULL),?,?,?,?,?)", IN(r->account_id), IN(r->id),
                IN(r->space_id), IN_OPT(r->entry_id), IN(enumx_name(&access_action_enumx, (int)r->action)),
                IN(enumx_name(&access_type_enumx, (int)r->access_type)), IN(r->success), IN_OPT(r->error_message), IN_OPT(r->user_id),
                IN_OPT(r->agent_id), IN(r->version_before), IN(r->version_after), IN(r->is_change), IN(r->size_change),
                IN(r->request_id), IN(r->ip), IN(r->user_agent), IN_OPT(access_log_store_text_of(c, r->metadata)), IN(r->created_at));
    }
    return sql_exec(c, NULL, &s);
}

/* Contexts are locked in the order of their keys, as by everybody who changes several. */
err access_log_store_count(struct ctx *c, const struct access_row *rows, size_t n)
{
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE context x JOIN (SELECT account_id, space_id, COUNT(*) AS n, MAX(at) AS at FROM (");
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].success)
            continue;
        if (k++)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS account_id, CAST(? AS UUID) AS space_id, CAST(? AS DATETIME(6)) AS at",
                IN(rows[i].account_id), IN(rows[i].space_id), IN(rows[i].created_at));
    }
    sql_add(&s, ") AS each_one GROUP BY account_id, space_id) AS u ON u.account_id = x.account_id AND u.space_id = x.space_id "
                "SET x.access_count = x.access_count + u.n, x.last_accessed_at = GREATEST(COALESCE(x.last_accessed_at, u.at), u.at)");
    return k ? sql_exec(c, NULL, &s) : ERR_OK;
}

/* ---- reading */

/* The content that the entry had at that version: of one of its old states, or of itself. Nothing of one that is forgotten. */
#define CONTENT_AT(version) \
    "IF(hn.forgotten_at IS NULL, COALESCE((SELECT e.content FROM entry e WHERE e.account_id = l.account_id AND e.head_id = hn.id " \
    "AND e.version = " version " LIMIT 1), (SELECT e.content FROM entry e WHERE e.account_id = l.account_id AND e.node_id = hn.id " \
    "AND e.version = " version ")), NULL)"

static err access_log_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct access_event *e)
{
    const char *action = NULL, *type = NULL, *metadata = NULL, *before = NULL, *after = NULL;
    int64_t version_before = 0, version_after = 0, size_change = 0;
    bool no_change;
    int a, t;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&action), OUT(&type), OUT(&e->success), OUT_OPT(&e->error_message),
               OUT_OPT(&e->user_id), OUT_OPT(&e->agent_id), OUT_OPT(&e->entry_id), OUT_OPT(&version_before), OUT_OPT(&version_after),
               OUT_NULLABLE(&size_change, &no_change), OUT(&e->request_id), OUT(&e->ip_address), OUT(&e->user_agent),
               OUT_OPT(&metadata), OUT(&e->created_at), OUT_OPT(&before), OUT_OPT(&after)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&access_action_enumx, action, &a) || !enumx_parse(&access_type_enumx, type, &t))
        return fail(c, ERR_INTERNAL, "access %s is '%s' by '%s'", UUID_STR(e->id), action, type);
    e->action = (enum access_action)a;
    e->access_type = (enum access_type)t;
    e->metadata = metadata ? json_raw(c->arena, metadata) : NULL;
    e->previous_value = before ? json_raw(c->arena, before) : NULL;
    e->new_value = after ? json_raw(c->arena, after) : NULL;
    if (!no_change) {
        struct json *s = json_obj(c->arena);

        json_set_bool(c->arena, s, "had_previous", version_before != 0);
        json_set_bool(c->arena, s, "has_new", version_after != 0);
        json_set_int(c->arena, s, "size_change", size_change);
        e->changes_summary = s;
    }
    return ERR_OK;
}

static void access_log_store_conditions(struct sql *s, const struct access_filter *f)
{
    if (f->action >= 0)
        sql_add(s, " AND l.action = ?", IN(enumx_name(&access_action_enumx, f->action)));
    if (f->success >= 0)
        sql_add(s, " AND l.success = ?", IN(f->success == 1));
    if (!uuid_is_nil(f->agent_id))
        sql_add(s, " AND l.agent_id = ?", IN(f->agent_id));
    if (!uuid_is_nil(f->entry_id)) /* a fact has another id after each new value */
        sql_add(s, " AND (l.entry_id = ? OR h.head_id = ?)", IN(f->entry_id), IN(f->entry_id));
    if (f->from.us)
        sql_add(s, " AND l.created_at >= ?", IN(f->from));
    if (f->to.us)
        sql_add(s, " AND l.created_at < ?", IN(f->to));
}

err access_log_store_list(struct ctx *c, struct uuid space_id, const struct access_filter *f, struct uuid before,
                          struct access_event **rows, size_t *n)
{
    struct access_event *out = ARENA_ARRAY(c->arena, struct access_event, (size_t)f->limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT l.id, l.action, l.access_type, l.success, l.error_message, l.user_id, l.agent_id, l.entry_id, l.version_before, "
            "l.version_after, l.size_change, l.request_id, l.ip, l.user_agent, l.metadata, l.created_at, "
            CONTENT_AT("l.version_before") ", " CONTENT_AT("l.version_after")
            " FROM access_log l LEFT JOIN entry h ON h.account_id = l.account_id AND h.node_id = l.entry_id "
            "LEFT JOIN node hn ON hn.account_id = l.account_id AND hn.id = COALESCE(h.head_id, h.node_id) "
            "WHERE l.account_id = ? AND l.space_id = ? AND l.id < ?", IN(c->account_id), IN(space_id), IN(before));
    access_log_store_conditions(&s, f);
    sql_add(&s, " ORDER BY l.id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (bool found;; k++) {
        TRY(access_log_store_read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

/* ---- letting go */

err access_log_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT a.id FROM account a WHERE a.id > ? AND (SELECT MIN(l.created_at) FROM access_log l "
                 "WHERE l.account_id = a.id) < ? ORDER BY a.id LIMIT ?",
                 IN(above), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err access_log_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM access_log WHERE account_id = ? AND created_at < ? ORDER BY created_at LIMIT ?", IN(c->account_id),
                   IN(before), IN(limit));
}
