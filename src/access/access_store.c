/* What MariaDB says of a caller: the credential's owner, permissions and spaces, each in one statement. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "access_impl.h"
#include "app.h"
#include "db.h"
#include "limit.h"
#include "log.h"
#include "space.h"
#include "strs_json.h"

err access_store_locate(struct ctx *c, const char *prefix, const uint8_t hash[TOKEN_HASH], bool *found,
                        struct uuid *account_id, struct uuid *token_id)
{
    scoped_cursor q = {0};
    struct bytes stored;

    TRY(db_query(c, &q, "SELECT account_id, id, hash FROM token WHERE prefix = ?", IN(prefix)));
    TRY(db_row(&q, c, found, OUT(account_id), OUT(token_id), OUT(&stored)));
    if (*found)
        *found = stored.n == TOKEN_HASH && sodium_memcmp(stored.p, hash, TOKEN_HASH) == 0;
    return ERR_OK;
}

/* ---- permissions */

#define NOBODY ((struct uuid){{0}})  /* account of built-in roles */

/* Strings that this program does not know (of a newer one) give nothing. */
static err role_permissions(struct ctx *c, struct uuid account_id, const char *role, permissions *out)
{
    scoped_cursor q = {0};
    const char *name;
    bool found;
    int p;

    *out = 0;
    TRY(db_query(c, &q, "SELECT permission FROM role_permission WHERE account_id IN (?, ?) AND role = ?",
                 IN(NOBODY), IN(account_id), IN(role)));
    for (;;) {
        TRY(db_row(&q, c, &found, OUT(&name)));
        if (!found)
            return ERR_OK;
        if (enumx_parse(&permission_enumx, name, &p))
            *out = permissions_add(*out, (enum permission)p);
    }
}

/* NULL: all. What this program does not know gives nothing. */
static permissions scopes_of(struct arena *a, const char *scopes)
{
    struct strs list = strs_from_json(a, scopes);
    permissions set = 0, p;
    size_t bad;

    if (!scopes)
        return permissions_all();
    for (size_t i = 0; i < list.n; i++)
        if (permissions_parse((struct strs){&list.v[i], 1}, &p, &bad))
            set |= p;
    return set;
}

/* ---- spaces */

static void expires(struct access_load *load, struct instant at)
{
    if (at.us && (!load->good_until.us || at.us < load->good_until.us))
        load->good_until = at;
}

static int access_store_by_id(const void *a, const void *b)
{
    return uuid_cmp(((const struct space_access *)a)->space_id, ((const struct space_access *)b)->space_id);
}

/* Rows (id, level, archived, first expiry, own namespace, kind, what it is a section of) of one space each, in no order. */
static err read_spaces(struct ctx *c, struct db_cursor *q, struct access_load *load)
{
    struct access *a = &load->access;
    size_t cap = 0;

    for (;;) {
        struct space_access s = {0};
        struct instant until;
        const char *kind = NULL;
        int level;
        bool found, own;

        TRY(db_row(q, c, &found, OUT(&s.space_id), OUT(&level), OUT(&s.archived), OUT_OPT(&until), OUT(&own), OUT(&kind),
                   OUT_OPT(&s.section_of)));
        if (!found)
            break;
        if (a->n == LIMIT_SPACES) {
            log_say(c->app->log, LOG_WARN, "%s can access more than %d spaces; the newest are left out", load->who.name,
                    LIMIT_SPACES);
            break;
        }
        if (a->n == cap) {
            struct space_access *grown = ARENA_ARRAY(c->arena, struct space_access, cap = cap ? 2 * cap : 32);

            if (a->n)
                memcpy(grown, a->spaces, a->n * sizeof *grown);
            a->spaces = grown;
        }
        if (!enumx_parse(&space_kind_enumx, kind, &s.kind))
            s.kind = -1;
        s.level = s.archived && level == ACCESS_WRITE ? ACCESS_READ : (enum access_level)level;
        a->spaces[a->n++] = s;
        if (own)
            a->own = s.space_id;
        expires(load, until);
    }
    if (a->n)
        qsort(a->spaces, a->n, sizeof *a->spaces, access_store_by_id);
    a->readable = ARENA_ARRAY(c->arena, struct uuid, a->n + 1);
    for (size_t i = 0; i < a->n; i++)
        a->readable[i] = a->spaces[i].space_id;
    return ERR_OK;
}

