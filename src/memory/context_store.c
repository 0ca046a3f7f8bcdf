/* SQL of contexts. */
#include "context_store.h"

#include "db.h"
#include "like.h"

#define COLUMNS \
    "s.id, s.slug, s.name, s.description, s.owner_agent_id, s.team_id, s.status, s.version, s.created_at, s.updated_at, " \
    "s.archived_at, s.expires_at, x.context_type, x.scope, x.agent_id, x.created_by_user_id, x.context_data, x.metadata, " \
    "x.retention_policy, x.entry_count, x.data_size_bytes, x.last_modified_at, x.access_count, "\
    "x.last_accessed_at, x.restoring_id, x.restoring_safety_id, x.restoring_until"
#define FROM " FROM context x JOIN space s ON s.account_id = x.account_id AND s.id = x.space_id "
#define THERE "s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?)"

static err context_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct context *x)
{
    const char *status = NULL, *type = NULL, *scope = NULL, *data = NULL, *metadata = NULL, *policy = NULL;
    int st, ty, sc;

    TRY(db_row(q, c, found, OUT(&x->id), OUT(&x->context_id), OUT(&x->name), OUT_OPT(&x->description), OUT_OPT(&x->owner_agent_id),
               OUT_OPT(&x->team_id), OUT(&status), OUT(&x->version), OUT(&x->created_at), OUT(&x->updated_at),
               OUT_OPT(&x->archived_at), OUT_OPT(&x->expires_at), OUT(&type), OUT(&scope), OUT_OPT(&x->agent_id),
               OUT_OPT(&x->created_by_user_id), OUT(&data), OUT(&metadata), OUT(&policy), OUT(&x->entry_count),
               OUT(&x->data_size_bytes), OUT(&x->last_modified_at), OUT(&x->access_count), OUT_OPT(&x->last_accessed_at),
               OUT_OPT(&x->restoring_id), OUT_OPT(&x->restoring_safety_id), OUT_OPT(&x->restoring_until)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&space_status_enumx, status, &st) || !enumx_parse(&context_type_enumx, type, &ty) ||
        !enumx_parse(&context_scope_enumx, scope, &sc))
        return fail(c, ERR_INTERNAL, "context %s is '%s', '%s', '%s'", UUID_STR(x->id), status, type, scope);
    x->status = (enum space_status)st;
    x->context_type = (enum context_type)ty;
    x->scope = (enum context_scope)sc;
    x->context_data = json_raw(c->arena, data);
    x->metadata = json_raw(c->arena, metadata);
    x->retention_policy = json_raw(c->arena, policy);
    return ERR_OK;
}

err context_store_insert(struct ctx *c, const struct context *x)
{
    return db_exec(c, NULL,
                   "INSERT INTO context (account_id, space_id, context_type, scope, agent_id, created_by_user_id, context_data, "
                   "metadata, retention_policy, last_modified_at) VALUES (?,?,?,?,?,?,?,?,?,?)",
                   IN(c->account_id), IN(x->id), IN(enumx_name(&context_type_enumx, (int)x->context_type)),
                   IN(enumx_name(&context_scope_enumx, (int)x->scope)), IN_OPT(x->agent_id), IN_OPT(x->created_by_user_id),
                   IN(json_text(c->arena, x->context_data)), IN(json_text(c->arena, x->metadata)),
                   IN(json_text(c->arena, x->retention_policy)), IN(c->now));
}

err context_store_get(struct ctx *c, struct uuid id, const char *handle, bool *found, struct context *out)
{
    scoped_cursor q = {0};

    if (uuid_is_nil(id))
        TRY(db_query(c, &q, "SELECT " COLUMNS FROM "WHERE s.account_id = ? AND s.kind = 'context' AND s.slug = ? AND " THERE,
                     IN(c->account_id), IN(handle), IN(c->now)));
    else
        TRY(db_query(c, &q, "SELECT " COLUMNS FROM "WHERE x.account_id = ? AND x.space_id = ? AND " THERE, IN(c->account_id),
                     IN(id), IN(c->now)));
    return context_store_read_row(c, &q, found, out);
}

err context_store_lock(struct ctx *c, struct uuid id, bool *found, struct context *out)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM context WHERE account_id = ? AND space_id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    TRY(db_row(&q, c, found, OUT(&one)));
    return *found ? context_store_get(c, id, NULL, found, out) : ERR_OK;
}

err context_store_update(struct ctx *c, const struct context *x)
{
    return db_exec(c, NULL,
                   "UPDATE context SET context_data = ?, metadata = ?, retention_policy = ?, last_modified_at = ? "
                   "WHERE account_id = ? AND space_id = ?",
                   IN(json_text(c->arena, x->context_data)), IN(json_text(c->arena, x->metadata)),
                   IN(json_text(c->arena, x->retention_policy)), IN(c->now), IN(c->account_id), IN(x->id));
}

err context_store_restoring(struct ctx *c, const struct context *x)
{
    return db_exec(c, NULL,
                   "UPDATE context SET restoring_id = ?, restoring_safety_id = ?, restoring_until = ? WHERE account_id = ? AND space_id = ?",
                   IN_OPT(x->restoring_id), IN_OPT(x->restoring_safety_id), IN_OPT(x->restoring_until), IN(c->account_id), IN(x->id));
}

