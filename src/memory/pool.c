/* Making, reading, changing and deleting pools; see pool.h. */
#include "pool.h"

#include <string.h>

#include "acl.h"
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "match.h"
#include "pool_impl.h"
#include "pool_store.h"
#include "random.h"
#include "space_room.h"

ENUMX_DEFINE(pool_type, POOL_TYPE);
ENUMX_DEFINE(pool_scope, POOL_SCOPE);

static err pool_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such pool");
}

/* ---- what follows from the type */

static bool is_of_run(enum pool_type t)
{
    return t >= POOL_SHARED_MEMORY;
}

static enum pool_scope pool_scope_of(enum pool_type t)
{
    switch (t) {
    case POOL_AGENT_PRIVATE: return POOL_SCOPE_AGENT;
    case POOL_TEAM_SHARED: return POOL_SCOPE_TEAM;
    case POOL_TASK_SCOPED: return POOL_SCOPE_TASK;
    case POOL_GLOBAL: return POOL_SCOPE_GLOBAL;
    default: return is_of_run(t) ? POOL_SCOPE_WORKFLOW : POOL_SCOPE_ACCOUNT;
    }
}

/* "Any accessible agent" may write to a shared pool that is public; a team's agents write to its pool. */
static struct acl_rules rules_of(enum pool_type t)
{
    bool open = t == POOL_SHARED || t == POOL_SHARED_MEMORY || t == POOL_BLACKBOARD;

    return (struct acl_rules){ .agents = t == POOL_TEAM_SHARED ? ACCESS_WRITE : ACCESS_READ,
                               .everyone = open ? ACCESS_WRITE : ACCESS_READ };
}

static err pool_check_scope(struct ctx *c, enum pool_type t, enum pool_scope s)
{
    bool of_run = s >= POOL_SCOPE_WORKFLOW;

    if (is_of_run(t) && !of_run && s != POOL_SCOPE_GLOBAL)
        return fail_field(c, "/scope", "scope of a context pool must be workflow, agent_group, global or temporary");
    if (!is_of_run(t) && of_run)
        return fail_field(c, "/scope", "scope must be account, global, team, agent, task, execution, persistent or session");
    return ERR_OK;
}

static err pool_check_new(struct ctx *c, const struct pool_new *in, enum pool_scope scope)
{
    TRY(pool_check_scope(c, in->pool_type, scope));
    if ((in->pool_type == POOL_TEAM_SHARED || scope == POOL_SCOPE_TEAM) && uuid_is_nil(in->team_id))
        return fail_field(c, "/team_id", "a team pool needs team_id");
    if (in->pool_type == POOL_AGENT_PRIVATE && uuid_is_nil(in->owner_agent_id) && c->who->kind != PRINCIPAL_AGENT)
        return fail_field(c, "/owner_agent_id", "an agent's pool needs owner_agent_id");
    if (is_of_run(in->pool_type) && str_empty(in->workflow_run_id))
        return fail_field(c, "/pool_type", "pools of this type are created below /api/v1/ai/workflow_runs");
    return ERR_OK;
}

/* ---- answers and events */

static err present(struct ctx *c, const struct space *s, const struct pool_row *row, struct pool *out)
{
    struct pool_policy policy;

    TRY(pool_policy_read(c, row->retention_policy, &policy));
    *out = (struct pool){
        .id = s->id, .pool_id = s->slug, .name = s->name, .description = s->description, .pool_type = row->pool_type,
        .scope = row->scope, .owner_agent_id = s->owner_agent_id, .team_id = s->team_id,
        .persist_across_executions = row->persist_across_executions, .task_execution_id = row->task_execution_id,
        .workflow_run_id = row->workflow_run_id, .session_id = row->session_id, .metadata = row->metadata,
        .retention_policy = pool_policy_json(c->arena, &policy), .access = access_level(c->access, s->id),
        .version = row->version, .revision = s->version, .key_count = row->key_count, .data_size_bytes = row->data_size_bytes,
        .write_count = row->write_count, .created_at = s->created_at, .updated_at = s->updated_at,
        .last_write_at = row->last_write_at, .expires_at = s->expires_at};
    return ERR_OK;
}

/* One pool, with who has access. */
static err present_one(struct ctx *c, const struct space *s, const struct pool_row *row, struct pool *out)
{
    struct acl_rules rules = rules_of(row->pool_type);

    TRY(present(c, s, row, out));
    return out->access == ACCESS_MANAGE ? acl_show(c, s->id, &rules, &out->access_control, &out->access_words) : ERR_OK;
}

