/* The rules that rooms give for their kinds of space; see space_room.h. */
#include "space_room.h"

#include "app.h"

ENUMX_DEFINE(space_deed, SPACE_DEED);

const struct space_room *space_room_of(const struct ctx *c, enum space_kind kind)
{
    for (const struct space_room *const *r = c->app->space_rooms; r && *r; r++)
        if ((*r)->kind == kind)
            return *r;
    return NULL;
}

/* Of all kinds: names of namespaces would mislead on anything else. */
err space_room_check_slug(struct ctx *c, enum space_kind kind, const char *slug)
{
    static const char *const RESERVED[] = {"global", "system"};
    const struct space_room *r = space_room_of(c, kind);

    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; i++)
        if (str_eq(slug, RESERVED[i]))
            return fail_reason(c, ERR_CONFLICT, "protected", "the slug '%s' is reserved", slug);
    return slug && r && r->check_slug ? r->check_slug(c, slug) : ERR_OK;
}

err space_room_create(struct ctx *c, const struct space *in, struct space *out)
{
    const struct space_room *r = space_room_of(c, in->kind);
    const char *kind = enumx_name(&space_kind_enumx, (int)in->kind);

    if (in->kind == SPACE_NAMESPACE)
        return fail_field(c, "/kind", "namespaces are created with their agent, team or account; create a context or a pool");
    if (!r || !r->make)
        return fail_field(c, "/kind", "spaces of kind %s cannot be created yet; create a context or a pool", kind);
    TRY(access_permit(c, r->create));
    TRY(space_room_check_slug(c, in->kind, in->slug));
    return r->make(c, in, out);
}

/* An agent governs what it owns, although its role does not govern what others own. A token that was made for less does not. */
static bool governs_own(const struct ctx *c, const struct space_room *r, const struct space *s)
{
    return r->govern_own != PERM_NONE && c->who->kind == PRINCIPAL_AGENT && uuid_eq(c->who->id, s->owner_agent_id) &&
           permissions_have(c->who->perms, r->govern_own) && permissions_have(c->who->scopes, r->govern);
}

/* PERM_NONE: none besides that of the call. */
static enum permission needed(const struct ctx *c, const struct space *s, enum space_deed deed)
{
    const struct space_room *r = space_room_of(c, s->kind);

    if (!r)
        return PERM_NONE;
    switch (deed) {
    case SPACE_DELETES:
    case SPACE_RESTORES:
        return r->remove;
    case SPACE_GRANTS:
    case SPACE_REVOKES:
    case SPACE_LISTS_GRANTS:
        return governs_own(c, r, s) ? PERM_NONE : r->govern;
    default:
        return r->update;
    }
}

bool space_room_allows(const struct ctx *c, const struct space *s, enum space_deed deed)
{
    return permissions_have(c->who->perms, needed(c, s, deed));
}

err space_room_permission(struct ctx *c, const struct space *s, enum space_deed deed)
{
    return access_permit(c, needed(c, s, deed));
}

err space_room_permit(struct ctx *c, const struct space *s, enum space_deed deed)
{
    const struct space_room *r = space_room_of(c, s->kind);
    err e = access_require(c, s->id, ACCESS_MANAGE);

    if (e == ERR_OK)
        e = space_room_permission(c, s, deed);
    if (e != ERR_OK && r && r->refused)
        r->refused(c, deed, s->id);
    return e;
}
