/* Contexts as callers read and change them; see context.h. */
#include "context.h"

#include <string.h>

#include "access_log.h"
#include "audit.h"
#include "context_impl.h"
#include "context_store.h"
#include "db.h"
#include "match.h"
#include "retention.h"
#include "space_room.h"

ENUMX_DEFINE(context_type, CONTEXT_TYPE);
ENUMX_DEFINE(context_scope, CONTEXT_SCOPE);
ENUMX_DEFINE(default_context, DEFAULT_CONTEXT);

const struct acl_rules CONTEXT_RULES = {.agents = ACCESS_READ, .everyone = ACCESS_READ};

err context_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such context");
}

static err check_object(struct ctx *c, const char *pointer, const struct json *j)
{
    if (!j)
        return ERR_OK;
    if (j->type != JSON_OBJ)
        return fail_field(c, pointer, "%s must be an object", pointer + 1);
    return strlen(json_text(c->arena, j)) <= CONTEXT_DATA
               ? ERR_OK
               : fail_field(c, pointer, "%s must be at most %d bytes of JSON", pointer + 1, CONTEXT_DATA);
}

err context_check(struct ctx *c, const struct json *data, const struct json *metadata, const struct json *retention)
{
    TRY(check_object(c, "/context_data", data));
    TRY(check_object(c, "/metadata", metadata));
    TRY(check_object(c, "/retention_policy", retention));
    return retention ? retention_check(c, retention) : ERR_OK;
}

err context_present(struct ctx *c, struct context *x)
{
    x->access = access_level(c->access, x->id);
    return x->access >= ACCESS_MANAGE ? acl_show(c, x->id, &CONTEXT_RULES, &x->access_control, &x->shared_with) : ERR_OK;
}

/* ---- reading */

err context_find(struct ctx *c, const char *ref, struct context *out)
{
    struct uuid id = {0};
    bool found;

    if (!uuid_parse(ref, &id) && !str_is_slug(ref))
        return context_missing(c);
    *out = (struct context){0};
    TRY(context_store_get(c, id, ref, &found, out));
    if (!found || access_may_read(c, out->id))
        return found ? ERR_OK : context_missing(c);
    access_log_refusal(c, LOGGED_READ, out->id, "the caller may not read the context");
    return context_missing(c);
}

err context_find_to_govern(struct ctx *c, const char *ref, struct context *out)
{
    err e = context_find(c, ref, out);

    if (e != ERR_NOT_FOUND || permissions_have(c->who->perms, PERM_CONTEXT_MANAGE))
        return e;
    ctx_forgive(c);
    return access_permit(c, PERM_CONTEXT_MANAGE);
}

err context_require(struct ctx *c, const struct context *x, enum access_level level, enum access_action action)
{
    err e = access_require(c, x->id, level);

    if (e == ERR_FORBIDDEN)
        access_log_refusal(c, action, x->id, c->fault.message);
    return e;
}

err context_log(struct ctx *c, enum access_action action, struct uuid id, const struct json *metadata)
{
    return access_log_change(c, &(struct access_change){.action = action, .context_id = id, .metadata = metadata});
}

bool context_is_restoring(const struct ctx *c, const struct context *x)
{
    return x->restoring_until.us > c->now.us;
}

err context_refuse_restoring(struct ctx *c)
{
    err e = fail(c, ERR_UNAVAILABLE, "a snapshot of the context is being restored; try again in a moment");

    c->fault.retry_after_s = 1;
    return e;
}

err context_get(struct ctx *c, const char *ref, struct context *out)
{
    struct context x;

    TRY(context_find(c, ref, &x));
    TRY(context_present(c, &x));
    *out = x;
    return ERR_OK;
}

err context_list(struct ctx *c, const struct context_filter *f, struct page *out)
{
    struct context *rows;
    struct uuid before;
    size_t n;

    TRY(page_begin(c, f->cursor, &before));
    TRY(context_store_list(c, f, before, &rows, &n));
    for (size_t i = 0; i < n; i++)
        rows[i].access = access_level(c->access, rows[i].id);
    PAGE_END(c, out, rows, n, f->limit, struct context, id);
    return ERR_OK;
}

err context_stats(struct ctx *c, const char *ref, struct context_stats *out)
{
    struct context x;
    struct context_stats s;
    struct retention r;

    TRY(context_find(c, ref, &x));
    s = (struct context_stats){.id = x.id};
    TRY(context_store_totals(c, x.id, &s));
    TRY(context_store_types(c, x.id, &s));
    retention_read(json_opened(c->arena, x.retention_policy), &r);
    s.fill_entries = (double)s.entry_count / (double)r.max_entries;
    s.fill_bytes = (double)s.data_size_bytes / (double)r.max_size_bytes;
    *out = s;
    return ERR_OK;
}

