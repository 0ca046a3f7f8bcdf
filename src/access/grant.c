/* Grants; see grant.h. */
#include "grant.h"

#include <string.h>

#include "audit.h"
#include "db.h"
#include "grant_store.h"
#include "match.h"
#include "row.h"
#include "space_impl.h"
#include "space_room.h"
#include "space_store.h"

ENUMX_DEFINE(grantee_kind, GRANTEE_KIND);

static const struct field GRANT_COLUMNS[] = {
    F_UUID(struct grant, id, COL_READ | COL_KEY, "id of the grant"),
    F_UUID(struct grant, space_id, COL_READ, "the space"),
    F_ENUM(struct grant, grantee_kind, COL_READ | COL_AUDIT, grantee_kind, GRANTEE_USER, "kind of grantee"),
    F_STR(struct grant, grantee_id, COL_READ | COL_AUDIT, 0, 0, "id of the user, agent or team, or name of the role; empty for everyone"),
    F_ENUM(struct grant, level, COL_READ | COL_AUDIT, access_level, ACCESS_READ,
           "write includes read, manage includes write; none: revoked"),
    F_UUID(struct grant, granted_by, COL_READ | FIELD_NULLABLE, "who granted it"),
    F_TIME(struct grant, created_at, COL_READ | COL_BORN, "when it was created"),
    F_TIME(struct grant, expires_at, COL_READ | COL_AUDIT | FIELD_NULLABLE, "expiry time; the grant has no effect after this"),
    F_VERSION(struct grant),
    F_END
};
const struct thing GRANT = THING("space_grant", GRANT_COLUMNS, struct grant, .schema = "Grant");

static err grant_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such grant");
}

static struct json *grant_state_of(struct ctx *c, const struct grant *g)
{
    struct json *j = g ? field_encode_use(c->arena, GRANT_COLUMNS, COL_AUDIT, g) : NULL;

    if (j)
        json_set_str(c->arena, j, "grant_id", arena_strdup(c->arena, UUID_STR(g->id)));
    return j;
}

