/* Pages and articles that everybody may read, as HTML and as JSON; see site.h. */
#include "site.h"

#include <string.h>

#include "answer.h"
#include "app.h"
#include "attachment.h"
#include "config.h"
#include "model.h"
#include "op.h"
#include "public_page.h"
#include "str.h"
#include "views.h"

#define FEED_ITEMS 20

/* One request: whose site, and where it is. */
struct site {
    const char *account, *name, *root; /* root: of addresses for others: "https://host" */
};

static err site_begin(struct ctx *c, struct exchange *x, struct site *s)
{
    s->account = x->params[0];
    s->root = c->app->conf->web_public_url;
    return public_site_open(c, s->account, "public_site", &s->name);
}

/* Whatever went wrong looks like a page that is not there, unless the server cannot answer at all. The caller is nobody again. */
static void site_failed(struct ctx *c, struct exchange *x, const struct route *r, err e, bool is_api)
{
    c->who = NULL;
    if (is_api)
        answer_problem(c, x, e);
    else
        frame_error(c, x, r->target, e);
}

/* Cached for a minute; the same again is 304. */
static void site_send(struct ctx *c, struct exchange *x, const char *media)
{
    const char *etag = arena_printf(c->arena, "\"%016llx\"", (unsigned long long)hash_bytes(x->body.data, x->body.len, 7));
    const char *known = exchange_header(x, "If-None-Match");

    c->who = NULL;
    x->status = 200;
    exchange_set(x, "Content-Type", media);
    exchange_set(x, "Cache-Control", "public, max-age=60");
    exchange_set(x, "ETag", etag);
    exchange_set(x, "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; img-src 'self' https:; base-uri 'none'; form-action 'none'; "
                                               "frame-ancestors 'none'");
    exchange_set(x, "Referrer-Policy", "no-referrer");
    if (known && strstr(known, etag)) {
        x->status = 304;
        x->body.len = 0;
    }
}

static void site_view(struct ctx *c, struct exchange *x, const struct route *r, const char *view, const struct json *model)
{
    if (views_render(c->app->views, view, model, &x->body) != ERR_OK) {
        x->body.len = 0;
        site_failed(c, x, r, fail(c, ERR_INTERNAL, "the template %s is missing or its output is too large", view), false);
        return;
    }
    site_send(c, x, "text/html; charset=utf-8");
}

/* ---- models */

static struct json *site_model(struct ctx *c, const struct site *s)
{
    struct json *m = json_obj(c->arena);

    json_set_str(c->arena, m, "account", s->account);
    json_set_str(c->arena, m, "name", s->name);
    json_set_str(c->arena, m, "root", s->root);
    json_set_str(c->arena, m, "mark", views_static_mark(c->app->views));
    return m;
}

static const char *site_path(struct ctx *c, const struct site *s, const struct wiki_page *p)
{
    return arena_printf(c->arena, "/p/%s/%s%s", s->account, p->type == WIKI_ARTICLE ? "kb/" : "", p->slug);
}

static struct json *site_item(struct ctx *c, const struct site *s, const struct wiki_page *p)
{
    struct json *o = json_obj(c->arena);
    char at[INSTANT_TEXT];

    json_set_str(c->arena, o, "title", p->title);
    json_set_str(c->arena, o, "slug", p->slug);
    json_set_str(c->arena, o, "path", site_path(c, s, p));
    json_set_str(c->arena, o, "excerpt", p->excerpt);
    json_set_str(c->arena, o, "updated_at", arena_strdup(c->arena, instant_text(p->updated_at, at)));
    return o;
}

static err site_items(struct ctx *c, const struct site *s, struct json *list)
{
    for (int type = WIKI_PAGE; type <= WIKI_ARTICLE; type++) {
        const struct wiki_page *rows;
        struct list found;

        TRY(public_page_list(c, (enum wiki_type)type, &found));
        rows = found.v;
        for (size_t i = 0; i < found.n; i++)
            json_push(list, site_item(c, s, &rows[i]));
    }
    return ERR_OK;
}

/* All that is published; where that fails, it is answered. */
static struct json *site_all(struct ctx *c, struct exchange *x, const struct route *r, struct site *s, bool is_api)
{
    struct json *list = json_arr(c->arena);
    err e = site_begin(c, x, s);

    if (e == ERR_OK)
        e = site_items(c, s, list);
    if (e == ERR_OK)
        return list;
    site_failed(c, x, r, e, is_api);
    return NULL;
}

/* ---- HTML */

static void site_list(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct site s;
    struct json *m, *list = site_all(c, x, r, &s, false);

    if (!list)
        return;
    m = site_model(c, &s);
    json_set(c->arena, m, "pages", list);
    site_view(c, x, r, "site_pages", m);
}

static void site_moved(struct exchange *x, struct ctx *c, const struct site *s, bool is_article, const char *slug)
{
    c->who = NULL;
    x->status = 301;
    exchange_set(x, "Location", arena_printf(c->arena, "/p/%s/%s%s", s->account, is_article ? "kb/" : "", slug));
}