/* A section is there while the space above it is. */
#define SECTION_BASE " LEFT JOIN space b ON s.is_section = 1 AND b.account_id = s.account_id AND b.id = s.parent_id"
#define SPACE_LIVES \
    " s.deleted_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ?) AND (s.is_section = 0 OR (b.id IS NOT NULL AND" \
    " b.deleted_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > ?)))"
#define NEVER "TIMESTAMP'9999-12-31 00:00:00'"
#define SPACE_ENDS "COALESCE(s.expires_at, " NEVER "), COALESCE(b.expires_at, " NEVER ")"

/* The branches are index lookups; teams are of agents only. Work roles open domains and nothing else, and no domain is open to everyone.
 * Who manages a space manages its sections. */
static err granted_spaces(struct ctx *c, struct access_load *load)
{
    const struct principal *w = &load->who;
    const char *kind = enumx_name(&principal_kind_enumx, (int)w->kind), *id = arena_strdup(c->arena, UUID_STR(w->id));
    struct uuid acct = w->account_id;
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
        "WITH mine AS (SELECT space_id, CASE level WHEN 'manage' THEN 3 WHEN 'write' THEN 2 ELSE 1 END AS lvl, expires_at"
        " FROM space_grant WHERE account_id = ? AND grantee_kind = ? AND grantee_id = ?"
        " UNION ALL SELECT space_id, CASE level WHEN 'manage' THEN 3 WHEN 'write' THEN 2 ELSE 1 END, expires_at"
        " FROM space_grant WHERE account_id = ? AND grantee_kind = 'role' AND grantee_id = ?"
        " UNION ALL SELECT space_id, CASE level WHEN 'manage' THEN 3 WHEN 'write' THEN 2 ELSE 1 END, expires_at"
        " FROM space_grant WHERE account_id = ? AND grantee_kind = 'everyone'"
        " AND space_id NOT IN (SELECT id FROM space WHERE account_id = ? AND kind = 'domain')"
        " UNION ALL SELECT rg.space_id, CASE rg.level WHEN 'manage' THEN 3 WHEN 'write' THEN 2 ELSE 1 END, rg.expires_at"
        " FROM agent_role r JOIN space_grant rg ON rg.account_id = ? AND rg.grantee_kind = 'role' AND rg.grantee_id = r.role"
        " JOIN space rs ON rs.account_id = ? AND rs.id = rg.space_id AND rs.kind = 'domain' WHERE r.account_id = ? AND r.agent_id = ?"
        " UNION ALL SELECT sg.space_id, CASE sg.level WHEN 'manage' THEN 3 WHEN 'write' THEN 2 ELSE 1 END, sg.expires_at"
        " FROM team_member m JOIN space_grant sg ON sg.account_id = ? AND sg.grantee_kind = 'team'"
        " AND sg.grantee_id = CAST(m.team_id AS CHAR CHARACTER SET ascii) WHERE m.account_id = ? AND m.agent_id = ?"
        " UNION ALL SELECT id, 3, NULL FROM space WHERE account_id = ? AND owner_agent_id = ?)"
        " SELECT s.id, MAX(g.lvl), MAX(s.status = 'archived' OR COALESCE(b.status = 'archived', 0)),"
        " NULLIF(MIN(LEAST(COALESCE(g.expires_at, " NEVER "), " SPACE_ENDS ")), " NEVER "),"
        " MAX(s.kind = 'namespace' AND COALESCE(s.owner_agent_id = ?, 0)), s.kind, b.id"
        " FROM (SELECT * FROM mine UNION ALL SELECT x.id, 3, m.expires_at FROM mine m JOIN space x ON x.account_id = ?"
        " AND x.is_section = 1 AND x.parent_id = m.space_id WHERE m.lvl = 3) g"
        " JOIN space s ON s.account_id = ? AND s.id = g.space_id" SECTION_BASE
        " WHERE (g.expires_at IS NULL OR g.expires_at > ?) AND" SPACE_LIVES
        " GROUP BY s.id ORDER BY s.id",
        IN(acct), IN(kind), IN(id), IN(acct), IN(w->role), IN(acct), IN(acct), IN(acct), IN(acct), IN(acct),
        IN(w->id), IN(acct), IN(acct), IN(w->id), IN(acct), IN(w->id), IN(w->id), IN(acct), IN(acct), IN(c->now), IN(c->now), IN(c->now)));
    return read_spaces(c, &q, load);
}

