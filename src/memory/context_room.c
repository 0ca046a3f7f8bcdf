/* What holds for spaces of kind context at every door: permissions, handles that are derived, the access log. */
#include "context_impl.h"
#include "context_store.h"
#include "space_rooms.h"

static enum access_action action_of(enum space_deed deed)
{
    switch (deed) {
    case SPACE_ARCHIVES: return LOGGED_ARCHIVE;
    case SPACE_UNARCHIVES: return LOGGED_UNARCHIVE;
    case SPACE_DELETES: return LOGGED_DELETE;
    case SPACE_RESTORES: return LOGGED_RESTORE;
    case SPACE_GRANTS: return LOGGED_GRANT;
    case SPACE_REVOKES: return LOGGED_REVOKE;
    case SPACE_LISTS_GRANTS: return LOGGED_READ;
    default: return LOGGED_UPDATE;
    }
}

/* The default contexts of all agents are found by handles of this form. */
static err check_handle(struct ctx *c, const char *slug)
{
    size_t n = strlen(CONTEXT_DERIVED);

    if (!str_starts(slug, CONTEXT_DERIVED) || strlen(slug) != n + CONTEXT_DERIVED_HEX || strspn(slug + n, "0123456789abcdef") != CONTEXT_DERIVED_HEX)
        return ERR_OK;
    return fail_reason(c, ERR_CONFLICT, "protected", "handles '" CONTEXT_DERIVED "' followed by %d hex digits are made by Loci",
                       CONTEXT_DERIVED_HEX);
}

static err keep_handle(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    if (deed != SPACE_UPDATES || !after || str_eq(before->slug, after->slug) || uuid_is_nil(before->owner_agent_id))
        return ERR_OK;
    for (int i = 0; i < (int)default_context_enumx.n; i++)
        if (str_eq(before->slug, context_default_handle(c, before->owner_agent_id, (enum default_context)i)))
            return fail_reason(c, ERR_CONFLICT, "protected", "the handle of a default context cannot be changed");
    return ERR_OK;
}

static err log_change(struct ctx *c, enum space_deed deed, const struct space *after)
{
    if (deed == SPACE_UPDATES)
        TRY(context_store_count(c, after->id, 0, 0)); /* last_modified_at */
    return context_log(c, action_of(deed), after->id, NULL);
}

static err log_grant(struct ctx *c, enum space_deed deed, const struct grant *g)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "grantee_kind", enumx_name(&grantee_kind_enumx, (int)g->grantee_kind));
    json_set_str(c->arena, said, "grantee_id", g->grantee_id);
    json_set_str(c->arena, said, "level", enumx_name(&access_level_enumx, (int)(deed == SPACE_REVOKES ? ACCESS_NONE : g->level)));
    return context_log(c, action_of(deed), g->space_id, said);
}

static void log_refusal(struct ctx *c, enum space_deed deed, struct uuid space_id)
{
    access_log_refusal(c, action_of(deed), space_id, c->fault.message);
}

const struct space_room CONTEXT_ROOM = {
    .kind = SPACE_CONTEXT, .calls = "/api/v1/ai/contexts", .create = PERM_CONTEXT_CREATE, .update = PERM_CONTEXT_UPDATE,
    .remove = PERM_CONTEXT_DELETE, .govern = PERM_CONTEXT_MANAGE, .govern_own = PERM_CONTEXT_UPDATE,
    .make = context_make_space, .check_slug = check_handle, .may = keep_handle, .changed = log_change, .granted = log_grant,
    .refused = log_refusal,
};
