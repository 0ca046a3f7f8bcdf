/* What holds for spaces of kind domain at every door. */
#include "domain_room.h"

#include "db.h"
#include "domain_store.h"

/* An agent's first work role; whoever has none writes by the role of the credential. */
static err domain_first_role(struct ctx *c, const char **role)
{
    struct strs roles;

    TRY(access_roles(c, &roles));
    *role = roles.n ? roles.v[0] : "system";
    return ERR_OK;
}

static err domain_room_make_tx(struct ctx *c, const struct space *in, struct space *out)
{
    const char *role;

    TRY(domain_first_role(c, &role));
    TRY(space_create(c, in, out));
    TRY(domain_store_insert(c, out->id, role));
    TRY(grant_make(c, &(struct grant){.space_id = out->id, .grantee_kind = GRANTEE_ROLE, .grantee_id = role, .level = ACCESS_WRITE}));
    return access_changed(c);
}
DB_TX_INNER(domain_room_make, struct space, struct space)

static err domain_room_slug(struct ctx *c, const char *slug)
{
    return str_eq(slug, domain_name_of(c->arena, slug)) ? ERR_OK
                                                        : fail_field(c, "/slug", "the name of a domain is of a-z 0-9 -, at most %d",
                                                                     DOMAIN_NAME);
}

static err domain_room_may(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    bool is_empty = true;

    if (after && !str_eq(before->slug, after->slug))
        return fail_reason(c, ERR_CONFLICT, "protected", "the name of a domain cannot be changed");
    if (after && after->expires_at.us)
        return fail_reason(c, ERR_CONFLICT, "protected", "a domain does not expire");
    if (deed == SPACE_DELETES)
        TRY(domain_store_is_empty(c, before->id, &is_empty));
    return is_empty ? ERR_OK : fail_reason(c, ERR_CONFLICT, "not_empty", "the domain holds memories; only an empty one can be deleted");
}

/* Whoever has no row has no access: so none is none. */
static err domain_room_granted(struct ctx *c, enum space_deed deed, const struct grant *g)
{
    if (deed == SPACE_GRANTS && g->grantee_kind == GRANTEE_EVERYONE)
        return fail_field(c, "/grantee_kind", "a domain is granted to roles, agents, teams and people, never to everyone");
    return ERR_OK;
}

const struct space_room DOMAIN_ROOM = {
    .kind = SPACE_DOMAIN, .calls = "/api/v1/domains", .create = PERM_POLICY_MANAGE, .update = PERM_POLICY_MANAGE,
    .remove = PERM_POLICY_MANAGE, .govern = PERM_POLICY_MANAGE, .takes_work_roles = true,
    .make = domain_room_make, .check_slug = domain_room_slug, .may = domain_room_may, .granted = domain_room_granted,
};
