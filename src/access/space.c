/* Spaces as callers make and read them; space_change.c changes them. */
#include "space.h"

#include <string.h>

#include "audit.h"
#include "db.h"
#include "grant.h"
#include "grant_store.h"
#include "limit.h"
#include "row.h"
#include "space_impl.h"
#include "space_store.h"

ENUMX_DEFINE(space_kind, SPACE_KIND);
ENUMX_DEFINE(space_status, SPACE_STATUS);

static const struct field SPACE_COLUMNS[] = {
    F_UUID(struct space, id, COL_READ | COL_KEY | FIELD_SPACE, "id of the space"),
    F_ENUM(struct space, kind, COL_ONCE, space_kind, SPACE_CONTEXT, "kind of space; namespaces cannot be created", .label = "Kind"),
    F_STR(struct space, name, COL_OPEN | FIELD_REQUIRED, 1, LIMIT_NAME, "display name", .label = "Name"),
    F_STR(struct space, slug, COL_OPEN | FIELD_SLUG, 1, LIMIT_SLUG, "slug, unique in account and kind; default: generated",
          .label = "Slug"),
    F_STR(struct space, description, COL_READ | COL_CREATE | COL_PATCH | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "purpose",
          .label = "Purpose"),
    F_UUID(struct space, parent_id, COL_READ | COL_CREATE | COL_PATCH | FIELD_NULLABLE | FIELD_SPACE,
           "parent space; to set it, the caller needs write access there"),
    F_BOOL(struct space, is_section, COL_READ, false, "it is a part of its parent: a section of a knowledge base, with readers of its own"),
    F_UUID(struct space, owner_agent_id, COL_READ | COL_CREATE | FIELD_NULLABLE, "agent that owns it; default for agents: the caller"),
    F_UUID(struct space, team_id, COL_READ | COL_CREATE | FIELD_NULLABLE, "team with write access"),
    F_OBJECT(struct space, settings, COL_READ | COL_CREATE | COL_PATCH | COL_RESET, LIMIT_SETTINGS,
             "settings of the space; a change is merged into them (RFC 7396), null clears them"),
    F_ENUM(struct space, status, COL_READ | COL_AUDIT, space_status, SPACE_ACTIVE, "status; archived: read-only and left out of recall",
           .shades = "ok off"),
    F_ENUM(struct space, access, COL_SHOW, access_level, ACCESS_READ, "access level of the caller"),
    F_INT(struct space, version, COL_READ | COL_AUDIT | COL_VERSION, 0, 0, 0, "version; increases with every change"),
    F_TIMES(struct space),
    F_TIME(struct space, archived_at, COL_READ | FIELD_NULLABLE, "when it was archived"),
    F_TIME(struct space, expires_at, COL_OPEN | FIELD_NULLABLE, "expiry time; hidden from reads after this; null: never expires"),
    F_TIME(struct space, deleted_at, COL_ROW | FIELD_NULLABLE, "when it was deleted"),
    F_END
};
const struct thing SPACE = THING("space", SPACE_COLUMNS, struct space, .changed = access_changed, .schema = "Space");

err space_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such space");
}

bool space_is_there(const struct ctx *c, const struct space *s)
{
    return !s->deleted_at.us && (!s->expires_at.us || s->expires_at.us > c->now.us);
}

/* ---- events */

static struct json *space_state_of(struct ctx *c, const struct space *s)
{
    return s ? field_encode_use(c->arena, SPACE_COLUMNS, COL_AUDIT, s) : NULL;
}

err space_changed(struct ctx *c, const char *verb, const struct space *before, const struct space *after)
{
    TRY(audit_add(c, &(struct audit){.kind = verb, .subject_kind = "space", .subject_id = after->id, .space_id = after->id,
                                     .before = space_state_of(c, before), .after = space_state_of(c, after), .is_news = true}));
    return access_changed(c);
}

/* ---- making */

err space_check_expiry(struct ctx *c, const struct space *s)
{
    return s->expires_at.us && s->expires_at.us <= c->now.us ? fail_field(c, "/expires_at", "expires_at is in the past") : ERR_OK;
}

static err check_owner(struct ctx *c, const struct space *s)
{
    bool own = c->who->kind == PRINCIPAL_AGENT && uuid_eq(s->owner_agent_id, c->who->id), yes;

    if (uuid_is_nil(s->owner_agent_id) || own)
        return ERR_OK;
    TRY(space_store_has_agent(c, s->owner_agent_id, &yes));
    if (!yes)
        return fail_field(c, "/owner_agent_id", "no such agent in this account");
    return c->who->kind == PRINCIPAL_AGENT ? access_permit(c, PERM_MEMORY_MANAGE) : ERR_OK;
}

