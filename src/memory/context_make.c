/* Making contexts: those that are asked for, and those that an agent gets at first use; see context.h. */
#include <sodium.h>
#include <string.h>

#include "agent.h"
#include "audit.h"
#include "context_impl.h"
#include "context_store.h"
#include "db.h"
#include "grant.h"
#include "random.h"
#include "role.h"

#define HANDLE_BYTES 12

static const char *context_make_handle(struct ctx *c, enum context_type type, const uint8_t bytes[HANDLE_BYTES])
{
    static const char *const PREFIX[] = {"mem_", "kb_", "ctx_", "tool_", "prj_"};
    char hex[2 * HANDLE_BYTES + 1];

    hex_encode(bytes, HANDLE_BYTES, hex);
    return arena_printf(c->arena, "%s%s", PREFIX[type], hex);
}

/* ---- as asked for */

/* Everyone may read what is the account's; who holds context.manage may write what is global. */
static err open_to_everyone(struct ctx *c, struct uuid id)
{
    struct grant *rows;
    size_t n;

    TRY(grants_of(c, id, &rows, &n));
    for (size_t i = 0; i < n; i++)
        if (rows[i].grantee_kind == GRANTEE_EVERYONE)
            return ERR_OK;
    return grant_replace(c, NULL, &(struct grant){.space_id = id, .grantee_kind = GRANTEE_EVERYONE, .grantee_id = "",
                                                  .level = ACCESS_READ});
}

static err open_to_managers(struct ctx *c, struct uuid id)
{
    struct role *roles;
    size_t n;

    TRY(role_list(c, &roles, &n));
    for (size_t i = 0; i < n; i++)
        if (permissions_have(roles[i].perms, PERM_CONTEXT_MANAGE))
            TRY(grant_replace(c, NULL, &(struct grant){.space_id = id, .grantee_kind = GRANTEE_ROLE, .grantee_id = roles[i].name,
                                                       .level = ACCESS_WRITE}));
    return ERR_OK;
}

struct making {
    const struct context_new *in;
    struct space space;
    struct uuid agent_id;
    bool opens; /* to those whom its scope names */
    struct space as_space;
    struct context made;
};

static struct context context_make_filled(struct ctx *c, const struct making *m, const struct space *s)
{
    const struct context_new *in = m->in;

    return (struct context){
        .id = s->id, .context_id = s->slug, .name = s->name, .description = s->description, .context_type = in->context_type,
        .scope = in->scope, .agent_id = m->agent_id, .owner_agent_id = s->owner_agent_id, .team_id = s->team_id,
        .created_by_user_id = c->who->kind == PRINCIPAL_USER ? c->who->id : (struct uuid){{0}},
        .context_data = in->context_data ? in->context_data : json_obj(c->arena),
        .metadata = in->metadata ? in->metadata : json_obj(c->arena),
        .retention_policy = in->retention_policy ? in->retention_policy : json_obj(c->arena), .status = SPACE_ACTIVE,
        .version = s->version, .created_at = c->now, .updated_at = c->now, .last_modified_at = c->now, .expires_at = s->expires_at};
}

static err context_make_create_body(struct ctx *c, void *arg)
{
    struct making *m = arg;
    const struct context_new *in = m->in;
    struct space s;
    int64_t n;

    TRY(context_store_number(c, &n));
    if (n >= CONTEXTS)
        return fail(c, ERR_CONFLICT, "an account can have at most %d contexts", CONTEXTS);
    TRY(space_create(c, &m->space, &s));
    m->as_space = s;
    m->made = context_make_filled(c, m, &s);
    TRY(context_store_insert(c, &m->made));
    TRY(context_log(c, LOGGED_CREATE, s.id, NULL));
    if (in->access_control)
        TRY(acl_apply(c, s.id, &CONTEXT_RULES, in->access_control));
    if (m->opens && (in->scope == CONTEXT_OF_ACCOUNT || in->scope == CONTEXT_OF_ALL))
        TRY(open_to_everyone(c, s.id));
    return m->opens && in->scope == CONTEXT_OF_ALL ? open_to_managers(c, s.id) : ERR_OK;
}

static err check_known(struct ctx *c, enum grantee_kind kind, struct uuid id)
{
    const char *what = enumx_name(&grantee_kind_enumx, (int)kind);
    bool yes = true;

    if (!uuid_is_nil(id))
        TRY(grant_can_be_to(c, kind, arena_strdup(c->arena, UUID_STR(id)), &yes));
    return yes ? ERR_OK : fail_field(c, arena_printf(c->arena, "/%s_id", what), "no such %s in this account", what);
}

static err context_make_check_scope(struct ctx *c, struct making *m)
{
    const struct context_new *in = m->in;

    m->agent_id = in->agent_id;
    TRY(check_known(c, GRANTEE_AGENT, in->agent_id));
    TRY(check_known(c, GRANTEE_TEAM, in->team_id));
    if (in->scope == CONTEXT_OF_TEAM && uuid_is_nil(in->team_id))
        return fail_field(c, "/team_id", "team_id is required for the scope team; other scopes are agent, account and global");
    if (in->scope != CONTEXT_OF_AGENT || !uuid_is_nil(in->agent_id))
        return ERR_OK;
    if (c->who->kind != PRINCIPAL_AGENT)
        return fail_field(c, "/agent_id", "agent_id is required for the scope agent; other scopes are account, team and global");
    m->agent_id = c->who->id;
    return ERR_OK;
}

