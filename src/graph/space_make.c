/* Spaces that come with an account, an agent or a team; see space.h. */
#include "audit.h"
#include "db.h"
#include "grant.h"
#include "grant_store.h"
#include "space_impl.h"
#include "space_store.h"

struct namespace
{
    struct uuid account_id;
    struct space_new space;
    struct grant_new grants[3];
    size_t n_grants;
};

/* The account may be another than the caller's: accounts are made by locictl. */
static err make_body(struct ctx *c, void *arg)
{
    const struct namespace *n = arg;
    struct uuid account_id = c->account_id;
    struct space s = space_filled(c, &n->space);
    err e;

    TRY(space_taken(c, space_store_insert(c, n->account_id, &s), s.slug));
    for (size_t i = 0; i < n->n_grants; i++) {
        const struct grant_new *g = &n->grants[i];

        TRY(grant_store_insert(c, n->account_id,
                               &(struct grant){.id = uuid_new(c->now.us), .space_id = s.id, .grantee_kind = g->grantee_kind,
                                               .grantee_id = g->grantee_id, .level = g->level, .created_at = c->now}));
    }
    c->account_id = n->account_id;
    e = space_changed(c, "space.create", NULL, &s);
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

err space_make(struct ctx *c, const struct space_new *in, struct uuid *id)
{
    struct space s = space_filled(c, in);

    if (!uuid_is_nil(*id))
        s.id = *id;
    TRY(space_taken(c, space_store_insert(c, c->account_id, &s), s.slug));
    *id = s.id;
    return ERR_OK;
}

err space_purge(struct ctx *c, struct uuid id)
{
    TRY(space_store_delete(c, id));
    TRY(audit_add(c, &(struct audit){.kind = "space.purge", .subject_kind = "space", .subject_id = id, .space_id = id}));
    return access_changed(c);
}