static err check_links(struct ctx *c, const struct space *s)
{
    bool yes;

    if (!uuid_is_nil(s->parent_id) && !access_may_write(c, s->parent_id))
        return fail_field(c, "/parent_id", "no such space with write access");
    TRY(check_owner(c, s));
    if (uuid_is_nil(s->team_id))
        return ERR_OK;
    TRY(space_store_has_team(c, s->team_id, &yes));
    return yes ? ERR_OK : fail_field(c, "/team_id", "no such team in this account");
}

const char *space_made_slug(struct ctx *c, struct uuid id)
{
    return arena_printf(c->arena, "s-%s", UUID_STR(id));
}

struct space space_filled(struct ctx *c, const struct space *in)
{
    struct space s = *in;

    field_begin_row(c, SPACE_COLUMNS, &s);
    s.slug = s.slug ? s.slug : space_made_slug(c, s.id);
    s.settings = s.settings ? s.settings : json_obj(c->arena);
    return s;
}

err space_taken(struct ctx *c, err e, const char *slug)
{
    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "slug '%s' is in use by a space of this kind, or by a deleted one that can still be restored", slug);
}

static err space_let_in(struct ctx *c, const struct space *s, enum grantee_kind kind, struct uuid id, enum access_level level)
{
    return grant_make(c, &(struct grant){.space_id = s->id, .grantee_kind = kind, .level = level,
                                         .grantee_id = arena_strdup(c->arena, UUID_STR(id))});
}

/* Who made it can manage it: as its owner, or by a grant. */
static err space_create_body(struct ctx *c, void *arg)
{
    const struct space *s = arg;

    TRY(space_taken(c, row_insert(c, &SPACE, s), s->slug));
    if (c->who->kind == PRINCIPAL_USER)
        TRY(space_let_in(c, s, GRANTEE_USER, c->who->id, ACCESS_MANAGE));
    else if (c->who->kind == PRINCIPAL_AGENT && !uuid_eq(c->who->id, s->owner_agent_id))
        TRY(space_let_in(c, s, GRANTEE_AGENT, c->who->id, ACCESS_MANAGE));
    if (!uuid_is_nil(s->team_id))
        TRY(space_let_in(c, s, GRANTEE_TEAM, s->team_id, ACCESS_WRITE));
    return space_changed(c, "space.create", NULL, s);
}

void space_widen(struct ctx *c, struct uuid id, enum access_level level)
{
    const struct access *old = c->access;
    struct access *a = ARENA_NEW(c->arena, struct access);
    size_t at = 0;

    while (at < old->n && uuid_cmp(old->spaces[at].space_id, id) < 0)
        at++;
    bool is_known = at < old->n && uuid_eq(old->spaces[at].space_id, id);

    if (is_known && old->spaces[at].level >= level)
        return;
    a->own = old->own;
    a->n = old->n + !is_known;
    a->spaces = ARENA_ARRAY(c->arena, struct space_access, a->n);
    a->readable = ARENA_ARRAY(c->arena, struct uuid, a->n);
    for (size_t i = 0; i < a->n; i++) {
        a->spaces[i] = i == at ? (struct space_access){.space_id = id, .level = level, .kind = is_known ? old->spaces[at].kind : -1}
                               : old->spaces[i > at && !is_known ? i - 1 : i];
        a->readable[i] = a->spaces[i].space_id;
    }
    c->access = a;
}

err space_create(struct ctx *c, const struct space *in, struct space *out)
{
    struct space s = space_filled(c, in);

    if (in->kind == SPACE_NAMESPACE)
        return fail_field(c, "/kind", "namespaces are created with their agent, team or account; create a context or a pool");
    if (c->who->kind == PRINCIPAL_AGENT && uuid_is_nil(s.owner_agent_id))
        s.owner_agent_id = c->who->id;
    TRY(field_check(c, SPACE_COLUMNS, &s));
    TRY(space_check_expiry(c, &s));
    TRY(check_links(c, &s));
    TRY(db_tx(c, space_create_body, &s));
    space_widen(c, s.id, ACCESS_MANAGE);
    s.access = ACCESS_MANAGE;
    *out = s;
    return ERR_OK;
}

/* ---- reading */

err space_get(struct ctx *c, struct uuid id, struct space *out)
{
    struct space s;
    bool found;

    TRY(access_require(c, id, ACCESS_READ));
    TRY(row_get(c, &SPACE, id, &found, &s));
    if (!found || !space_is_there(c, &s))
        return space_missing(c);
    s.access = access_level(c->access, id);
    *out = s;
    return ERR_OK;
}