err pool_tell_update(struct ctx *c, const struct space *s, const struct pool_row *row, const struct json *evicted)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "pool_id", s->slug);
    json_set_int(c->arena, said, "version", row->version);
    if (row->workflow_run_id)
        json_set_str(c->arena, said, "workflow_run_id", row->workflow_run_id);
    if (evicted && evicted->len)
        json_set(c->arena, said, "evicted", arena_memdup(c->arena, evicted, sizeof *evicted));
    return audit_add(c, &(struct audit){ .kind = row->workflow_run_id ? "context_pool_update" : "memory_pool_update",
                                         .subject_kind = "pool", .subject_id = s->id, .space_id = s->id, .payload = said,
                                         .is_news = true });
}

/* ---- finding */

static err pool_by_id(struct ctx *c, struct uuid id, struct space *out)
{
    struct space s;

    TRY(space_get(c, id, &s));
    if (s.kind != SPACE_POOL)
        return pool_missing(c);
    *out = s;
    return ERR_OK;
}

/* Whatever is wrong, it looks the same from outside. */
static err as_missing(struct ctx *c, err e)
{
    if (e != ERR_NOT_FOUND)
        return e;
    ctx_forgive(c);
    return pool_missing(c);
}

err pool_find(struct ctx *c, const char *ref, struct space *out)
{
    struct uuid id;
    err e;

    if (uuid_parse(ref, &id)) {
        e = pool_by_id(c, id, out);
        if (e != ERR_NOT_FOUND)
            return e;
        ctx_forgive(c);
    }
    return str_is_slug(ref) ? as_missing(c, space_by_slug(c, SPACE_POOL, ref, out)) : pool_missing(c);
}

static err make_default(struct ctx *c, void *arg)
{
    struct grant grants[] = { { .grantee_kind = GRANTEE_EVERYONE, .grantee_id = "", .level = ACCESS_WRITE },
                                  { .grantee_kind = GRANTEE_ROLE, .grantee_id = "owner", .level = ACCESS_MANAGE },
                                  { .grantee_kind = GRANTEE_ROLE, .grantee_id = "admin", .level = ACCESS_MANAGE } };
    struct pool_row row = { .pool_type = POOL_SHARED, .scope = POOL_SCOPE_ACCOUNT, .metadata = json_obj(c->arena),
                            .retention_policy = json_obj(c->arena), .version = 1 };
    struct space *s = arg;

    s->id = (struct uuid){0};
    TRY(space_make(c, &(struct space){ .kind = SPACE_POOL, .slug = POOL_DEFAULT, .name = "Default",
                                           .description = "shared by everyone in the account" }, &s->id));
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        grants[i].space_id = s->id;
        TRY(grant_make(c, &grants[i]));
    }
    row.space_id = s->id;
    TRY(pool_store_insert(c, &row));
    s->slug = POOL_DEFAULT;
    TRY(pool_tell_update(c, s, &row, NULL));
    return access_changed(c);
}

/* Two at once: the second one finds what the first one made. */
err pool_find_to_write(struct ctx *c, const char *ref, struct space *out)
{
    struct space made;
    err e = pool_find(c, ref, out);

    if (e == ERR_NOT_FOUND && str_eq(ref, POOL_DEFAULT)) {
        ctx_forgive(c);
        e = db_tx(c, make_default, &made);
        if (e == ERR_OK)
            space_widen(c, made.id, ACCESS_WRITE);
        else if (e == ERR_CONFLICT)
            ctx_forgive(c);
        else
            return e;
        e = pool_find(c, ref, out);
    }
    TRY(e);
    return access_require(c, out->id, ACCESS_WRITE);
}

/* ---- making */

struct making {
    const struct pool_new *in;
    struct space space;
    struct pool_row row;
    struct space made;
};

static err pool_create_body(struct ctx *c, void *arg)
{
    struct making *m = arg;
    struct acl_rules rules = rules_of(m->row.pool_type);

    if (m->space.slug)
        TRY(space_free_slug(c, SPACE_POOL, m->space.slug));
    TRY(space_create(c, &m->space, &m->made));
    m->row.space_id = m->made.id;
    TRY(pool_store_insert(c, &m->row));
    if (m->in->access_control)
        TRY(acl_apply(c, m->made.id, &rules, m->in->access_control));
    return pool_tell_update(c, &m->made, &m->row, NULL);
}

static const char *made_up(struct ctx *c, enum pool_type t)
{
    uint8_t bytes[8];
    char hex[2 * sizeof bytes + 1];

    random_fill(bytes, sizeof bytes);
    hex_encode(bytes, sizeof bytes, hex);
    return arena_printf(c->arena, "pool_%s_%s", enumx_name(&pool_type_enumx, (int)t), hex);
}

