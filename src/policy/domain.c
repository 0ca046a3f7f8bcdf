/* Memory domains and who may read or write them; see domain.h. */
#include "domain.h"

#include <ctype.h>
#include <string.h>

#include "db.h"
#include "domain_store.h"
#include "grant.h"
#include "limit.h"
#include "match.h"
#include "row.h"
#include "space.h"
#include "space_room.h"

const struct field DOMAIN_COLUMNS[] = {
    F_UUID(struct domain, id, COL_SHOW | COL_KEY, "id of the domain: its space", .sql = "d.id"),
    F_STR(struct domain, name, COL_SHOW, 0, DOMAIN_NAME, "name, in lower case", .sql = "s.slug"),
    F_STR(struct domain, label, COL_SHOW, 0, LIMIT_NAME, "display name", .sql = "s.name"),
    F_STR(struct domain, description, COL_SHOW | FIELD_NULLABLE, 0, LIMIT_DESCRIPTION, "what belongs into it", .sql = "s.description"),
    F_STR(struct domain, created_by_role, COL_SHOW, 0, 64, "role of its creator", .sql = "d.created_by_role"),
    F_INT(struct domain, facts, COL_SHOW, 0, 9e15, 0, "active facts",
          .sql = "(SELECT COUNT(*) FROM node f WHERE f.account_id = d.account_id AND f.space_id = d.id AND f.kind = 'fact' AND "
                 "f.status = 'active' AND f.forgotten_at IS NULL)"),
    F_INT(struct domain, policies, COL_SHOW, 0, 9e15, 0, "active policies",
          .sql = "(SELECT COUNT(*) FROM policy p WHERE p.account_id = d.account_id AND p.space_id = d.id AND p.active)"),
    F_ENUM(struct domain, access, COL_SHOW, access_level, ACCESS_READ, "what the caller may do in it"),
    F_INT(struct domain, version, COL_SHOW, 0, 9e15, 1, "version; increases with every change; the ETag", .sql = "s.version"),
    F_TIME(struct domain, created_at, COL_SHOW, "when it was created", .sql = "s.created_at"),
    F_TIME(struct domain, updated_at, COL_SHOW, "when it was last changed", .sql = "s.updated_at"),
    F_END
};
const struct thing DOMAIN = THING("memory_domain", DOMAIN_COLUMNS, struct domain, .schema = "MemoryDomain", .alias = "d",
    .from = "memory_domain d JOIN space s ON s.account_id = d.account_id AND s.id = d.id");

const char *domain_name_of(struct arena *a, const char *text)
{
    struct buf b;

    buf_init(&b, a, DOMAIN_NAME + 1);
    for (; *text && b.len < DOMAIN_NAME; text++) {
        unsigned char ch = (unsigned char)*text;
        bool gap = isspace(ch) || ch == '_' || ch == '-';

        if (ch < 128 && isalnum(ch))
            buf_putc(&b, (char)tolower(ch));
        else if (gap && b.len && b.data[b.len - 1] != '-')
            buf_putc(&b, '-');
    }
    while (b.len && b.data[b.len - 1] == '-')
        b.data[--b.len] = 0;
    return buf_str(&b);
}

/* ---- reading */

err domain_list(struct ctx *c, const struct thing_page *in, struct page *out)
{
    struct domain *rows;
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    TRY(domain_store_list(c, access_spaces_of(c, SPACE_DOMAIN), before, in->limit, out));
    rows = out->items;
    for (size_t i = 0; i < out->n; i++)
        rows[i].access = access_level(c->access, rows[i].id);
    return ERR_OK;
}

static err domain_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such domain");
}

err domain_get(struct ctx *c, const char *name, struct domain *out)
{
    struct space s = {0};
    bool found;
    err e = uuid_parse(name, &s.id) ? space_get(c, s.id, &s) : space_by_slug(c, SPACE_DOMAIN, name, &s);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return domain_missing(c);
    }
    TRY(e);
    TRY(domain_store_get(c, s.id, &found, out));
    out->access = s.access;
    return found ? ERR_OK : domain_missing(c);
}

err domain_to_write(struct ctx *c, const char *name, struct uuid *id)
{
    struct space s;
    err e = space_by_slug(c, SPACE_DOMAIN, name, &s);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return fail_reason(c, ERR_INVALID, "unknown_domain", "there is no domain '%s'", name);
    }
    TRY(e);
    *id = s.id;
    return access_require(c, s.id, ACCESS_WRITE);
}