static void site_one(struct ctx *c, struct exchange *x, const struct route *r)
{
    bool is_article = strstr(r->path, "/kb/") != NULL;
    struct wiki_page p;
    const char *moved;
    struct json *m;
    struct site s;
    err e = site_begin(c, x, &s);

    if (e == ERR_OK)
        e = public_page_find(c, s.account, is_article ? WIKI_ARTICLE : WIKI_PAGE, x->params[1], &p, &moved);
    if (e != ERR_OK) {
        site_failed(c, x, r, e, false);
        return;
    }
    if (moved) {
        site_moved(x, c, &s, is_article, moved);
        return;
    }
    m = site_model(c, &s);
    json_set(c->arena, m, "page", site_item(c, &s, &p));
    json_set_str(c->arena, m, "description", p.meta_description ? p.meta_description : p.excerpt);
    json_set_str(c->arena, m, "keywords", p.meta_keywords);
    json_set_str(c->arena, m, "text_html", p.rendered_content);
    site_view(c, x, r, "site_page", m);
}

/* ---- files beside pages */

static err site_file_body(struct ctx *c, struct exchange *x, struct attachment *a)
{
    struct bytes part;
    struct uuid id;
    struct site s;

    TRY(site_begin(c, x, &s));
    if (!uuid_parse(x->params[1], &id))
        return fail(c, ERR_NOT_FOUND, "no such file");
    TRY(attachment_get_public(c, id, a));
    do {
        TRY(attachment_bytes(c, id, (int64_t)x->body.len, &part));
        buf_add(&x->body, part.n ? part.p : "", part.n);
    } while (part.n && (int64_t)x->body.len < a->size_bytes);
    return ctx_check_size(c);
}

/* Pictures as what they are; anything else is a download without a type of its own. */
static void site_file(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct attachment a;
    err e = site_file_body(c, x, &a);
    const char *slash, *name;

    if (e != ERR_OK) {
        x->body.len = 0;
        site_failed(c, x, r, e, false);
        return;
    }
    slash = strrchr(a.path, '/');
    name = sink_name(c, slash ? slash + 1 : a.path);
    if (!attachment_is_picture(&a))
        exchange_set(x, "Content-Disposition", arena_printf(c->arena, "attachment; filename=\"%s\"", name));
    site_send(c, x, a.media);
}

/* ---- JSON */

static void site_api_list(struct ctx *c, struct exchange *x, const struct route *r)
{
    struct site s;
    struct json *list = site_all(c, x, r, &s, true);

    if (!list)
        return;
    c->who = NULL;
    answer_data(x, 200, list, NULL);
    site_send(c, x, "application/json");
}

static void site_api_one(struct ctx *c, struct exchange *x, const struct route *r)
{
    const char *moved = NULL;
    struct wiki_page p;
    struct json *o;
    struct site s;
    err e = site_begin(c, x, &s);

    if (e == ERR_OK)
        e = public_page_find(c, s.account, WIKI_PAGE, x->params[1], &p, &moved);
    if (e == ERR_OK && moved)
        e = public_page_find(c, s.account, WIKI_PAGE, moved, &p, &moved);
    if (e != ERR_OK) {
        site_failed(c, x, r, e, true);
        return;
    }
    o = site_item(c, &s, &p);
    json_set_str(c->arena, o, "content", p.content);
    json_set_str(c->arena, o, "html", p.rendered_content);
    c->who = NULL;
    answer_data(x, 200, o, NULL);
    site_send(c, x, "application/json");
}

/* ---- for search engines and readers of news */

static void site_xml(struct ctx *c, struct exchange *x, const struct route *r)
{
    bool is_feed = strstr(r->path, "feed") != NULL;
    struct site s;
    struct json *m, *list = site_all(c, x, r, &s, false);

    if (!list)
        return;
    m = site_model(c, &s);
    json_set(c->arena, m, "pages", list);
    if (views_render(c->app->views, is_feed ? "site_feed" : "site_map", m, &x->body) != ERR_OK) {
        x->body.len = 0;
        site_failed(c, x, r, fail(c, ERR_INTERNAL, "the template is missing"), false);
        return;
    }
    site_send(c, x, is_feed ? "application/atom+xml; charset=utf-8" : "application/xml; charset=utf-8");
}

void site_add_routes(struct router *r, struct arena *a, const struct admin *admin)
{
    static const struct route ROUTES[] = {
        {"GET", "/p/:account", "site.list", site_list, NULL},
        {"GET", "/p/:account/sitemap.xml", "site.map", site_xml, NULL},
        {"GET", "/p/:account/feed.xml", "site.feed", site_xml, NULL},
        {"GET", "/p/:account/:slug", "site.page", site_one, NULL},
        {"GET", "/p/:account/files/:id", "site.file", site_file, NULL},
        {"GET", "/p/:account/kb/:slug", "site.article", site_one, NULL},
        {"GET", "/api/v1/public/:account/pages", "site.api.list", site_api_list, NULL},
        {"GET", "/api/v1/public/:account/pages/:slug", "site.api.page", site_api_one, NULL},
    };

    router_add_for(r, a, ROUTES, sizeof ROUTES / sizeof *ROUTES, admin);
}