err pool_create(struct ctx *c, const struct pool_new *in, struct pool *out)
{
    enum pool_scope scope = in->scope < 0 ? pool_scope_of(in->pool_type) : (enum pool_scope)in->scope;
    struct pool_policy policy;
    struct making m = {
        .in = in,
        .space = { .kind = SPACE_POOL, .slug = in->pool_id ? in->pool_id : made_up(c, in->pool_type), .name = in->name,
                   .description = in->description, .owner_agent_id = in->owner_agent_id, .team_id = in->team_id,
                   .expires_at = in->expires_at },
        .row = { .pool_type = in->pool_type, .scope = scope, .task_execution_id = in->task_execution_id,
                 .persist_across_executions = in->persist_across_executions || scope == POOL_SCOPE_PERSISTENT,
                 .workflow_run_id = in->workflow_run_id, .session_id = in->session_id, .version = 1,
                 .metadata = in->metadata ? in->metadata : json_obj(c->arena),
                 .retention_policy = in->retention_policy ? in->retention_policy : json_obj(c->arena) } };

    TRY(pool_check_new(c, in, scope));
    TRY(pool_policy_read(c, in->retention_policy, &policy));
    TRY(space_room_check_slug(c, SPACE_POOL, in->pool_id));
    TRY(db_tx(c, pool_create_body, &m));
    return present_one(c, &m.made, &m.row, out);
}

err pool_make_space(struct ctx *c, const struct space *in, struct space *out)
{
    struct pool_new shared = {.pool_type = POOL_SHARED};
    struct making m = { .in = &shared, .space = *in,
                        .row = { .pool_type = POOL_SHARED, .scope = pool_scope_of(POOL_SHARED), .version = 1, .metadata = json_obj(c->arena),
                                 .retention_policy = json_obj(c->arena) } };

    TRY(db_tx(c, pool_create_body, &m));
    *out = m.made;
    return ERR_OK;
}

/* ---- reading */

static err pool_read_pool(struct ctx *c, const struct space *s, struct pool *out)
{
    struct pool_row row = {0};
    bool found;

    TRY(pool_store_get(c, s->id, &found, &row));
    return found ? present_one(c, s, &row, out) : pool_missing(c);
}

err pool_get(struct ctx *c, const char *ref, struct pool *out)
{
    struct space s;

    TRY(pool_find(c, ref, &s));
    return pool_read_pool(c, &s, out);
}

/* Which pools are looked among. */
static err among(struct ctx *c, const struct pool_filter *f, struct uuids *out)
{
    struct uuids over;

    *out = access_spaces(c);
    if (!f->include_expired)
        return ERR_OK;
    TRY(space_expired(c, &over));
    out->v = ARENA_ARRAY(c->arena, struct uuid, c->access->n + over.n + 1);
    if (c->access->n)
        memcpy(out->v, c->access->readable, c->access->n * sizeof *out->v);
    if (over.n)
        memcpy(out->v + c->access->n, over.v, over.n * sizeof *out->v);
    out->n = c->access->n + over.n;
    return ERR_OK;
}

err pool_list(struct ctx *c, const struct pool_filter *f, struct page *out)
{
    struct uuids ids;
    struct pool_pair *rows;
    struct pool *items;
    struct uuid before;
    size_t n;

    TRY(page_begin(c, f->cursor, &before));
    TRY(among(c, f, &ids));
    TRY(pool_store_list(c, f, ids, before, &rows, &n));
    items = ARENA_ARRAY(c->arena, struct pool, n + 1);
    for (size_t i = 0; i < n; i++)
        TRY(present(c, &rows[i].space, &rows[i].row, &items[i]));
    PAGE_END(c, out, items, n, f->limit, struct pool, id);
    return ERR_OK;
}

/* ---- changing */

struct changing {
    struct uuid id;
    const struct pool_patch *patch;
    struct space space;
    struct pool_row row;
};

static const struct json *pool_merged(struct ctx *c, const struct json *old, const struct json *patch)
{
    return patch ? json_merge_patch(c->arena, json_opened(c->arena, old), patch) : json_obj(c->arena);
}

/* A pool of scope persistent persists; this is the one place that says so of a changed pool. */
static err change_lifetime(struct ctx *c, struct changing *h)
{
    const struct pool_patch *p = h->patch;

    if (p->set & POOL_SET_SCOPE) {
        TRY(pool_check_scope(c, h->row.pool_type, p->scope));
        h->row.scope = p->scope;
    }
    if (p->set & POOL_SET_PERSIST && !p->persist_across_executions && h->row.scope == POOL_SCOPE_PERSISTENT)
        return fail_field(c, "/persist_across_executions", "a pool of scope persistent cannot be non-persistent; change its scope as well");
    if (p->set & POOL_SET_PERSIST)
        h->row.persist_across_executions = p->persist_across_executions;
    h->row.persist_across_executions |= h->row.scope == POOL_SCOPE_PERSISTENT;
    return ERR_OK;
}

