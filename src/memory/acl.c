/* access_control in both shapes; see acl.h. */
#include "acl.h"

#include <string.h>

#include "grant.h"

struct want {
    enum grantee_kind kind;
    const char *id;
    enum access_level level;
    bool met; /* a row says so */
};

struct wants {
    struct want *v;
    size_t n;
};

/* ---- in */

static struct want *acl_find(struct wants *w, enum grantee_kind kind, const char *id)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->v[i].kind == kind && strcmp(w->v[i].id, id) == 0)
            return &w->v[i];
    return NULL;
}

static void acl_want(struct wants *w, enum grantee_kind kind, const char *id, enum access_level level)
{
    struct want *there = acl_find(w, kind, id);

    if (!there)
        w->v[w->n++] = (struct want){.kind = kind, .id = id, .level = level};
    else if (there->level < level)
        there->level = level;
}

static err take_ids(struct ctx *c, struct wants *w, const struct json *list, enum grantee_kind kind, enum access_level level)
{
    const char *what = enumx_name(&grantee_kind_enumx, (int)kind);
    size_t i = 0;

    if (list->type != JSON_ARR || list->len > ACL_IDS)
        return fail_field(c, arena_printf(c->arena, "/access_control/%s", list->key),
                          "%s must be a list of at most %d ids", list->key, ACL_IDS);
    for (const struct json *k = list->first; k; k = k->next, i++) {
        const char *at = arena_printf(c->arena, "/access_control/%s/%zu", list->key, i), *text;
        struct uuid id;
        bool yes;

        if (k->type != JSON_STR || !uuid_parse(k->s, &id))
            return fail_field(c, at, "not the id of a %s", what);
        text = arena_strdup(c->arena, UUID_STR(id));
        if (acl_find(w, kind, text)) { /* it was looked up already */
            acl_want(w, kind, text, level);
            continue;
        }
        TRY(grant_can_be_to(c, kind, text, &yes));
        if (!yes)
            return fail_field(c, at, "no such %s in this account", what);
        acl_want(w, kind, text, level);
    }
    return ERR_OK;
}

static err take_public(struct ctx *c, struct wants *w, const struct json *said, enum access_level level)
{
    if (said->type != JSON_BOOL)
        return fail_field(c, arena_printf(c->arena, "/access_control/%s", said->key), "%s must be true or false", said->key);
    if (said->b)
        acl_want(w, GRANTEE_EVERYONE, "", level);
    return ERR_OK;
}

static err take_member(struct ctx *c, struct wants *w, const struct acl_rules *r, const struct json *m)
{
    if (strcmp(m->key, "read") == 0)
        return take_ids(c, w, m, GRANTEE_AGENT, ACCESS_READ);
    if (strcmp(m->key, "write") == 0)
        return take_ids(c, w, m, GRANTEE_AGENT, ACCESS_WRITE);
    if (strcmp(m->key, "agents") == 0)
        return take_ids(c, w, m, GRANTEE_AGENT, r->agents);
    if (strcmp(m->key, "users") == 0)
        return take_ids(c, w, m, GRANTEE_USER, ACCESS_READ);
    if (strcmp(m->key, "public_read") == 0)
        return take_public(c, w, m, ACCESS_READ);
    if (strcmp(m->key, "public") == 0)
        return take_public(c, w, m, r->everyone);
    return fail_field(c, arena_printf(c->arena, "/access_control/%s", m->key),
                      "unknown member '%s'; known: read, write, public_read, agents, public, users", m->key);
}

static err acl_parse(struct ctx *c, const struct acl_rules *r, const struct json *acl, struct wants *w)
{
    size_t most = 1;

    if (acl->type != JSON_OBJ)
        return fail_field(c, "/access_control", "access_control must be an object");
    for (const struct json *m = acl->first; m; m = m->next)
        most += m->len <= ACL_IDS ? m->len : 0;
    w->v = ARENA_ARRAY(c->arena, struct want, most);
    w->n = 0;
    for (const struct json *m = acl->first; m; m = m->next)
        TRY(take_member(c, w, r, m));
    return ERR_OK;
}

/* ---- rows */

static bool is_spoken_of(const struct ctx *c, const struct grant *g)
{
    return g->grantee_kind != GRANTEE_TEAM && g->grantee_kind != GRANTEE_ROLE &&
           (!g->expires_at.us || g->expires_at.us > c->now.us);
}

/* The most that the shapes can say of somebody. */
static enum access_level sayable(const struct acl_rules *r, enum grantee_kind kind)
{
    return kind == GRANTEE_AGENT ? ACCESS_WRITE : kind == GRANTEE_USER ? ACCESS_READ : r->everyone;
}

static err acl_settle(struct ctx *c, const struct acl_rules *r, const struct grant *g, struct want *w)
{
    struct grant after = *g;

    if (w)
        w->met = true;
    if (g->level == ACCESS_MANAGE || (w && (w->level == g->level || g->level > sayable(r, g->grantee_kind))))
        return ERR_OK;
    if (!w)
        return grant_replace(c, g, NULL);
    after.level = w->level;
    return grant_replace(c, g, &after);
}