#define JUST_MADE_US (60 * SECOND_US) /* an access set is hardly older than this */

static err look_again(struct ctx *c, const struct space *s)
{
    enum access_level level;

    if (access_may_read(c, s->id) || s->created_at.us < c->now.us - JUST_MADE_US)
        return ERR_OK;
    TRY(grant_store_level(c, s->id, &level));
    if (level > ACCESS_NONE)
        space_widen(c, s->id, level);
    return ERR_OK;
}

err space_by_slug(struct ctx *c, enum space_kind kind, const char *slug, struct space *out)
{
    struct space s;
    bool found;

    TRY(space_store_by_slug(c, kind, slug, &found, &s));
    if (!found || !space_is_there(c, &s))
        return space_missing(c);
    TRY(look_again(c, &s));
    if (!access_may_read(c, s.id))
        return space_missing(c);
    s.access = access_level(c->access, s.id);
    *out = s;
    return ERR_OK;
}

err space_why_missing(struct ctx *c, const char *what, enum space_kind kind, const char *slug, struct uuid owner_agent_id)
{
    struct space s;
    bool found;

    TRY(space_store_by_slug(c, kind, slug, &found, &s));
    if (found && !uuid_eq(s.owner_agent_id, owner_agent_id))
        return fail(c, ERR_CONFLICT, "%s cannot be created: another space has the slug '%s'; change that slug", what, slug);
    if (found && s.deleted_at.us)
        return fail(c, ERR_CONFLICT, "%s was deleted; restore it: POST /api/v1/spaces/%s/restore", what, UUID_STR(s.id));
    if (found && !space_is_there(c, &s))
        return fail(c, ERR_CONFLICT, "%s has expired", what);
    return fail(c, ERR_CONFLICT, "%s was created or removed just now; try again", what);
}

int space_restore_days(enum space_kind kind)
{
    return kind == SPACE_POOL ? SPACE_RESTORE_DAYS_POOL : SPACE_RESTORE_DAYS;
}

err space_gone_by_slug(struct ctx *c, enum space_kind kind, const char *slug, struct uuid *id)
{
    struct space s;
    bool found;

    TRY(space_store_by_slug(c, kind, slug, &found, &s));
    if (!found || space_is_there(c, &s))
        return space_missing(c);
    *id = s.id;
    return ERR_OK;
}

struct instant space_restorable_since(const struct ctx *c, enum space_kind kind)
{
    return (struct instant){c->now.us - space_restore_days(kind) * DAY_US};
}

/* ids NULL: all. */
static err deleted_ids(struct ctx *c, const struct uuid **ids, size_t *n)
{
    struct uuid *list = ARENA_ARRAY(c->arena, struct uuid, LIMIT_SPACES);

    *ids = NULL;
    if (permissions_have(c->who->perms, PERM_MEMORY_MANAGE))
        return ERR_OK;
    TRY(grant_store_deleted(c, list, LIMIT_SPACES, n));
    *ids = list;
    return ERR_OK;
}

err space_list(struct ctx *c, const struct space_filter *f, struct page *out)
{
    const struct uuid *ids = c->access->readable;
    size_t n_ids = c->access->n;
    struct uuid before;
    struct page page;
    struct space *rows;

    TRY(page_begin(c, f->cursor, &before));
    if (f->deleted)
        TRY(deleted_ids(c, &ids, &n_ids));
    TRY(space_store_list(c, f, ids, n_ids, before, &page));
    rows = page.items;
    for (size_t i = 0; i < page.n; i++)
        rows[i].access = access_level(c->access, rows[i].id);
    *out = page;
    return ERR_OK;
}

err space_expired(struct ctx *c, struct uuids *out)
{
    out->v = ARENA_ARRAY(c->arena, struct uuid, LIMIT_SPACES);
    return grant_store_expired(c, out->v, LIMIT_SPACES, &out->n);
}

err space_of_agent(struct ctx *c, struct uuid agent_id, struct uuid *id)
{
    const char *slug = arena_printf(c->arena, "agent:%s", UUID_STR(agent_id));
    struct space s;
    bool found;

    TRY(space_store_by_slug(c, SPACE_NAMESPACE, slug, &found, &s));
    *id = found && space_is_there(c, &s) ? s.id : (struct uuid){{0}};
    return ERR_OK;
}

err space_own(struct ctx *c, struct uuid *id)
{
    if (c->who->kind != PRINCIPAL_AGENT)
        return fail_field(c, "/space_id", "space_id is required: only agents have a namespace of their own");
    if (uuid_is_nil(c->access->own))
        return fail_field(c, "/space_id", "space_id is required: your namespace does not exist");
    *id = c->access->own;
    return ERR_OK;
}