/* ---- callers */

/* The tier by which an agent's word counts: null while it has neither risen nor fallen, nor was pinned. */
#define TIER_JOIN " LEFT JOIN agent_trust r ON r.account_id = g.account_id AND r.agent_id = g.id"
#define TIER \
    "IF(g.limited_at IS NOT NULL, 'supervised', IF(r.pinned_tier IS NOT NULL OR r.tier <> 'supervised' OR r.last_demoted_at IS NOT NULL," \
    " COALESCE(r.pinned_tier, r.tier), NULL))"

static err access_store_fill(struct ctx *c, bool limited, struct access_load *out)
{
    struct principal *w = &out->who;
    permissions reading;

    TRY(role_permissions(c, w->account_id, w->role, &w->perms));
    if (limited) {
        TRY(role_permissions(c, w->account_id, "readonly", &reading));
        w->perms &= reading;
    }
    return granted_spaces(c, out);
}

err access_store_token(struct ctx *c, struct uuid account_id, struct uuid token_id, bool *found, struct access_load *out)
{
    struct principal *w = &out->who;
    struct uuid user, agent;
    struct instant until;
    const char *scopes, *prefix, *toolset;
    bool limited;
    int shown;

    *out = (struct access_load){.who = {.account_id = account_id, .token_id = token_id}};
    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q,
            "SELECT t.prefix, t.scopes, t.expires_at, t.last_used_at, a.slug, a.name, u.id, g.id, COALESCE(u.name, g.name),"
            " u.email, COALESCE(u.role, g.role), COALESCE(u.is_operator, 0), t.toolset,"
            " g.limited_at IS NOT NULL, " TIER
            " FROM token t JOIN account a ON a.id = t.account_id AND a.status = 'active'"
            " LEFT JOIN user u ON u.account_id = t.account_id AND u.id = t.user_id AND u.status = 'active'"
            " LEFT JOIN agent g ON g.account_id = t.account_id AND g.id = t.agent_id AND g.status = 'active'" TIER_JOIN
            " WHERE t.account_id = ? AND t.id = ? AND t.revoked_at IS NULL"
            " AND (t.expires_at IS NULL OR t.expires_at > ?) AND (u.id IS NOT NULL OR g.id IS NOT NULL)",
            IN(account_id), IN(token_id), IN(c->now)));
        TRY(db_row(&q, c, found, OUT(&prefix), OUT_OPT(&scopes), OUT_OPT(&until), OUT_OPT(&out->last_used_at),
                   OUT(&w->account_slug), OUT(&w->account_name), OUT_OPT(&user), OUT_OPT(&agent), OUT(&w->name),
                   OUT_OPT(&w->email), OUT(&w->role), OUT(&w->is_operator), OUT(&toolset), OUT(&limited),
                   OUT_OPT(&w->tier)));
    }
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&toolset_enumx, toolset, &shown))
        return fail(c, ERR_INTERNAL, "token %s has toolset '%s'", UUID_STR(token_id), toolset);
    w->toolset = (enum toolset)shown;
    w->kind = uuid_is_nil(user) ? PRINCIPAL_AGENT : PRINCIPAL_USER;
    w->id = uuid_is_nil(user) ? agent : user;
    memcpy(out->prefix, prefix, strnlen(prefix, TOKEN_PREFIX));
    expires(out, until);
    TRY(access_store_fill(c, limited, out));
    w->scopes = scopes_of(c->arena, scopes);
    w->perms &= w->scopes;
    w->is_operator = w->is_operator && !scopes; /* a token made for less does not steer the installation */
    return ERR_OK;
}

