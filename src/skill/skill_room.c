/* Spaces of kind skills: the one of the account, which is made when it is first needed, and libraries of teams. */
#include "skill_room.h"

#include "audit.h"
#include "db.h"
#include "skill_impl.h"

static err skill_room_make(struct ctx *c, const struct space *in, struct space *out)
{
    return space_create(c, in, out);
}

static err skill_room_slug(struct ctx *c, const char *slug)
{
    return str_eq(slug, SKILL_SPACE) ? fail(c, ERR_CONFLICT, "the slug '%s' is that of the account's own skills", slug) : ERR_OK;
}

/* The one of the account stays: skills without a space go there. */
static err skill_room_may(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after)
{
    (void)after;
    if ((deed == SPACE_DELETES || deed == SPACE_ARCHIVES) && str_eq(before->slug, SKILL_SPACE))
        return fail(c, ERR_CONFLICT, "the account's own skills cannot be deleted or archived; archive its skills instead");
    return ERR_OK;
}

const struct space_room SKILLS_ROOM = {
    .kind = SPACE_SKILLS, .calls = "/api/v1/ai/skills", .create = PERM_SKILLS_WRITE, .update = PERM_SKILLS_MANAGE,
    .remove = PERM_SKILLS_MANAGE, .govern = PERM_SKILLS_MANAGE, .govern_own = PERM_SKILLS_WRITE, .keeps_nodes = true,
    .make = skill_room_make, .check_slug = skill_room_slug, .may = skill_room_may,
};

/* Who may write skills at all is a question of permissions; grants of this space can narrow it. */
static err skill_room_make_own(struct ctx *c, void *arg)
{
    struct grant grants[] = {{.grantee_kind = GRANTEE_EVERYONE, .grantee_id = "", .level = ACCESS_WRITE},
                             {.grantee_kind = GRANTEE_ROLE, .grantee_id = "owner", .level = ACCESS_MANAGE},
                             {.grantee_kind = GRANTEE_ROLE, .grantee_id = "admin", .level = ACCESS_MANAGE}};
    struct uuid *id = arg;

    *id = (struct uuid){{0}};
    TRY(space_make(c, &(struct space){.kind = SPACE_SKILLS, .slug = SKILL_SPACE, .name = "Skills",
                                      .description = "skills of the account"}, id));
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++) {
        grants[i].space_id = *id;
        TRY(grant_make(c, &grants[i]));
    }
    TRY(audit_add(c, &(struct audit){.kind = "space.create", .subject_kind = "space", .subject_id = *id, .space_id = *id}));
    return access_changed(c);
}

/* Two at once: the second one finds what the first one made. */
err skill_space_to_write(struct ctx *c, struct uuid *id)
{
    struct space s = {0};
    err e = space_by_slug(c, SPACE_SKILLS, SKILL_SPACE, &s);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        e = db_tx(c, skill_room_make_own, &s.id);
        if (e == ERR_OK)
            space_widen(c, s.id, ACCESS_WRITE);
        else if (e == ERR_CONFLICT) {
            ctx_forgive(c);
            e = space_by_slug(c, SPACE_SKILLS, SKILL_SPACE, &s);
        }
    }
    if (e == ERR_NOT_FOUND)
        return space_why_missing(c, "the account's skills", SPACE_SKILLS, SKILL_SPACE, (struct uuid){{0}});
    TRY(e);
    *id = s.id;
    return access_require(c, *id, ACCESS_WRITE);
}
