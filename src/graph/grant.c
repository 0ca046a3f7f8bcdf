/* Grants; see grant.h. */
#include "grant.h"

#include <string.h>

#include "audit.h"
#include "db.h"
#include "grant_store.h"
#include "space_store.h"

ENUMX_DEFINE(grantee_kind, GRANTEE_KIND);

static err missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such grant");
}

static struct json *state_of(struct ctx *c, const struct grant *g)
{
    struct json *j = json_obj(c->arena);

    json_set_str(c->arena, j, "grant_id", arena_strdup(c->arena, UUID_STR(g->id)));
    json_set_str(c->arena, j, "grantee_kind", enumx_name(&grantee_kind_enumx, (int)g->grantee_kind));
    json_set_str(c->arena, j, "grantee_id", g->grantee_id);
    json_set_str(c->arena, j, "level", enumx_name(&access_level_enumx, (int)g->level));
    if (g->expires_at.us)
        json_set_str(c->arena, j, "expires_at", arena_strdup(c->arena, instant_text(g->expires_at, (char[INSTANT_TEXT]){0})));
    return j;
}

/* The subject of the events is the space: its trail shows who could see it when. */
static err changed(struct ctx *c, const char *verb, const struct grant *before, const struct grant *after)
{
    struct uuid space_id = after ? after->space_id : before->space_id;

    TRY(audit_add(c, &(struct audit){.kind = verb, .subject_kind = "space", .subject_id = space_id, .space_id = space_id,
                                     .before = before ? state_of(c, before) : NULL, .after = after ? state_of(c, after) : NULL,
                                     .is_news = true}));
    return access_changed(c);
}

/* ---- checks */

static err check_level(struct ctx *c, enum access_level level, struct instant expires_at)
{
    if (level < ACCESS_READ || level > ACCESS_MANAGE)
        return fail_field(c, "/level", "level must be read, write or manage");
    if (expires_at.us && expires_at.us <= c->now.us)
        return fail_field(c, "/expires_at", "expires_at is in the past");
    return ERR_OK;
}

/* Ids are stored in one spelling, so that they compare as text. */
static err check_grantee(struct ctx *c, const struct grant_new *in, const char **grantee_id)
{
    struct uuid id;
    bool yes;

    *grantee_id = in->grantee_id ? in->grantee_id : "";
    if (in->grantee_kind == GRANTEE_EVERYONE)
        return **grantee_id ? fail_field(c, "/grantee_id", "everyone has no id; leave it out") : ERR_OK;
    if (!**grantee_id)
        return fail_field(c, "/grantee_id", "grantee_id is required for this grantee_kind");
    if (in->grantee_kind != GRANTEE_ROLE) {
        if (!uuid_parse(*grantee_id, &id))
            return fail_field(c, "/grantee_id", "grantee_id must be the UUID of a user, agent or team");
        *grantee_id = arena_strdup(c->arena, UUID_STR(id));
    }
    TRY(grant_store_has_grantee(c, in->grantee_kind, *grantee_id, &yes));
    return yes ? ERR_OK : fail_field(c, "/grantee_id", "there is no such %s in this account",
                                     enumx_name(&grantee_kind_enumx, (int)in->grantee_kind));
}

/* ---- taking: the door for whoever holds memory.manage, with a camera above it */

static bool is_self(const struct ctx *c, enum grantee_kind kind, const char *grantee_id)
{
    enum grantee_kind own = c->who->kind == PRINCIPAL_USER ? GRANTEE_USER : GRANTEE_AGENT;

    return c->who->kind != PRINCIPAL_SYSTEM && kind == own && str_eq(grantee_id, UUID_STR(c->who->id));
}

static err check_takable(struct ctx *c, struct uuid space_id)
{
    struct space s = {0};
    bool found;

    TRY(space_store_get(c, space_id, &found, &s));
    if (!found || s.deleted_at.us || (s.kind == SPACE_NAMESPACE && str_eq(s.slug, "system")))
        return fail(c, ERR_NOT_FOUND, "no such space");
    return ERR_OK;
}

/* ---- calls */

struct adding {
    struct grant given, grant;       /* as it is asked for; as it became */
    bool take;
};

static err add_body(struct ctx *c, void *arg)
{
    struct adding *a = arg;
    bool found;
    err e;

    a->grant = a->given;
    if (a->take) {
        TRY(grant_store_put(c, &a->grant));
        TRY(grant_store_of_grantee(c, a->grant.space_id, a->grant.grantee_kind, a->grant.grantee_id, &found, &a->grant));
        return changed(c, "grant.take", NULL, &a->grant);
    }
    e = grant_store_insert(c, c->account_id, &a->grant);
    if (e == ERR_CONFLICT && db_was_duplicate(c)) {
        ctx_forgive(c);
        return fail(c, ERR_CONFLICT, "this grantee has a grant here already; change that one");
    }
    TRY(e);
    return changed(c, "grant.add", NULL, &a->grant);
}