/* A row of somebody that has expired makes place for the one that is wanted. */
static err settle_expired(struct ctx *c, const struct grant *g, struct want *w)
{
    struct grant after = *g;

    if (!w || g->grantee_kind == GRANTEE_TEAM || g->grantee_kind == GRANTEE_ROLE)
        return ERR_OK;
    w->met = true;
    after.level = w->level;
    after.expires_at = (struct instant){0};
    return grant_replace(c, g, &after);
}

err acl_apply(struct ctx *c, struct uuid space_id, const struct acl_rules *r, const struct json *access_control)
{
    struct grant *rows;
    struct wants w;
    size_t n;

    TRY(acl_parse(c, r, access_control, &w));
    TRY(grants_of(c, space_id, &rows, &n));
    for (size_t i = 0; i < n; i++) {
        struct want *of = acl_find(&w, rows[i].grantee_kind, rows[i].grantee_id);

        TRY(is_spoken_of(c, &rows[i]) ? acl_settle(c, r, &rows[i], of) : settle_expired(c, &rows[i], of));
    }
    for (size_t i = 0; i < w.n; i++)
        if (!w.v[i].met)
            TRY(grant_replace(c, NULL, &(struct grant){.space_id = space_id, .grantee_kind = w.v[i].kind,
                                                       .grantee_id = w.v[i].id, .level = w.v[i].level}));
    return ERR_OK;
}

/* ---- out */

static void acl_add_words(struct buf *b, const struct grant *rows, size_t n, enum access_level level)
{
    static const enum grantee_kind KINDS[] = {GRANTEE_TEAM, GRANTEE_AGENT, GRANTEE_USER, GRANTEE_ROLE};
    bool everyone = false;
    size_t of[GRANTEE_EVERYONE + 1] = {0};

    for (size_t i = 0; i < n; i++)
        if (rows[i].level == level) {
            of[rows[i].grantee_kind]++;
            everyone |= rows[i].grantee_kind == GRANTEE_EVERYONE;
        }
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
        if (of[KINDS[k]])
            buf_printf(b, "; %zu %s%s may %s", of[KINDS[k]], enumx_name(&grantee_kind_enumx, (int)KINDS[k]), of[KINDS[k]] == 1 ? "" : "s",
                       enumx_name(&access_level_enumx, (int)level));
    if (everyone)
        buf_printf(b, "; everyone in the account may %s", enumx_name(&access_level_enumx, (int)level));
}

static const char *acl_words_of(struct ctx *c, const struct grant *rows, size_t n)
{
    struct buf b;

    buf_init(&b, c->arena, 128);
    buf_puts(&b, "its owner may manage");
    acl_add_words(&b, rows, n, ACCESS_MANAGE);
    acl_add_words(&b, rows, n, ACCESS_WRITE);
    acl_add_words(&b, rows, n, ACCESS_READ);
    return buf_str(&b);
}

static struct json *ids_at(struct ctx *c, const struct grant *rows, size_t n, enum grantee_kind kind, enum access_level least,
                           enum access_level most)
{
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < n; i++)
        if (rows[i].grantee_kind == kind && rows[i].level >= least && rows[i].level <= most)
            json_push(list, json_str(c->arena, rows[i].grantee_id));
    return list;
}

static enum access_level of_everyone(const struct grant *rows, size_t n)
{
    enum access_level level = ACCESS_NONE;

    for (size_t i = 0; i < n; i++)
        if (rows[i].grantee_kind == GRANTEE_EVERYONE)
            level = rows[i].level;
    return level;
}

err acl_show(struct ctx *c, struct uuid space_id, const struct acl_rules *r, const struct json **out, const char **words)
{
    struct json *j = json_obj(c->arena);
    struct grant *rows;
    size_t n, k = 0;

    TRY(grants_of(c, space_id, &rows, &n));
    for (size_t i = 0; i < n; i++)
        if (!rows[i].expires_at.us || rows[i].expires_at.us > c->now.us)
            rows[k++] = rows[i];
    json_set(c->arena, j, "read", ids_at(c, rows, k, GRANTEE_AGENT, ACCESS_READ, ACCESS_WRITE));
    json_set(c->arena, j, "write", ids_at(c, rows, k, GRANTEE_AGENT, ACCESS_WRITE, ACCESS_WRITE));
    json_set_bool(c->arena, j, "public_read", of_everyone(rows, k) >= ACCESS_READ);
    json_set(c->arena, j, "agents", ids_at(c, rows, k, GRANTEE_AGENT, r->agents, r->agents));
    json_set_bool(c->arena, j, "public", of_everyone(rows, k) >= r->everyone);
    json_set(c->arena, j, "users", ids_at(c, rows, k, GRANTEE_USER, ACCESS_READ, ACCESS_WRITE));
    *out = j;
    *words = acl_words_of(c, rows, k);
    return ERR_OK;
}
