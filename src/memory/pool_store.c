/* SQL of pools. */
#include "pool_store.h"

#include "db.h"

#define COLUMNS \
    "p.space_id, p.pool_type, p.scope, p.persist_across_executions, p.task_execution_id, p.workflow_run_id, p.session_id, " \
    "p.metadata, p.retention_policy, p.version, p.key_count, p.data_size_bytes, p.access_count, p.write_count, " \
    "p.evicted_count, p.expired_count, p.last_write_at"

/* The words and texts of a row, before they are understood. */
struct texts {
    const char *type, *scope, *metadata, *policy;
};

#define OUT_ROW(p, t) \
    OUT(&(p)->space_id), OUT(&(t)->type), OUT(&(t)->scope), OUT(&(p)->persist_across_executions), \
        OUT_OPT(&(p)->task_execution_id), OUT_OPT(&(p)->workflow_run_id), OUT_OPT(&(p)->session_id), OUT(&(t)->metadata), \
        OUT(&(t)->policy), OUT(&(p)->version), OUT(&(p)->key_count), OUT(&(p)->data_size_bytes), OUT(&(p)->access_count), \
        OUT(&(p)->write_count), OUT(&(p)->evicted_count), OUT(&(p)->expired_count), OUT_OPT(&(p)->last_write_at)

static err understand(struct ctx *c, const struct texts *t, struct pool_row *p)
{
    int type, scope;

    if (!enumx_parse(&pool_type_enumx, t->type, &type) || !enumx_parse(&pool_scope_enumx, t->scope, &scope))
        return fail(c, ERR_INTERNAL, "pool %s has type '%s' and scope '%s'", UUID_STR(p->space_id), t->type, t->scope);
    p->pool_type = (enum pool_type)type;
    p->scope = (enum pool_scope)scope;
    p->metadata = json_raw(c->arena, t->metadata);
    p->retention_policy = json_raw(c->arena, t->policy);
    return ERR_OK;
}

static err pool_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct pool_row *p)
{
    struct texts t;

    TRY(db_row(q, c, found, OUT_ROW(p, &t)));
    return *found ? understand(c, &t, p) : ERR_OK;
}

err pool_store_insert(struct ctx *c, const struct pool_row *p)
{
    return db_exec(c, NULL,
                   "INSERT INTO pool (account_id, space_id, pool_type, scope, persist_across_executions, task_execution_id, "
                   "workflow_run_id, session_id, metadata, retention_policy) VALUES (?,?,?,?,?,?,?,?,?,?)",
                   IN(c->account_id), IN(p->space_id), IN(enumx_name(&pool_type_enumx, (int)p->pool_type)),
                   IN(enumx_name(&pool_scope_enumx, (int)p->scope)), IN(p->persist_across_executions),
                   IN_OPT(p->task_execution_id), IN_OPT(p->workflow_run_id), IN_OPT(p->session_id),
                   IN(json_text(c->arena, p->metadata)), IN(json_text(c->arena, p->retention_policy)));
}

err pool_store_get(struct ctx *c, struct uuid space_id, bool *found, struct pool_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM pool p WHERE p.account_id = ? AND p.space_id = ?", IN(c->account_id), IN(space_id)));
    return pool_store_read_row(c, &q, found, out);
}

err pool_store_lock(struct ctx *c, struct uuid space_id, bool *found, struct pool_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM pool p WHERE p.account_id = ? AND p.space_id = ? FOR UPDATE", IN(c->account_id),
                 IN(space_id)));
    return pool_store_read_row(c, &q, found, out);
}

err pool_store_update(struct ctx *c, const struct pool_row *p)
{
    return db_exec(c, NULL,
                   "UPDATE pool SET scope = ?, persist_across_executions = ?, metadata = ?, retention_policy = ?, version = ?, key_count = ?, "
                   "data_size_bytes = ?, access_count = ?, write_count = ?, evicted_count = ?, expired_count = ?, "
                   "last_write_at = ? WHERE account_id = ? AND space_id = ?",
                   IN(enumx_name(&pool_scope_enumx, (int)p->scope)), IN(p->persist_across_executions),
                   IN(json_text(c->arena, p->metadata)), IN(json_text(c->arena, p->retention_policy)), IN(p->version), IN(p->key_count), IN(p->data_size_bytes),
                   IN(p->access_count), IN(p->write_count), IN(p->evicted_count), IN(p->expired_count), IN_OPT(p->last_write_at),
                   IN(c->account_id), IN(p->space_id));
}

static void pool_store_conditions(struct sql *s, const struct pool_filter *f)
{
    if (f->pool_type >= 0)
        sql_add(s, " AND p.pool_type = ?", IN(enumx_name(&pool_type_enumx, f->pool_type)));
    if (f->scope >= 0)
        sql_add(s, " AND (p.scope = ? OR (? AND p.persist_across_executions = 1))", IN(enumx_name(&pool_scope_enumx, f->scope)),
                IN(f->scope == POOL_SCOPE_PERSISTENT));
    if (!uuid_is_nil(f->agent_id))
        sql_add(s, " AND s.owner_agent_id = ?", IN(f->agent_id));
    if (!uuid_is_nil(f->team_id))
        sql_add(s, " AND s.team_id = ?", IN(f->team_id));
    if (f->workflow_run_id)
        sql_add(s, " AND p.workflow_run_id = ?", IN(f->workflow_run_id));
    if (f->task_execution_id)
        sql_add(s, " AND p.task_execution_id = ?", IN(f->task_execution_id));
}

static err read_pair(struct ctx *c, struct db_cursor *q, bool *found, struct pool_pair *r)
{
    struct space *s = &r->space;
    struct texts t;

    TRY(db_row(q, c, found, OUT_ROW(&r->row, &t), OUT(&s->id), OUT(&s->slug), OUT(&s->name), OUT_OPT(&s->description),
               OUT_OPT(&s->owner_agent_id), OUT_OPT(&s->team_id), OUT(&s->version), OUT(&s->created_at), OUT(&s->updated_at), OUT_OPT(&s->expires_at)));
    r->id = s->id;
    return *found ? understand(c, &t, &r->row) : ERR_OK;
}

err pool_store_list(struct ctx *c, const struct pool_filter *f, struct uuids among, struct uuid before, struct pool_pair **rows, size_t *n)
{
    struct pool_pair *out = ARENA_ARRAY(c->arena, struct pool_pair, (size_t)f->limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    bool found;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS ", s.id, s.slug, s.name, s.description, s.owner_agent_id, s.team_id, s.version, s.created_at, "
                "s.updated_at, s.expires_at FROM space s JOIN pool p ON p.account_id = s.account_id AND p.space_id = s.id "
                "WHERE s.account_id = ? AND s.kind = 'pool' AND s.deleted_at IS NULL AND s.id < ?",
            IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "s.id", among.v, among.n);
    pool_store_conditions(&s, f);
    sql_add(&s, " ORDER BY s.id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(read_pair(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}