/* ---- changing */

struct change {
    struct uuid id;
    const struct context_patch *patch;
    struct context after;
};

static const struct json *context_merged(struct ctx *c, const struct json *old, const struct json *patch)
{
    return json_merge_patch(c->arena, json_opened(c->arena, old), patch);
}

static err context_change_body(struct ctx *c, void *arg)
{
    struct change *h = arg;
    const struct context_patch *p = h->patch;
    struct space_change of_space = {.change.if_version = p->if_version, .to.id = h->id, .by_room = true};
    struct space s;
    struct context x;
    bool found;

    if (p->set & CONTEXT_SET_NAME)
        change_to(&of_space, name, p->name);
    if (p->set & CONTEXT_SET_DESCRIPTION)
        change_to(&of_space, description, p->description);
    if (p->set & CONTEXT_SET_EXPIRES)
        change_to(&of_space, expires_at, p->expires_at);
    TRY(space_update(c, &of_space, &s));
    x = (struct context){0};
    TRY(context_store_lock(c, h->id, &found, &x));
    if (!found)
        return context_missing(c);
    if (p->set & CONTEXT_SET_DATA)
        x.context_data = context_merged(c, x.context_data, p->context_data);
    if (p->set & CONTEXT_SET_METADATA)
        x.metadata = context_merged(c, x.metadata, p->metadata);
    if (p->set & CONTEXT_SET_RETENTION)
        x.retention_policy = p->retention_policy ? p->retention_policy : json_obj(c->arena);
    TRY(context_check(c, p->set & CONTEXT_SET_DATA ? x.context_data : NULL, p->set & CONTEXT_SET_METADATA ? x.metadata : NULL,
                      p->set & CONTEXT_SET_RETENTION ? x.retention_policy : NULL));
    if (p->set & CONTEXT_SET_ACCESS && p->access_control)
        TRY(acl_apply(c, h->id, &CONTEXT_RULES, p->access_control));
    x.last_modified_at = c->now;
    h->after = x;
    TRY(context_log(c, LOGGED_UPDATE, h->id, NULL));
    return context_store_update(c, &x);
}

/* Nothing of it would be another: no change, so no version. Who may use it is not compared. */
static bool says_the_same(struct ctx *c, const struct context *x, const struct context_patch *p)
{
    const struct json *data = json_opened(c->arena, x->context_data), *metadata = json_opened(c->arena, x->metadata);
    const struct json *retention = json_opened(c->arena, x->retention_policy);

    return x->status == SPACE_ACTIVE && !(p->set & CONTEXT_SET_ACCESS) &&
           !(p->set & CONTEXT_SET_NAME && !str_eq(p->name, x->name)) &&
           !(p->set & CONTEXT_SET_DESCRIPTION && !str_eq(p->description, x->description)) &&
           !(p->set & CONTEXT_SET_EXPIRES && p->expires_at.us != x->expires_at.us) &&
           !(p->set & CONTEXT_SET_DATA && !json_equal(context_merged(c, data, p->context_data), data)) &&
           !(p->set & CONTEXT_SET_METADATA && !json_equal(context_merged(c, metadata, p->metadata), metadata)) &&
           !(p->set & CONTEXT_SET_RETENTION &&
             !json_equal(p->retention_policy ? p->retention_policy : json_obj(c->arena), retention));
}

err context_update(struct ctx *c, const char *ref, const struct context_patch *p, struct context *out)
{
    struct change h = {.patch = p};

    TRY(context_find(c, ref, &h.after));
    h.id = h.after.id;
    TRY(context_require(c, &h.after, ACCESS_MANAGE, LOGGED_UPDATE));
    if (p->set & CONTEXT_SET_ACCESS)
        TRY(space_room_permit(c, &(struct space){.id = h.id, .kind = SPACE_CONTEXT, .owner_agent_id = h.after.owner_agent_id},
                              SPACE_GRANTS));
    TRY(match_version(c, p->if_version, h.after.version));
    if (!says_the_same(c, &h.after, p))
        TRY(db_tx(c, context_change_body, &h));
    TRY(context_present(c, &h.after));
    *out = h.after;
    return ERR_OK;
}

err context_archive(struct ctx *c, const char *ref, bool archived, int64_t if_version, struct context *out)
{
    struct context x;
    struct space s;

    TRY(context_find(c, ref, &x));
    TRY(archived ? space_archive(c, x.id, if_version, &s) : space_unarchive(c, x.id, if_version, &s));
    return context_get(c, ref, out);
}

err context_delete(struct ctx *c, const char *ref, int64_t if_version)
{
    struct context x;

    TRY(context_find(c, ref, &x));
    return space_delete(c, x.id, if_version);
}
