/* Skills for installers; see skills_site.h. */
#include "skills_site.h"

#include <string.h>

#include "access.h"
#include "answer.h"
#include "api.h"
#include "app.h"
#include "public_page.h"
#include "skill_served.h"
#include "str.h"

#define SCHEMA "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
#define PUBLIC "public"

/* Who asks: everybody, of an account that shows its skills; or a token. name: where the parameters behind the account begin. */
static err skills_site_begin(struct ctx *c, struct exchange *x, const struct route *r, const char ***rest)
{
    bool is_public = strncmp(r->name, PUBLIC, strlen(PUBLIC)) == 0;
    const char *name;

    *rest = &x->params[is_public];
    if (is_public)
        return public_site_open(c, x->params[0], "public_skills", &name);
    TRY(api_authenticate(c, x));
    return permissions_have(c->who->perms, PERM_SKILLS_READ) ? ERR_OK : fail(c, ERR_FORBIDDEN, "the token lacks skills.read");
}

static void skills_site_end(struct ctx *c, struct exchange *x, const struct route *r, err e, const char *media, struct bytes body)
{
    bool is_public = strncmp(r->name, PUBLIC, strlen(PUBLIC)) == 0;
    const char *etag, *known = exchange_header(x, "If-None-Match");

    if (is_public)
        c->who = NULL;
    if (e != ERR_OK) {
        answer_problem(c, x, e);
        return;
    }
    etag = arena_printf(c->arena, "\"%016llx\"", (unsigned long long)hash_bytes(body.p, body.n, 7));
    x->status = known && strstr(known, etag) ? 304 : 200;
    exchange_set(x, "Content-Type", media);
    exchange_set(x, "Cache-Control", is_public ? "public, max-age=60" : "private, no-cache");
    exchange_set(x, "ETag", etag);
    if (x->status == 200)
        buf_add(&x->body, body.p, body.n);
}

/* ---- the index */

static struct json *skills_site_entry(struct arena *a, const struct served_entry *e)
{
    struct json *o = json_obj(a);

    json_set_str(a, o, "name", e->name);
    json_set_str(a, o, "type", e->is_archive ? "archive" : "skill-md");
    json_set_str(a, o, "description", e->description);
    json_set_str(a, o, "url", e->file);
    json_set_str(a, o, "digest", e->digest);
    return o;
}

static err skills_site_index(struct ctx *c, struct bytes *out)
{
    struct json *o = json_obj(c->arena), *list;
    const struct served_entry *v;
    struct list all;
    const char *text;

    TRY(skill_served_site(c, &all));
    json_set_str(c->arena, o, "$schema", SCHEMA);
    list = json_set(c->arena, o, "skills", json_arr(c->arena));
    v = all.v;
    for (size_t i = 0; i < all.n; i++)
        json_push(list, skills_site_entry(c->arena, &v[i]));
    text = json_text(c->arena, o);
    *out = (struct bytes){text, strlen(text)};
    return ERR_OK;
}

static void skills_index(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct bytes body = {0};
    const char **rest;
    err e = skills_site_begin(c, x, r, &rest);

    if (e == ERR_OK)
        e = skills_site_index(c, &body);
    skills_site_end(c, x, r, e, "application/json", body);
}

/* ---- what it names */

static void skills_main(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct bytes body = {0};
    const char **rest;
    err e = skills_site_begin(c, x, r, &rest);

    if (e == ERR_OK)
        e = skill_served_artifact(c, rest[0], false, &body);
    skills_site_end(c, x, r, e, "text/markdown; charset=utf-8", body);
}

static void skills_archive(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct bytes body = {0};
    const char **rest, *dot;
    err e = skills_site_begin(c, x, r, &rest);

    if (e == ERR_OK) {
        dot = strrchr(rest[0], '.');
        if (!str_eq(dot, ".zip"))
            e = fail(c, ERR_NOT_FOUND, "no such archive");
        else
            e = skill_served_artifact(c, arena_strndup(c->arena, rest[0], (size_t)(dot - rest[0])), true, &body);
    }
    skills_site_end(c, x, r, e, "application/zip", body);
}

void skills_site_add_routes(struct router *r, struct arena *a)
{
    static const struct route ROUTES[] = {
        {"GET", "/.well-known/agent-skills/index.json", "skills.index", skills_index, NULL},
        {"GET", "/.well-known/agent-skills/:name", "skills.archive", skills_archive, NULL},
        {"GET", "/.well-known/agent-skills/:name/SKILL.md", "skills.main", skills_main, NULL},
        {"GET", "/p/:account/.well-known/agent-skills/index.json", PUBLIC ".skills.index", skills_index, NULL},
        {"GET", "/p/:account/.well-known/agent-skills/:name", PUBLIC ".skills.archive", skills_archive, NULL},
        {"GET", "/p/:account/.well-known/agent-skills/:name/SKILL.md", PUBLIC ".skills.main", skills_main, NULL},
    };

    router_add_for(r, a, ROUTES, sizeof ROUTES / sizeof *ROUTES, NULL);
}