/* What is only in its row. *changed: it is not as it was. */
static err change_row(struct ctx *c, struct changing *h, bool *changed)
{
    const struct pool_patch *p = h->patch;
    struct pool_row was = h->row;
    struct pool_policy policy;

    TRY(change_lifetime(c, h));
    if (p->set & POOL_SET_METADATA)
        h->row.metadata = pool_merged(c, h->row.metadata, p->metadata);
    if (strlen(json_text(c->arena, h->row.metadata)) > POOL_METADATA)
        return fail_field(c, "/metadata", "metadata must be at most %d bytes of JSON", POOL_METADATA);
    if (p->set & POOL_SET_RETENTION) {
        TRY(pool_policy_read(c, p->retention_policy, &policy));
        h->row.retention_policy = pool_merged(c, h->row.retention_policy, p->retention_policy);
    }
    *changed = was.scope != h->row.scope || was.persist_across_executions != h->row.persist_across_executions ||
               !json_equal(json_opened(c->arena, was.metadata), json_opened(c->arena, h->row.metadata)) ||
               !json_equal(json_opened(c->arena, was.retention_policy), json_opened(c->arena, h->row.retention_policy));
    return *changed ? pool_store_update(c, &h->row) : ERR_OK;
}

/* Of what is on its space, only what becomes another: each call of space_update is a revision. */
static struct space_change space_change_of(const struct changing *h)
{
    const struct pool_patch *p = h->patch;
    struct space_change ch = {.to.id = h->id, .by_room = true};

    if (p->set & POOL_SET_NAME && !str_eq(p->name, h->space.name))
        change_to(&ch, name, p->name);
    if (p->set & POOL_SET_DESCRIPTION && !str_eq(p->description, h->space.description))
        change_to(&ch, description, p->description);
    if (p->set & POOL_SET_EXPIRES && p->expires_at.us != h->space.expires_at.us)
        change_to(&ch, expires_at, p->expires_at);
    return ch;
}

static err change_settings(struct ctx *c, struct changing *h)
{
    struct space_change ch = space_change_of(h);
    bool changed = false, of_space = field_is_any_given(SPACE.columns, &ch.change.given, offsetof(struct space_change, to));

    TRY(change_row(c, h, &changed));
    if (!changed && !of_space && !(h->patch->set & POOL_SET_ACCESS))
        return ERR_OK;
    TRY(space_update(c, &ch, &h->space));
    return pool_tell_update(c, &h->space, &h->row, NULL);
}

static err pool_update_body(struct ctx *c, void *arg)
{
    struct changing *h = arg;
    struct acl_rules rules;
    bool found;

    h->row = (struct pool_row){0};
    TRY(pool_store_lock(c, h->id, &found, &h->row));
    if (!found)
        return pool_missing(c);
    TRY(space_get(c, h->id, &h->space));
    TRY(match_version(c, h->patch->if_match, h->row.version + h->space.version));
    TRY(match_version(c, h->patch->if_revision, h->space.version));
    rules = rules_of(h->row.pool_type);
    TRY(change_settings(c, h));
    if (h->patch->set & POOL_SET_ACCESS)
        TRY(acl_apply(c, h->id, &rules, h->patch->access_control ? h->patch->access_control : json_obj(c->arena)));
    return ERR_OK;
}

err pool_update(struct ctx *c, const char *ref, const struct pool_patch *p, struct pool *out)
{
    struct changing h = {.patch = p};

    TRY(pool_find(c, ref, &h.space));
    TRY(access_require(c, h.space.id, ACCESS_MANAGE));
    h.id = h.space.id;
    TRY(db_tx(c, pool_update_body, &h));
    return present_one(c, &h.space, &h.row, out);
}

/* ---- away and back */

/* A pool that is deleted or expired; who may do what with it is asked where it is done. */
static err find_gone(struct ctx *c, const char *ref, struct uuid *id)
{
    struct pool_row row = {0};
    bool found = false;

    if (uuid_parse(ref, id))
        TRY(pool_store_get(c, *id, &found, &row));
    if (found)
        return ERR_OK;
    return str_is_slug(ref) ? as_missing(c, space_gone_by_slug(c, SPACE_POOL, ref, id)) : pool_missing(c);
}

err pool_delete(struct ctx *c, const char *ref)
{
    struct uuid id;
    struct space s;
    err e = pool_find(c, ref, &s);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        TRY(find_gone(c, ref, &id));
        return as_missing(c, space_delete(c, id, 0));
    }
    TRY(e);
    return space_delete(c, s.id, 0);
}

err pool_restore(struct ctx *c, const char *ref, struct pool *out)
{
    struct uuid id;
    struct space s;

    TRY(find_gone(c, ref, &id));
    TRY(as_missing(c, space_restore(c, id, &s)));
    space_widen(c, id, ACCESS_MANAGE);
    return pool_read_pool(c, &s, out);
}
