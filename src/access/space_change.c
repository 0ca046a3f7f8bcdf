/* Spaces as callers change, archive, delete and restore them; see space.h. */
#include <string.h>

#include "db.h"
#include "grant_store.h"
#include "limit.h"
#include "match.h"
#include "row.h"
#include "space_impl.h"
#include "space_room.h"
#include "space_store.h"
#include "thing.h"

struct change {
    struct uuid id;
    int64_t if_version;
    enum space_deed deed;
    const char *verb;
    const struct space_change *asked;
    bool even_namespace, even_archived;
    bool even_expired, deleted;                    /* asks for what may_restore() asks */
    err (*apply)(struct ctx *c, struct change *h); /* from `before` to `after`; sets `idle` when there is nothing to do */
    bool on, idle;
    struct space before, after;
};

/* Whoever could manage it when it was deleted: the access set of the caller does not hold deleted spaces. */
static err may_restore(struct ctx *c, const struct space *s)
{
    enum access_level level;

    if (c->who->kind == PRINCIPAL_SYSTEM || permissions_have(c->who->perms, PERM_MEMORY_MANAGE))
        return ERR_OK;
    if (c->who->kind == PRINCIPAL_AGENT && uuid_eq(c->who->id, s->owner_agent_id))
        return ERR_OK;
    TRY(grant_store_level(c, s->id, &level));
    return level >= ACCESS_MANAGE ? ERR_OK : space_missing(c);
}

/* Its own room has asked for the permission already, and does the rest. */
static bool is_by_room(const struct change *h)
{
    return h->asked && h->asked->by_room;
}

static err space_change_permit(struct ctx *c, const struct change *h, bool is_expired)
{
    if (is_by_room(h))
        return access_require(c, h->id, ACCESS_MANAGE);
    if (!h->deleted && !is_expired)
        return space_room_permit(c, &h->before, h->deed);
    TRY(may_restore(c, &h->before));
    return space_room_permission(c, &h->before, h->deed);
}

static err room_may(struct ctx *c, const struct change *h, const struct space *after)
{
    const struct space_room *r = space_room_of(c, h->before.kind);

    return r && r->may ? r->may(c, h->deed, &h->before, after) : ERR_OK;
}

static err space_change_take(struct ctx *c, struct change *h)
{
    bool found, is_expired;

    if (h->deleted || access_may_manage(c, h->id))
        TRY(space_store_lock(c, h->id, &found, &h->before));
    else
        TRY(row_get(c, &SPACE, h->id, &found, &h->before));
    is_expired = found && !h->before.deleted_at.us && !space_is_there(c, &h->before);
    if (!found || (!h->deleted && !space_is_there(c, &h->before) && !(h->even_expired && is_expired)))
        return space_missing(c);
    if (access_may_read(c, h->id))
        TRY(room_may(c, h, NULL));
    TRY(space_change_permit(c, h, is_expired));
    TRY(match_version(c, h->if_version, h->before.version));
    if (h->before.kind == SPACE_NAMESPACE && !h->even_namespace)
        return fail(c, ERR_CONFLICT, "a namespace is created and deleted with its agent, team or account");
    if (h->before.status == SPACE_ARCHIVED && !h->even_archived)
        return fail(c, ERR_CONFLICT, "the space is archived; unarchive it before changing it");
    return ERR_OK;
}

static err space_change_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    const struct space_room *room;
    int64_t changed;

    if (h->asked && changes(h->asked, parent_id))
        TRY(space_store_lock_tree(c)); /* two moves at once could put two spaces above each other */
    TRY(space_change_take(c, h));
    h->after = h->before;
    h->idle = false;
    TRY(h->apply(c, h));
    if (h->idle)
        return ERR_OK;
    room = space_room_of(c, h->before.kind);
    TRY(room_may(c, h, &h->after));
    field_touch(c, SPACE.columns, &h->after);
    TRY(space_taken(c, row_update(c, &SPACE, &h->after, &changed), h->after.slug));
    if (!changed)
        return match_lost(c, h->if_version);
    if (room && room->changed && !is_by_room(h))
        TRY(room->changed(c, h->deed, &h->after));
    return space_changed(c, h->verb, &h->before, &h->after);
}

static err space_change_run(struct ctx *c, struct change *h, struct space *out)
{
    TRY(db_tx(c, space_change_body, h));
    h->after.access = ACCESS_MANAGE;
    if (out)
        *out = h->after;
    return ERR_OK;
}

static err check_parent(struct ctx *c, struct change *h, struct uuid parent)
{
    bool below;

    if (uuid_is_nil(parent) || uuid_eq(parent, h->before.parent_id))
        return ERR_OK;
    if (!access_may_write(c, parent))
        return fail_field(c, "/parent_id", "no such space with write access");
    TRY(space_store_is_below(c, h->id, parent, &below));
    return below ? fail_field(c, "/parent_id", "a space cannot be its own parent") : ERR_OK;
}

