/* The space `taxonomy` of an account: made when it is first needed, and there is one. */
#include "taxonomy_room.h"

#include "audit.h"
#include "db.h"
#include "tag.h"

static err taxonomy_room_slug(struct ctx *c, const char *slug)
{
    return str_eq(slug, TAXONOMY) ? fail(c, ERR_CONFLICT, "the slug '%s' is that of the account's taxonomy", slug) : ERR_OK;
}

static err taxonomy_room_may(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    (void)before, (void)after;
    if (deed == SPACE_DELETES || deed == SPACE_ARCHIVES)
        return fail(c, ERR_CONFLICT, "the account's taxonomy cannot be deleted or archived; reject its tags instead");
    return ERR_OK;
}

const struct space_room TAXONOMY_ROOM = {
    .kind = SPACE_TAXONOMY, .calls = "/api/v1/taxonomy", .create = PERM_GRAPH_MANAGE, .update = PERM_GRAPH_MANAGE,
    .remove = PERM_GRAPH_MANAGE, .govern = PERM_GRAPH_MANAGE, .govern_own = PERM_GRAPH_MANAGE, .keeps_nodes = true,
    .check_slug = taxonomy_room_slug, .may = taxonomy_room_may,
};

/* Everybody meets tags, so everybody may write them by grant; what is done with them, permissions decide. */
static err taxonomy_space_make(struct ctx *c, void *arg)
{
    struct grant grants[] = {{.grantee_kind = GRANTEE_EVERYONE, .grantee_id = "", .level = ACCESS_WRITE},
                             {.grantee_kind = GRANTEE_ROLE, .grantee_id = "owner", .level = ACCESS_MANAGE},
                             {.grantee_kind = GRANTEE_ROLE, .grantee_id = "admin", .level = ACCESS_MANAGE}};
    struct uuid *id = arg;

    *id = (struct uuid){{0}};
    TRY(space_make(c, &(struct space){.kind = SPACE_TAXONOMY, .slug = TAXONOMY, .name = "Taxonomy",
                                      .description = "shared tags of the account"}, id));
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        grants[i].space_id = *id;
        TRY(grant_make(c, &grants[i]));
    }
    TRY(audit_add(c, &(struct audit){.kind = "space.create", .subject_kind = "space", .subject_id = *id, .space_id = *id}));
    return access_changed(c);
}

/* Two at once: the second one finds what the first one made. */
err taxonomy_space(struct ctx *c, struct uuid *id)
{
    struct space s = {0};
    err e = space_by_slug(c, SPACE_TAXONOMY, TAXONOMY, &s);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        e = db_tx(c, taxonomy_space_make, &s.id);
        if (e == ERR_OK)
            space_widen(c, s.id, ACCESS_WRITE);
        else if (e == ERR_CONFLICT) {
            ctx_forgive(c);
            e = space_by_slug(c, SPACE_TAXONOMY, TAXONOMY, &s);
        }
    }
    if (e == ERR_NOT_FOUND)
        return space_why_missing(c, "the account's taxonomy", SPACE_TAXONOMY, TAXONOMY, (struct uuid){{0}});
    TRY(e);
    *id = s.id;
    return ERR_OK;
}