err grant_add(struct ctx *c, const struct grant_new *in, struct grant *out)
{
    struct adding a = {.given = {.space_id = in->space_id, .grantee_kind = in->grantee_kind, .level = in->level,
                                 .granted_by = c->who->id, .created_at = c->now, .expires_at = in->expires_at}};

    a.take = access_level(c->access, in->space_id) < ACCESS_MANAGE && permissions_have(c->who->perms, PERM_MEMORY_MANAGE) &&
             is_self(c, in->grantee_kind, in->grantee_id);
    if (!a.take)
        TRY(access_require(c, in->space_id, ACCESS_MANAGE));
    TRY(check_level(c, in->level, in->expires_at));
    if (a.take)
        TRY(check_takable(c, in->space_id));
    TRY(check_grantee(c, in, &a.given.grantee_id));
    a.given.id = uuid_new(c->now.us);
    TRY(db_tx(c, add_body, &a));
    *out = a.grant;
    return ERR_OK;
}

err grant_list(struct ctx *c, struct uuid space_id, int64_t limit, const char *cursor, struct page *out)
{
    struct uuid before;
    struct grant *rows;
    size_t n;

    TRY(access_require(c, space_id, ACCESS_MANAGE));
    TRY(page_begin(c, cursor, &before));
    TRY(grant_store_list(c, space_id, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct grant, id);
    return ERR_OK;
}

struct changing {
    struct uuid space_id, id;
    const struct grant_patch *patch;     /* NULL: take the grant away */
    struct grant after;
};

static err change_body(struct ctx *c, void *arg)
{
    struct changing *h = arg;
    struct grant before = {0};
    bool found;

    TRY(grant_store_get(c, h->space_id, h->id, &found, &before));
    if (!found)
        return missing(c);
    if (!h->patch) {
        TRY(grant_store_delete(c, h->space_id, h->id, &found));
        return found ? changed(c, "grant.remove", &before, NULL) : missing(c);
    }
    h->after = before;
    if (h->patch->set & GRANT_SET_LEVEL)
        h->after.level = h->patch->level;
    if (h->patch->set & GRANT_SET_EXPIRES)
        h->after.expires_at = h->patch->expires_at;
    TRY(check_level(c, h->after.level, h->patch->set & GRANT_SET_EXPIRES ? h->after.expires_at : (struct instant){0}));
    h->after.granted_by = c->who->id;
    TRY(grant_store_update(c, &h->after, &found));
    return found ? changed(c, "grant.update", &before, &h->after) : missing(c);
}

err grant_update(struct ctx *c, struct uuid space_id, struct uuid id, const struct grant_patch *p, struct grant *out)
{
    struct changing h = {.space_id = space_id, .id = id, .patch = p};

    TRY(access_require(c, space_id, ACCESS_MANAGE));
    TRY(db_tx(c, change_body, &h));
    *out = h.after;
    return ERR_OK;
}

err grant_remove(struct ctx *c, struct uuid space_id, struct uuid id)
{
    struct changing h = {.space_id = space_id, .id = id};

    TRY(access_require(c, space_id, ACCESS_MANAGE));
    return db_tx(c, change_body, &h);
}

/* ---- for other services */

err grants_of(struct ctx *c, struct uuid space_id, struct grant **rows, size_t *n)
{
    struct uuid all;

    memset(&all, 0xff, sizeof all);
    TRY(grant_store_list(c, space_id, GRANTS_OF, all, rows, n));
    return *n <= GRANTS_OF ? ERR_OK : fail(c, ERR_CONFLICT, "the space has more than %d grants; change them one by one", GRANTS_OF);
}

err grant_can_be_to(struct ctx *c, enum grantee_kind kind, const char *grantee_id, bool *yes)
{
    return grant_store_has_grantee(c, kind, grantee_id, yes);
}

err grant_replace(struct ctx *c, const struct grant *before, const struct grant *after)
{
    struct grant g;
    bool done;

    if (!after) {
        TRY(grant_store_delete(c, before->space_id, before->id, &done));
        return changed(c, "grant.remove", before, NULL);
    }
    g = *after;
    g.granted_by = c->who->id;
    if (before) {
        g.id = before->id;
        TRY(grant_store_update(c, &g, &done));
        return changed(c, "grant.update", before, &g);
    }
    g.id = uuid_new(c->now.us);
    g.created_at = c->now;
    TRY(grant_store_insert(c, c->account_id, &g));
    return changed(c, "grant.add", NULL, &g);
}

err grant_make(struct ctx *c, const struct grant_new *in)
{
    return grant_store_insert(c, c->account_id,
                              &(struct grant){.id = uuid_new(c->now.us), .space_id = in->space_id, .grantee_kind = in->grantee_kind,
                                              .grantee_id = in->grantee_id ? in->grantee_id : "", .level = in->level,
                                              .granted_by = c->who ? c->who->id : (struct uuid){{0}}, .created_at = c->now,
                                              .expires_at = in->expires_at});
}

err grant_forget_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id)
{
    return grant_store_delete_grantee(c, kind, grantee_id);
}