/* after->settings is what was given: NULL clears them. */
static err space_change_merge_settings(struct ctx *c, const struct space *before, struct space *after)
{
    struct json *old;
    const char *why;

    if (json_parse(c->arena, before->settings->s, strlen(before->settings->s), &old, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "stored settings cannot be read: %s", why);
    after->settings = after->settings ? json_merge_patch(c->arena, old, after->settings) : json_obj(c->arena);
    if (strlen(json_text(c->arena, after->settings)) > LIMIT_SETTINGS)
        return fail_field(c, "/settings", "settings must be at most %d bytes of JSON", LIMIT_SETTINGS);
    return ERR_OK;
}

static err space_change_apply_change(struct ctx *c, struct change *h)
{
    const struct space_change *ch = h->asked;
    struct space *s = &h->after;
    bool slug = changes(ch, slug) && !str_eq(ch->to.slug, s->slug);

    h->idle = !ch->by_room && !field_is_any_given(SPACE.columns, &ch->change.given, offsetof(struct space_change, to));
    if (slug && s->kind == SPACE_NAMESPACE)
        return fail_field(c, "/slug", "the slug of a namespace cannot be changed");
    if (slug)
        TRY(space_room_check_slug(c, s->kind, ch->to.slug));
    if (changes(ch, expires_at) && s->kind == SPACE_NAMESPACE && ch->to.expires_at.us)
        return fail_field(c, "/expires_at", "a namespace cannot expire");
    TRY(thing_apply(c, &SPACE, ch, s));
    if (changes(ch, expires_at))
        TRY(space_check_expiry(c, s));
    if (changes(ch, settings))
        TRY(space_change_merge_settings(c, &h->before, s));
    return changes(ch, parent_id) ? check_parent(c, h, s->parent_id) : ERR_OK;
}

err space_update(struct ctx *c, const struct space_change *ch, struct space *out)
{
    struct change h = {.id = ch->to.id, .if_version = ch->change.if_version, .deed = SPACE_UPDATES, .verb = "space.update", .asked = ch,
                       .apply = space_change_apply_change, .even_namespace = true};

    return space_change_run(c, &h, out);
}

static err space_change_apply_archive(struct ctx *c, struct change *h)
{
    enum space_status status = h->on ? SPACE_ARCHIVED : SPACE_ACTIVE;

    h->idle = h->before.status == status;
    if (h->idle)
        return ERR_OK;
    h->after.status = status;
    h->after.archived_at = h->on ? c->now : (struct instant){0};
    return ERR_OK;
}

err space_archive(struct ctx *c, struct uuid id, int64_t if_version, struct space *out)
{
    struct change h = {.id = id, .if_version = if_version, .deed = SPACE_ARCHIVES, .verb = "space.archive", .apply = space_change_apply_archive, .on = true,
                       .even_archived = true};

    return space_change_run(c, &h, out);
}

err space_unarchive(struct ctx *c, struct uuid id, int64_t if_version, struct space *out)
{
    struct change h = {.id = id, .if_version = if_version, .deed = SPACE_UNARCHIVES, .verb = "space.unarchive", .apply = space_change_apply_archive,
                       .even_archived = true};

    return space_change_run(c, &h, out);
}

static err apply_delete(struct ctx *c, struct change *h)
{
    h->after.deleted_at = c->now;
    return ERR_OK;
}

err space_delete(struct ctx *c, struct uuid id, int64_t if_version)
{
    struct change h = {.id = id, .if_version = if_version, .deed = SPACE_DELETES, .verb = "space.delete", .apply = apply_delete,
                       .even_archived = true, .even_expired = true};

    return space_change_run(c, &h, NULL);
}

static err space_change_apply_restore(struct ctx *c, struct change *h)
{
    struct instant since = h->before.deleted_at.us ? h->before.deleted_at : h->before.expires_at;

    h->idle = space_is_there(c, &h->before);
    if (h->idle)
        return ERR_OK;
    if (since.us < space_restorable_since(c, h->before.kind).us)
        return space_missing(c);
    h->after.deleted_at = (struct instant){0};
    if (h->after.expires_at.us && h->after.expires_at.us <= c->now.us)
        h->after.expires_at = (struct instant){0};
    return ERR_OK;
}

err space_restore(struct ctx *c, struct uuid id, struct space *out)
{
    struct change h = {.id = id, .deed = SPACE_RESTORES, .verb = "space.restore", .apply = space_change_apply_restore, .even_archived = true, .even_namespace = true,
                       .deleted = true};

    return space_change_run(c, &h, out);
}

err space_free_slug(struct ctx *c, enum space_kind kind, const char *slug)
{
    struct space s, after;
    int64_t changed;
    bool found;

    TRY(space_store_by_slug(c, kind, slug, &found, &s));
    if (!found || space_is_there(c, &s))
        return ERR_OK;
    TRY(space_store_lock(c, s.id, &found, &s));
    if (!found || space_is_there(c, &s) || !str_eq(s.slug, slug))
        return ERR_OK;
    after = s;
    after.slug = space_made_slug(c, s.id);
    field_touch(c, SPACE.columns, &after);
    TRY(row_update(c, &SPACE, &after, &changed));
    return changed ? space_changed(c, "space.update", &s, &after) : match_lost(c, 0);
}