err context_create(struct ctx *c, const struct context_new *in, struct context *out)
{
    struct making m = {.in = in, .opens = true};
    uint8_t bytes[HANDLE_BYTES];

    TRY(context_make_check_scope(c, &m));
    random_fill(bytes, sizeof bytes);
    m.space = (struct space){.kind = SPACE_CONTEXT, .slug = context_make_handle(c, in->context_type, bytes), .name = in->name,
                                 .description = in->description, .owner_agent_id = m.agent_id, .team_id = in->team_id,
                                 .expires_at = in->expires_at};
    TRY(context_check(c, in->context_data, in->metadata, in->retention_policy));
    TRY(db_tx(c, context_make_create_body, &m));
    TRY(context_present(c, &m.made));
    *out = m.made;
    return ERR_OK;
}

err context_make_space(struct ctx *c, const struct space *in, struct space *out)
{
    struct uuid own = c->who->kind == PRINCIPAL_AGENT ? c->who->id : (struct uuid){{0}};
    struct context_new kind = {.context_type = CONTEXT_SHARED, .team_id = in->team_id};
    uint8_t bytes[HANDLE_BYTES];
    struct making m = {.in = &kind, .space = *in, .agent_id = uuid_is_nil(in->owner_agent_id) ? own : in->owner_agent_id};

    if (!in->slug) {
        random_fill(bytes, sizeof bytes);
        m.space.slug = context_make_handle(c, kind.context_type, bytes);
    }
    kind.scope = !uuid_is_nil(in->team_id) ? CONTEXT_OF_TEAM : uuid_is_nil(m.agent_id) ? CONTEXT_OF_ACCOUNT : CONTEXT_OF_AGENT;
    TRY(db_tx(c, context_make_create_body, &m));
    *out = m.as_space;
    return ERR_OK;
}

/* ---- of an agent, at first use */

/* The same whoever asks: two that make it at once make one. */
const char *context_default_handle(struct ctx *c, struct uuid agent_id, enum default_context which)
{
    const char *text = arena_printf(c->arena, "%s %s", UUID_STR(agent_id), enumx_name(&default_context_enumx, (int)which));
    uint8_t hash[crypto_hash_sha256_BYTES];

    crypto_hash_sha256(hash, (const uint8_t *)text, strlen(text));
    return context_make_handle(c, CONTEXT_AGENT_MEMORY, hash);
}

static const char *default_policy(enum default_context which)
{
    switch (which) {
    case CONTEXT_WORKING:
        return "{\"max_entries\":1000,\"max_age_days\":7}";
    case CONTEXT_EXPERIENTIAL:
        return "{\"max_entries\":5000,\"max_age_days\":180,\"archive_before_delete\":true}";
    case CONTEXT_FACTUAL:
        return "{\"max_entries\":10000,\"dedup\":\"review\"}"; /* its keys are questions: equal answers may part again */
    default:
        return "{}";
    }
}

struct ensuring {
    const char *handle, *name;
    struct uuid agent_id;
    enum default_context which;
};

static err ensure_body(struct ctx *c, void *arg)
{
    const struct ensuring *e = arg;
    struct context x = {.context_type = CONTEXT_AGENT_MEMORY, .scope = CONTEXT_OF_AGENT, .agent_id = e->agent_id,
                        .context_data = json_obj(c->arena), .metadata = json_obj(c->arena),
                        .retention_policy = json_raw(c->arena, default_policy(e->which))};

    TRY(space_make(c, &(struct space){.kind = SPACE_CONTEXT, .slug = e->handle, .name = e->name,
                                          .owner_agent_id = e->agent_id}, &x.id));
    TRY(context_store_insert(c, &x));
    TRY(context_log(c, LOGGED_CREATE, x.id, NULL));
    TRY(audit_add(c, &(struct audit){.kind = "space.create", .subject_kind = "space", .subject_id = x.id,
                                     .space_id = x.id, .is_news = true}));
    return access_changed(c);
}

err context_ensure(struct ctx *c, struct uuid agent_id, enum default_context which, struct context *out)
{
    struct ensuring e = {.handle = context_default_handle(c, agent_id, which), .agent_id = agent_id, .which = which};
    struct context x = {0};
    struct agent agent;
    bool found;

    TRY(context_store_get(c, (struct uuid){{0}}, e.handle, &found, &x));
    if (!found) {
        TRY(agent_get(c, agent_id, &agent));
        e.name = arena_printf(c->arena, "%.200s %s", agent.name, enumx_name(&default_context_enumx, (int)which));
        err r = db_tx(c, ensure_body, &e);
        if (r == ERR_CONFLICT)
            ctx_forgive(c); /* another request made it just now, or it was deleted: the next read tells */
        else
            TRY(r);
        TRY(context_store_get(c, (struct uuid){{0}}, e.handle, &found, &x));
    }
    if (!found || !uuid_eq(x.owner_agent_id, agent_id))
        return space_why_missing(c, arena_printf(c->arena, "the %s of this agent", enumx_name(&default_context_enumx, (int)which)),
                                 SPACE_CONTEXT, e.handle, agent_id);
    space_widen(c, x.id, ACCESS_WRITE);
    x.access = access_level(c->access, x.id);
    *out = x;
    return ERR_OK;
}
