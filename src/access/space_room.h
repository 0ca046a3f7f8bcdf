/* Kinds of space belong to rooms. Each room has one row per kind: who may do what with such a space, and what happens then. All
 * doors (/spaces, the room's own calls, tools, pages, locictl) go through the services of spaces and grants, which obey the row. */
#ifndef LOCI_SPACE_ROOM_H
#define LOCI_SPACE_ROOM_H

#include "grant.h"
#include "permission.h"
#include "space.h"

/* What is done with a space. */
#define SPACE_DEED(X) \
    X(SPACE_UPDATES, "update") X(SPACE_ARCHIVES, "archive") X(SPACE_UNARCHIVES, "unarchive") X(SPACE_DELETES, "delete") \
    X(SPACE_RESTORES, "restore") X(SPACE_GRANTS, "grant") X(SPACE_REVOKES, "revoke") X(SPACE_LISTS_GRANTS, "list grants")
ENUMX_DECLARE(space_deed, SPACE_DEED);

/* Hooks that are NULL have nothing to add. */
struct space_room {
    enum space_kind kind;
    const char *calls; /* path of the room's own calls, for refusals */
    enum permission create, update, remove;
    enum permission govern;     /* to grant, to revoke, to list grants */
    enum permission govern_own; /* what the role of the owning agent needs instead; its token still needs govern */
    bool keeps_nodes;           /* nodes come into it only by the room's own calls */
    bool takes_work_roles;      /* a role that is granted may be an agent's work role, which is any slug */
    /* Makes a whole one, with the room's quota, rows and log. */
    err (*make)(struct ctx *c, const struct space *in, struct space *out);
    /* ERR_CONFLICT for a slug that the room derives or reserves. */
    err (*check_slug)(struct ctx *c, const char *slug);
    /* The room's own rule, inside the transaction. Asked for what may never happen before the permission is looked at (after is
     * NULL), and again with the row as it would become. */
    err (*may)(struct ctx *c, enum space_deed deed, const struct space *before, const struct space *after);
    /* Inside the transaction of the change. */
    err (*changed)(struct ctx *c, enum space_deed deed, const struct space *after);
    err (*granted)(struct ctx *c, enum space_deed deed, const struct grant *g);
    /* c->fault says why. */
    void (*refused)(struct ctx *c, enum space_deed deed, struct uuid space_id);
};

/* NULL: no room has registered the kind. */
const struct space_room *space_room_of(const struct ctx *c, enum space_kind kind);
/* For calls that take any kind of space: makes it through its room, with the room's permission. */
err space_room_create(struct ctx *c, const struct space *in, struct space *out);
/* May the caller do that: the level manage, and the permission of the room. The room notes a refusal. */
err space_room_permit(struct ctx *c, const struct space *s, enum space_deed deed);
/* The permission alone, as a question; for pages. */
bool space_room_allows(const struct ctx *c, const struct space *s, enum space_deed deed);
/* The permission alone, for those whose level was asked otherwise. */
err space_room_permission(struct ctx *c, const struct space *s, enum space_deed deed);
/* May somebody choose that slug for a space of the kind? */
err space_room_check_slug(struct ctx *c, enum space_kind kind, const char *slug);

#endif