err context_store_count(struct ctx *c, struct uuid id, int64_t entries, int64_t bytes)
{
    return db_exec(c, NULL,
                   "UPDATE context SET entry_count = entry_count + ?, data_size_bytes = data_size_bytes + ?, last_modified_at = ? "
                   "WHERE account_id = ? AND space_id = ?",
                   IN(entries), IN(bytes), IN(c->now), IN(c->account_id), IN(id));
}

err context_store_number(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*)" FROM "WHERE x.account_id = ? AND s.deleted_at IS NULL", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

err context_store_list(struct ctx *c, const struct context_filter *f, struct uuid before, struct context **rows, size_t *n)
{
    struct context *out = ARENA_ARRAY(c->arena, struct context, (size_t)f->limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    bool found;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS FROM "WHERE x.account_id = ? AND x.space_id < ? AND " THERE, IN(c->account_id), IN(before), IN(c->now));
    sql_add_in_uuids(&s, "x.space_id", c->access->readable, c->access->n);
    if (!f->include_archived)
        sql_add(&s, " AND s.status = 'active'");
    if (f->type >= 0)
        sql_add(&s, " AND x.context_type = ?", IN(enumx_name(&context_type_enumx, f->type)));
    if (f->scope >= 0)
        sql_add(&s, " AND x.scope = ?", IN(enumx_name(&context_scope_enumx, f->scope)));
    if (!uuid_is_nil(f->agent_id))
        sql_add(&s, " AND x.agent_id = ?", IN(f->agent_id));
    if (!str_empty(f->q))
        sql_add(&s, " AND s.name COLLATE utf8mb4_general_ci LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(&s, " ORDER BY x.space_id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(context_store_read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err context_store_log_queries(struct ctx *c, const struct uuid *ids, size_t n, struct uuid **those, size_t *k)
{
    scoped_cursor q = {0};
    struct sql s;

    *those = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    *k = 0;
    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT space_id FROM context WHERE account_id = ? AND JSON_EXTRACT(metadata, '$.log_queries') = true",
            IN(c->account_id));
    sql_add_in_uuids(&s, "space_id", ids, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, *those, n, k);
}

/* ---- counts */

#define IS_LIVE "e.live = 1 AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define IMPORTANCE \
    "IF(n.is_pinned, n.importance, n.importance * EXP(-n.decay_rate * GREATEST(0, TIMESTAMPDIFF(MICROSECOND, n.decayed_at, ?)) " \
    "/ 86400000000))"

err context_store_totals(struct ctx *c, struct uuid id, struct context_stats *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT COALESCE(SUM(is_live), 0), COALESCE(SUM(archived), 0), COALESCE(SUM(is_version), 0), "
                 "COALESCE(SUM(is_live * size_bytes), 0), COALESCE(AVG(IF(is_live, importance, NULL)), 0), "
                 "COALESCE(AVG(IF(is_live, confidence, NULL)), 0), COALESCE(SUM(is_live AND importance >= 0.7), 0), "
                 "COALESCE(SUM(is_live AND importance < 0.3), 0), COALESCE(SUM(is_live AND confidence >= 0.8), 0) FROM ("
                 "SELECT COALESCE(" IS_LIVE ", 0) AS is_live, e.head_id IS NOT NULL AS is_version, e.size_bytes, "
                 "e.head_id IS NULL AND n.archived_at IS NOT NULL AND n.forgotten_at IS NULL AS archived, n.confidence, " IMPORTANCE
                 " AS importance FROM entry e JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id "
                 "WHERE e.account_id = ? AND e.space_id = ?) AS each_one",
                 IN(c->now), IN(c->now), IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT(&out->entry_count), OUT(&out->archived_count), OUT(&out->version_count),
                  OUT(&out->data_size_bytes), OUT(&out->average_importance), OUT(&out->average_confidence),
                  OUT(&out->high_importance), OUT(&out->low_importance), OUT(&out->high_confidence));
}

#define TYPES_MAX 32

static void context_store_add_count(struct list *to, const char *name, int64_t n)
{
    struct context_count *v = to->v;

    for (size_t i = 0; i < to->n; i++)
        if (str_eq(v[i].name, name)) {
            v[i].n += n;
            return;
        }
    v[to->n++] = (struct context_count){name, n};
}

err context_store_types(struct ctx *c, struct uuid id, struct context_stats *out)
{
    scoped_cursor q = {0};
    bool found;

    out->by_entry_type = (struct list){ARENA_ARRAY(c->arena, struct context_count, TYPES_MAX), 0};
    out->by_memory_type = (struct list){ARENA_ARRAY(c->arena, struct context_count, TYPES_MAX), 0};
    TRY(db_query(c, &q,
                 "SELECT e.entry_type, e.memory_type, COUNT(*) FROM entry e JOIN node n ON n.account_id = e.account_id "
                 "AND n.id = e.node_id WHERE e.account_id = ? AND e.space_id = ? AND " IS_LIVE
                 " GROUP BY e.entry_type, e.memory_type ORDER BY e.entry_type, e.memory_type",
                 IN(c->account_id), IN(id), IN(c->now)));
    for (;;) {
        const char *entry_type, *memory_type;
        int64_t n;

        TRY(db_row(&q, c, &found, OUT(&entry_type), OUT(&memory_type), OUT(&n)));
        if (!found)
            return ERR_OK;
        context_store_add_count(&out->by_entry_type, entry_type, n);
        context_store_add_count(&out->by_memory_type, memory_type, n);
    }
}