err access_store_user(struct ctx *c, struct uuid account_id, struct uuid user_id, bool *found, struct access_load *out)
{
    struct principal *w = &out->who;
    const char *password;

    *out = (struct access_load){.who = {.kind = PRINCIPAL_USER, .id = user_id, .account_id = account_id, .scopes = permissions_all()}};
    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q,
            "SELECT a.slug, a.name, u.name, u.email, u.role, u.is_operator, COALESCE(u.password_hash, '')"
            " FROM user u JOIN account a ON a.id = u.account_id AND a.status = 'active'"
            " WHERE u.account_id = ? AND u.id = ? AND u.status = 'active'",
            IN(account_id), IN(user_id)));
        TRY(db_row(&q, c, found, OUT(&w->account_slug), OUT(&w->account_name), OUT(&w->name), OUT(&w->email),
                   OUT(&w->role), OUT(&w->is_operator), OUT(&password)));
    }
    if (!*found)
        return ERR_OK;
    access_stamp(password, out->stamp);
    return access_store_fill(c, false, out);
}

err access_store_agent(struct ctx *c, struct uuid account_id, struct uuid agent_id, bool *found, struct access_load *out)
{
    struct principal *w = &out->who;
    bool limited = false;

    *out = (struct access_load){.who = {.kind = PRINCIPAL_AGENT, .id = agent_id, .account_id = account_id, .scopes = permissions_all()}};
    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q,
            "SELECT a.slug, a.name, g.name, g.role, g.limited_at IS NOT NULL, " TIER " FROM agent g"
            " JOIN account a ON a.id = g.account_id AND a.status = 'active'" TIER_JOIN
            " WHERE g.account_id = ? AND g.id = ? AND g.status = 'active'", IN(account_id), IN(agent_id)));
        TRY(db_row(&q, c, found, OUT(&w->account_slug), OUT(&w->account_name), OUT(&w->name), OUT(&w->role), OUT(&limited),
                   OUT_OPT(&w->tier)));
    }
    return *found ? access_store_fill(c, limited, out) : ERR_OK;
}

err access_store_system(struct ctx *c, struct uuid account_id, bool *found, struct access_load *out)
{
    struct principal *w = &out->who;
    scoped_cursor spaces = {0};

    *out = (struct access_load){.who = {.kind = PRINCIPAL_SYSTEM, .account_id = account_id, .role = "system",
                                        .name = "system", .perms = permissions_all(), .scopes = permissions_all(), .is_operator = true}};
    {
        scoped_cursor q = {0};

        TRY(db_query(c, &q, "SELECT slug, name FROM account WHERE id = ?", IN(account_id)));
        TRY(db_row(&q, c, found, OUT(&w->account_slug), OUT(&w->account_name)));
    }
    if (!*found)
        return ERR_OK;
    TRY(db_query(c, &spaces,
        "SELECT s.id, 3, s.status = 'archived' OR COALESCE(b.status = 'archived', 0), NULLIF(LEAST(" SPACE_ENDS "), " NEVER "), 0,"
        " s.kind, b.id FROM space s" SECTION_BASE " WHERE s.account_id = ? AND" SPACE_LIVES " ORDER BY s.id",
        IN(account_id), IN(c->now), IN(c->now)));
    return read_spaces(c, &spaces, out);
}

err access_store_roles(struct ctx *c, struct strs *out)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, LIMIT_ROLES + 1);
    scoped_cursor q = {0};
    bool found = true;

    *out = (struct strs){v, 0};
    TRY(db_query(c, &q, "SELECT role FROM agent_role WHERE account_id = ? AND agent_id = ? ORDER BY role LIMIT ?", IN(c->account_id),
        IN(c->who->id), IN((int64_t)LIMIT_ROLES)));
    while (found) {
        TRY(db_row(&q, c, &found, OUT(&v[out->n])));
        out->n += found;
    }
    if (c->who->role)
        v[out->n++] = c->who->role;
    return ERR_OK;
}

err access_store_used(struct ctx *c, const struct principal *who)
{
    struct instant minute_ago = {c->now.us - 60 * SECOND_US};

    return db_exec(c, NULL,
        "UPDATE token SET last_used_at = ?, last_ip = ? WHERE account_id = ? AND id = ?"
        " AND (last_used_at IS NULL OR last_used_at < ?)",
        IN(c->now), IN(c->ip), IN(who->account_id), IN(who->token_id), IN(minute_ago));
}