/* ---- making and changing */

static err domain_create_tx(struct ctx *c, const struct domain *in, struct domain *out)
{
    struct space s = {.kind = SPACE_DOMAIN, .slug = domain_name_of(c->arena, in->name), .name = in->label ? in->label : in->name,
                      .description = in->description}, made;

    if (!*s.slug)
        return fail_field(c, "/name", "the name has no letter of a-z and no digit");
    TRY(space_room_check_slug(c, SPACE_DOMAIN, s.slug));
    TRY(space_room_of(c, SPACE_DOMAIN)->make(c, &s, &made));
    return domain_get(c, made.slug, out);
}
DB_TX(domain_create, struct domain, struct domain)

err domain_update(struct ctx *c, const struct domain_change *in, struct domain *out)
{
    struct space_change ch = {.change = {.if_version = in->if_version}};
    struct space s;

    TRY(domain_get(c, in->name, out));
    ch.to.id = out->id;
    if (given(in, label))
        change_to(&ch, name, in->label);
    if (given(in, description))
        change_to(&ch, description, in->description);
    TRY(space_update(c, &ch, &s));
    return domain_get(c, in->name, out);
}

err domain_delete(struct ctx *c, const char *name)
{
    struct domain d;

    TRY(domain_get(c, name, &d));
    return space_delete(c, d.id, 0);
}

/* ---- grants: the rows of roles, seen as none, read and write */

static struct domain_grant domain_grant_of(const struct ctx *c, const char *domain, const struct grant *g)
{
    return (struct domain_grant){c->account_id, g->grantee_id, domain, g->level};
}

err domain_grants_get(struct ctx *c, const char *name, struct domain_grants *out)
{
    struct domain d;
    struct space s;
    struct grant *rows;
    struct domain_grant *grants;
    struct domain_guest *others;
    size_t n;

    TRY(domain_get(c, name, &d));
    TRY(space_get(c, d.id, &s));
    TRY(space_room_permit(c, &s, SPACE_LISTS_GRANTS));
    TRY(grants_of(c, d.id, &rows, &n));
    grants = ARENA_ARRAY(c->arena, struct domain_grant, n + 1);
    others = ARENA_ARRAY(c->arena, struct domain_guest, n + 2);
    *out = (struct domain_grants){{grants, 0}, {others, 0}};
    if (!uuid_is_nil(s.owner_agent_id))
        others[out->others.n++] = (struct domain_guest){"agent", arena_strdup(c->arena, UUID_STR(s.owner_agent_id)), ACCESS_MANAGE};
    for (size_t i = 0; i < n; i++)
        if (rows[i].expires_at.us && rows[i].expires_at.us <= c->now.us)
            continue;
        else if (rows[i].grantee_kind == GRANTEE_ROLE && rows[i].level <= ACCESS_WRITE)
            grants[out->grants.n++] = domain_grant_of(c, d.name, &rows[i]);
        else
            others[out->others.n++] =
                (struct domain_guest){enumx_name(&grantee_kind_enumx, (int)rows[i].grantee_kind), rows[i].grantee_id, rows[i].level};
    return ERR_OK;
}

err domain_grant_set(struct ctx *c, const struct domain_granting *in, struct domain_grant *out)
{
    struct grant want = {.grantee_kind = GRANTEE_ROLE, .grantee_id = in->role, .level = in->permission}, made;
    struct domain d;
    err e;

    if (!uuid_is_nil(in->workspace_id) && !uuid_eq(in->workspace_id, c->account_id))
        return fail(c, ERR_NOT_FOUND, "no such workspace");
    if (in->permission == ACCESS_MANAGE)
        return fail_field(c, "/permission", "permission must be none, read or write");
    TRY(domain_get(c, in->name, &d));
    want.space_id = d.id;
    *out = (struct domain_grant){c->account_id, in->role, d.name, in->permission};
    e = grant_set(c, &want, &made);
    if (e == ERR_NOT_FOUND && in->permission == ACCESS_NONE && access_may_manage(c, d.id)) {
        ctx_forgive(c);
        return ERR_OK;
    }
    return e;
}