/* The subject of the events is the space: its trail shows who could see it when. */
static err grant_changed(struct ctx *c, const char *verb, const struct grant *before, const struct grant *after)
{
    struct uuid space_id = after ? after->space_id : before->space_id;

    TRY(audit_add(c, &(struct audit){.kind = verb, .subject_kind = "space", .subject_id = space_id, .space_id = space_id,
                                     .before = grant_state_of(c, before), .after = grant_state_of(c, after), .is_news = true}));
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
static err check_grantee(struct ctx *c, const struct space *s, const struct grant *in, const char **grantee_id)
{
    const struct space_room *r = space_room_of(c, s->kind);
    struct uuid id;
    bool yes;

    *grantee_id = in->grantee_id ? in->grantee_id : "";
    if (in->grantee_kind == GRANTEE_EVERYONE)
        return **grantee_id ? fail_field(c, "/grantee_id", "grantee_id must be omitted for everyone") : ERR_OK;
    if (!**grantee_id)
        return fail_field(c, "/grantee_id", "grantee_id is required for this grantee_kind");
    if (in->grantee_kind != GRANTEE_ROLE) {
        if (!uuid_parse(*grantee_id, &id))
            return fail_field(c, "/grantee_id", "grantee_id must be the UUID of a user, agent or team");
        *grantee_id = arena_strdup(c->arena, UUID_STR(id));
    }
    if (in->grantee_kind == GRANTEE_ROLE && r && r->takes_work_roles)
        return str_is_slug(*grantee_id) && strlen(*grantee_id) <= 64 ? ERR_OK
                                                                     : fail_field(c, "/grantee_id", "a role is 1 to 64 of a-z 0-9 _ . -");
    TRY(grant_store_has_grantee(c, in->grantee_kind, *grantee_id, &yes));
    return yes ? ERR_OK : fail_field(c, "/grantee_id", "no such %s in this account",
                                     enumx_name(&grantee_kind_enumx, (int)in->grantee_kind));
}

/* ---- taking: the door for whoever holds memory.manage, with a camera above it */

static bool grant_is_self(const struct ctx *c, enum grantee_kind kind, const char *grantee_id)
{
    enum grantee_kind own = c->who->kind == PRINCIPAL_USER ? GRANTEE_USER : GRANTEE_AGENT;

    return c->who->kind != PRINCIPAL_SYSTEM && kind == own && str_eq(grantee_id, UUID_STR(c->who->id));
}

static err check_takable(struct ctx *c, struct uuid space_id, struct space *s)
{
    bool found;

    TRY(row_get(c, &SPACE, space_id, &found, s));
    return found && !s->deleted_at.us && !(s->kind == SPACE_NAMESPACE && str_eq(s->slug, "system")) ? ERR_OK : space_missing(c);
}

/* ---- calls */

/* The space, if the caller may do that with its grants. */
static err govern(struct ctx *c, struct uuid space_id, enum space_deed deed, struct space *s)
{
    bool found;

    TRY(row_get(c, &SPACE, space_id, &found, s));
    return found && space_is_there(c, s) ? space_room_permit(c, s, deed) : space_missing(c);
}

/* Writes down one change in the audit trail and in the log of the room. */
static err grant_record(struct ctx *c, const struct space *s, const char *verb, const struct grant *before, const struct grant *after)
{
    const struct space_room *r = space_room_of(c, s->kind);

    if (r && r->granted)
        TRY(r->granted(c, after ? SPACE_GRANTS : SPACE_REVOKES, after ? after : before));
    return grant_changed(c, verb, before, after);
}

static bool grant_is_over(const struct ctx *c, const struct grant *g)
{
    return g->expires_at.us && g->expires_at.us <= c->now.us;
}

struct granting {
    struct space space;
    struct grant wanted, grant; /* as it is asked for; as it became */
    bool take, keeps;           /* keeps: a grant that counts stays as it is */
};

static err grant_remove_row(struct ctx *c, struct granting *g, const struct grant *before)
{
    int64_t changed;

    TRY(row_delete(c, &GRANT, before, &changed));
    if (!changed)
        return grant_missing(c);
    g->grant = *before;
    g->grant.level = ACCESS_NONE;
    return grant_record(c, &g->space, "grant.remove", before, NULL);
}

/* after gets id and version of the row that it takes the place of. */
static err write_over(struct ctx *c, const struct grant *before, struct grant *after)
{
    int64_t changed;

    after->id = before->id;
    after->created_at = before->created_at;
    after->version = before->version;
    field_touch(c, GRANT_COLUMNS, after);
    TRY(row_update(c, &GRANT, after, &changed));
    return changed ? ERR_OK : match_lost(c, 0);
}

static err grant_write_new(struct ctx *c, struct grant *g)
{
    g->id = (struct uuid){{0}};
    g->grantee_id = g->grantee_id ? g->grantee_id : "";
    g->granted_by = c->who ? c->who->id : (struct uuid){{0}};
    field_begin_row(c, GRANT_COLUMNS, g);
    return row_insert(c, &GRANT, g);
}

static err replace_row(struct ctx *c, struct granting *g, const struct grant *before)
{
    TRY(write_over(c, before, &g->grant));
    return grant_record(c, &g->space, g->take ? "grant.take" : "grant.update", before, &g->grant);
}

static err insert_row(struct ctx *c, struct granting *g)
{
    TRY(grant_write_new(c, &g->grant));
    return grant_record(c, &g->space, g->take ? "grant.take" : "grant.add", NULL, &g->grant);
}

static err set_body(struct ctx *c, void *arg)
{
    struct granting *g = arg;
    struct grant before;
    bool found;

    g->grant = g->wanted;
    TRY(grant_store_lock_grantee(c, g->space.id, g->grant.grantee_kind, g->grant.grantee_id, &found, &before));
    if (g->grant.level == ACCESS_NONE)
        return found ? grant_remove_row(c, g, &before) : grant_missing(c);
    if (found && g->keeps && !grant_is_over(c, &before))
        return fail(c, ERR_CONFLICT, "this grantee already has a grant on this space; change that one");
    return found ? replace_row(c, g, &before) : insert_row(c, g);
}

/* Two at once: the second one sees the row of the first. */
static err set_row(struct ctx *c, struct granting *g)
{
    err e = db_tx(c, set_body, g);

    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return db_tx(c, set_body, g);
}

static struct grant wanted_row(const struct ctx *c, const struct grant *in)
{
    return (struct grant){.space_id = in->space_id, .grantee_kind = in->grantee_kind, .level = in->level,
                          .granted_by = c->who->id, .expires_at = in->expires_at};
}

err grant_add(struct ctx *c, const struct grant *in, struct grant *out)
{
    struct granting g = {.wanted = wanted_row(c, in)};

    g.take = access_level(c->access, in->space_id) < ACCESS_MANAGE && permissions_have(c->who->perms, PERM_MEMORY_MANAGE) &&
             grant_is_self(c, in->grantee_kind, in->grantee_id);
    g.keeps = !g.take;
    if (!g.take)
        TRY(govern(c, in->space_id, SPACE_GRANTS, &g.space));
    TRY(check_level(c, in->level, in->expires_at));
    if (g.take)
        TRY(check_takable(c, in->space_id, &g.space));
    TRY(check_grantee(c, &g.space, in, &g.wanted.grantee_id));
    TRY(set_row(c, &g));
    *out = g.grant;
    return ERR_OK;
}

err grant_set(struct ctx *c, const struct grant *in, struct grant *out)
{
    struct granting g = {.wanted = wanted_row(c, in)};
    bool removes = in->level == ACCESS_NONE;

    TRY(govern(c, in->space_id, removes ? SPACE_REVOKES : SPACE_GRANTS, &g.space));
    if (!removes)
        TRY(check_level(c, in->level, in->expires_at));
    TRY(check_grantee(c, &g.space, in, &g.wanted.grantee_id));
    TRY(set_row(c, &g));
    *out = g.grant;
    return ERR_OK;
}

err grant_list(struct ctx *c, struct uuid space_id, int64_t limit, const char *cursor, struct page *out)
{
    struct uuid before;
    struct space s;

    TRY(govern(c, space_id, SPACE_LISTS_GRANTS, &s));
    TRY(page_begin(c, cursor, &before));
    return grant_store_list(c, space_id, limit, before, out);
}

struct changing {
    struct granting g;
    const struct grant_change *asked;
    bool removes;
};

static err grant_change_body(struct ctx *c, void *arg)
{
    struct changing *h = arg;
    const struct grant_change *ch = h->asked;
    struct grant before, *after = &h->g.grant;
    bool found;

    TRY(grant_store_lock(c, ch->id, ch->grant_id, &found, &before));
    if (!found)
        return grant_missing(c);
    TRY(match_version(c, ch->if_version, before.version));
    if (h->removes)
        return grant_remove_row(c, &h->g, &before);
    *after = before;
    if (given(ch, level))
        after->level = ch->level;
    if (given(ch, expires_at))
        after->expires_at = ch->expires_at;
    TRY(check_level(c, after->level, given(ch, expires_at) ? after->expires_at : (struct instant){0}));
    after->granted_by = c->who->id;
    return replace_row(c, &h->g, &before);
}

err grant_update(struct ctx *c, const struct grant_change *ch, struct grant *out)
{
    struct changing h = {.asked = ch};

    TRY(govern(c, ch->id, SPACE_GRANTS, &h.g.space));
    TRY(db_tx(c, grant_change_body, &h));
    *out = h.g.grant;
    return ERR_OK;
}

err grant_remove(struct ctx *c, struct uuid space_id, struct uuid id, int64_t if_version)
{
    struct changing h = {.asked = &(struct grant_change){.id = space_id, .grant_id = id, .if_version = if_version}, .removes = true};

    TRY(govern(c, space_id, SPACE_REVOKES, &h.g.space));
    return db_tx(c, grant_change_body, &h);
}

/* ---- for other services */

err grants_of(struct ctx *c, struct uuid space_id, struct grant **rows, size_t *n)
{
    struct uuid all;
    struct page page;

    memset(&all, 0xff, sizeof all);
    TRY(grant_store_list(c, space_id, GRANTS_OF, all, &page));
    *rows = page.items;
    *n = page.n;
    return page.has_more ? fail(c, ERR_CONFLICT, "the space has more than %d grants; change them one by one", GRANTS_OF) : ERR_OK;
}

err grant_number(struct ctx *c, struct uuid space_id, int64_t *n)
{
    return grant_store_count(c, space_id, n);
}

err grant_can_be_to(struct ctx *c, enum grantee_kind kind, const char *grantee_id, bool *yes)
{
    return grant_store_has_grantee(c, kind, grantee_id, yes);
}

err grant_replace(struct ctx *c, const struct grant *before, const struct grant *after)
{
    struct grant g;
    int64_t gone;

    if (!after) {
        TRY(row_delete(c, &GRANT, before, &gone));
        return gone ? grant_changed(c, "grant.remove", before, NULL) : match_lost(c, 0);
    }
    g = *after;
    g.granted_by = c->who->id;
    TRY(before ? write_over(c, before, &g) : grant_write_new(c, &g));
    return grant_changed(c, before ? "grant.update" : "grant.add", before, &g);
}

err grant_make(struct ctx *c, const struct grant *in)
{
    struct grant g = *in;

    return grant_write_new(c, &g);
}

err grant_forget_grantee(struct ctx *c, enum grantee_kind kind, const char *grantee_id)
{
    return grant_store_delete_grantee(c, kind, grantee_id);
}
