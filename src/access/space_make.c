/* Spaces that come with an account, an agent or a team; see space.h. */
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "row.h"
#include "space_impl.h"
#include "space_store.h"

struct namespace
{
    struct uuid account_id;
    struct space space;
    struct grant grants[3];
    size_t n_grants;
};

static err make_namespace(struct ctx *c, const struct namespace *n)
{
    struct space s = space_filled(c, &n->space);

    TRY(space_taken(c, row_insert(c, &SPACE, &s), s.slug));
    for (size_t i = 0; i < n->n_grants; i++) {
        struct grant g = n->grants[i];

        g.space_id = s.id;
        field_begin_row(c, GRANT.columns, &g);
        TRY(row_insert(c, &GRANT, &g));
    }
    return space_changed(c, "space.create", NULL, &s);
}

/* The account may be another than the caller's: accounts are made by locictl. */
static err make_body(struct ctx *c, void *arg)
{
    const struct namespace *n = arg;
    struct uuid account_id = c->account_id;
    err e;

    c->account_id = n->account_id;
    e = make_namespace(c, n);
    c->account_id = account_id;
    return e;
}

err space_make_account_namespaces(struct ctx *c, struct uuid account_id)
{
    struct namespace global = {
        .account_id = account_id,
        .space = {.kind = SPACE_NAMESPACE, .slug = "global", .name = "Global", .description = "shared by everyone in the account"},
        .grants = {{.grantee_kind = GRANTEE_EVERYONE, .grantee_id = "", .level = ACCESS_READ},
                   {.grantee_kind = GRANTEE_ROLE, .grantee_id = "owner", .level = ACCESS_MANAGE},
                   {.grantee_kind = GRANTEE_ROLE, .grantee_id = "admin", .level = ACCESS_MANAGE}},
        .n_grants = 3};
    struct namespace sys = {
        .account_id = account_id,
        .space = {.kind = SPACE_NAMESPACE, .slug = "system", .name = "System", .description = "used by Loci internally"}};

    TRY(db_tx(c, make_body, &global));
    return db_tx(c, make_body, &sys);
}

err space_make_agent_namespace(struct ctx *c, struct uuid agent_id, const char *agent_name)
{
    struct namespace n = {
        .account_id = c->account_id,
        .space = {.kind = SPACE_NAMESPACE, .slug = arena_printf(c->arena, "agent:%s", UUID_STR(agent_id)), .name = agent_name,
                  .description = "private memories of this agent", .owner_agent_id = agent_id}};

    return db_tx(c, make_body, &n);
}

err space_make_team_namespace(struct ctx *c, struct uuid team_id, const char *team_slug, const char *team_name)
{
    struct namespace n = {
        .account_id = c->account_id,
        .space = {.kind = SPACE_NAMESPACE, .slug = arena_printf(c->arena, "team:%s", team_slug), .name = team_name,
                  .description = "shared by this team", .team_id = team_id},
        .grants = {{.grantee_kind = GRANTEE_TEAM, .grantee_id = arena_strdup(c->arena, UUID_STR(team_id)), .level = ACCESS_WRITE}},
        .n_grants = 1};

    return db_tx(c, make_body, &n);
}

err space_make(struct ctx *c, const struct space *in, struct uuid *id)
{
    struct space s = *in;

    s.id = *id;
    s = space_filled(c, &s);
    TRY(space_taken(c, row_insert(c, &SPACE, &s), s.slug));
    *id = s.id;
    return ERR_OK;
}

err space_purge(struct ctx *c, struct uuid id)
{
    TRY(space_store_delete(c, id));
    TRY(audit_add(c, &(struct audit){.kind = "space.purge", .subject_kind = "space", .subject_id = id, .space_id = id}));
    return access_changed(c);
}
