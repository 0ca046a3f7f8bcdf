/* Access to merges and duplicates; see governed.h. */
#include "governed.h"

#include "audit.h"
#include "db.h"
#include "governed_store.h"
#include "space.h"
#include "subject.h"

static bool governs_all(const struct ctx *c)
{
    return permissions_have(c->who->perms, PERM_MEMORY_MANAGE);
}

err governed_may_list(struct ctx *c)
{
    return governs_all(c) || c->who->kind != PRINCIPAL_USER ? ERR_OK
           : fail(c, ERR_FORBIDDEN, "missing permission: %s", enumx_name(&permission_enumx, PERM_MEMORY_MANAGE));
}

err governed_require(struct ctx *c, struct uuid space_id, enum access_level level)
{
    struct uuid owner;

    TRY(governed_may_list(c));
    if (governs_all(c) && access_level(c->access, space_id) >= level)
        return ERR_OK;
    TRY(governed_store_owner(c, space_id, &owner));
    if (!uuid_is_nil(owner) && (governs_all(c) || uuid_eq(owner, c->who->id))) {
        TRY(subject_require(c, owner, level));
        space_widen(c, space_id, level);
    } else if (!governs_all(c))
        return fail(c, ERR_NOT_FOUND, "no such space");
    return access_require(c, space_id, level);
}

static struct json *governed_ids_of(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < n; i++)
        json_push(list, json_str(c->arena, arena_strdup(c->arena, UUID_STR(ids[i]))));
    return list;
}

static err governed_add_note(struct ctx *c, void *arg)
{
    return audit_add(c, arg);
}

err governed_note(struct ctx *c, const struct uuid *spaces, size_t n)
{
    struct uuid *closed = ARENA_ARRAY(c->arena, struct uuid, n + 1), *owners = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct json *payload = json_obj(c->arena);
    size_t n_closed = 0, n_owners;

    for (size_t i = 0; i < n; i++)
        if (!access_may_read(c, spaces[i]))
            closed[n_closed++] = spaces[i];
    if (!n_closed)
        return ERR_OK;
    TRY(governed_store_owners(c, closed, n_closed, owners, &n_owners));
    json_set_str(c->arena, payload, "permission", enumx_name(&permission_enumx, PERM_MEMORY_MANAGE));
    json_set_str(c->arena, payload, "level", enumx_name(&access_level_enumx, ACCESS_READ));
    json_set(c->arena, payload, "agents", governed_ids_of(c, owners, n_owners));
    return db_tx(c, governed_add_note, &(struct audit){.kind = "memory.access", .subject_kind = n_owners == 1 ? "agent" : "account",
                                                       .subject_id = n_owners == 1 ? owners[0] : c->account_id, .payload = payload});
}
