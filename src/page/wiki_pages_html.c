/* The pages Pages and Page editor, the same for articles, and Link graph. */
#include "content_links.h"
#include "limit.h"
#include "model.h"
#include "page_calls.h"
#include "page_render.h"
#include "parts_html.h"
#include "str.h"
#include "thing.h"
#include "wiki_page.h"

#define SHOWN 50

static const struct thing *thing_shown(enum wiki_type type)
{
    return type == WIKI_ARTICLE ? &ARTICLE_THING : &PAGE_THING;
}

/* The fields but the text, which has a larger area of its own. An article chooses one of the categories. */
static err put_wiki_form(struct ctx *c, struct page_call *p, enum wiki_type type, unsigned use, const struct wiki_page *row)
{
    struct json *form = put_form(c, p, "fields", thing_shown(type), use, row), *options = json_arr(c->arena);
    const char *typed = page_form(p, "category_slug"), *chosen_ = typed ? typed : row ? row->category_slug : NULL;
    const struct article_category *v;
    struct page all;

    if (type != WIKI_ARTICLE)
        return ERR_OK;
    TRY(thing_list(c, &ARTICLE_CATEGORY, &(struct thing_page){.limit = LIMIT_PAGE}, &all));
    v = all.items;
    for (size_t i = 0; i < all.n; i++)
        add_choice(c, options, v[i].slug, v[i].name, str_eq(v[i].slug, chosen_));
    form_choices(c, form, "category_slug", options);
    put_form(c, p, "category_fields", &ARTICLE_CATEGORY, COL_CREATE, NULL);
    return ERR_OK;
}

/* ---- lists */

static err wiki_list_page(struct ctx *c, struct page_call *p, enum wiki_type type, const char *path, bool is_new)
{
    struct wiki_filter f = {.type = type, .status = query_enum(p, "status", &wiki_status_enumx), .query = page_query(p, "q"),
        .is_public = -1,
                            .limit = LIMIT_PAGE_DEFAULT, .cursor = page_query(p, "cursor")};
    const char *title = page_query(p, "title");
    struct wiki_page asked = {.title = title, .metadata = NULL};
    struct page page;

    TRY(wiki_page_list(c, &f, &page));
    put_things(c, p->model, "pages", &PAGE_ITEM, &page);
    put_listing(c, p, path, &page);
    json_set_str(c->arena, p->model, "path", path);
    json_set_bool(c->arena, p->model, "is_article", type == WIKI_ARTICLE);
    json_set(c->arena, p->model, "statuses", enum_choices(c, &wiki_status_enumx, "all but archived", page_query(p, "status")));
    TRY(put_wiki_form(c, p, type, COL_CREATE, title ? &asked : NULL));
    json_set_str(c->arena, p->model, "content", page_form(p, "content"));
    json_set_bool(c->arena, p->model, "form_open", p->is_again || is_new);
    return page_show(p, "wiki_pages");
}

static err pages_page(struct ctx *c, struct page_call *p)
{
    return wiki_list_page(c, p, WIKI_PAGE, "/admin/pages", false);
}

static err new_page_page(struct ctx *c, struct page_call *p)
{
    return wiki_list_page(c, p, WIKI_PAGE, "/admin/pages", true);
}

static err articles_page(struct ctx *c, struct page_call *p)
{
    return wiki_list_page(c, p, WIKI_ARTICLE, "/admin/articles", false);
}

/* ---- one page */

static void put_items(struct ctx *c, struct json *model, const char *name, const struct list *items)
{
    const struct content_item *v = items->v;
    struct json *list = put_list(c, model, name);

    for (size_t i = 0; i < items->n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "title", v[i].title);
        json_set_str(c->arena, row, "href", arena_printf(c->arena, "/admin/%s/%s", v[i].type == WIKI_ARTICLE ? "articles" : "pages",
            v[i].slug));
        json_set_str(c->arena, row, "excerpt", v[i].excerpt);
    }
}

static err put_around(struct ctx *c, struct page_call *p, const struct wiki_page *page)
{
    struct list backlinks, mentions, related;
    int64_t next;

    TRY(backlinks_for(c, page, 0, SHOWN, &backlinks, &next));
    TRY(unlinked_mentions_for(c, page, &(struct mention_wish){.pages = true, .limit = MENTIONS_LIMIT}, &mentions));
    TRY(related_pages_for(c, page, 5, &related));
    put_items(c, p->model, "backlinks", &backlinks);
    put_items(c, p->model, "mentions", &mentions);
    put_items(c, p->model, "related", &related);
    return ERR_OK;
}

static err wiki_pages_put_versions(struct ctx *c, struct page_call *p, enum wiki_type type, const char *ref)
{
    const struct wiki_version *v;
    struct json *list = put_list(c, p->model, "versions");
    struct page page;

    TRY(wiki_version_list(c, type, ref, 10, NULL, &page));
    v = page.items;
    for (size_t i = 0; i < page.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "number", arena_printf(c->arena, "%lld", (long long)v[i].version));
        json_set_bool(c->arena, row, "is_newest", i == 0);
        json_set_str(c->arena, row, "author_kind", v[i].author_kind);
        put_time(c, row, "at", v[i].updated_at);
    }
    return ERR_OK;
}

static err wiki_one_page(struct ctx *c, struct page_call *p, enum wiki_type type)
{
    const char *preview = p->form ? page_form(p, "content") : NULL, *html;
    struct wiki_page page;

    TRY(wiki_page_find(c, type, p->params[0], &page));
    TRY(wiki_page_present(c, &page));
    put_thing(c, json_set(c->arena, p->model, "page", json_obj(c->arena)), thing_shown(type), &page);
    json_set_int(c->arena, p->model, "version", page.version);
    json_set_str(c->arena, p->model, "path", type == WIKI_ARTICLE ? "/admin/articles" : "/admin/pages");
    json_set_bool(c->arena, p->model, "is_article", type == WIKI_ARTICLE);
    json_set_bool(c->arena, p->model, "is_published", page.status == WIKI_PUBLISHED);
    json_set_bool(c->arena, p->model, "may_write", access_may_write(c, page.space_id) && page.status != WIKI_ARCHIVED);
    json_set_bool(c->arena, p->model, "form_open", p->form != NULL);
    json_set_str(c->arena, p->model, "content", preview ? preview : page.content);
    if (preview && page_preview(c, preview, &html) == ERR_OK)
        json_set_str(c->arena, p->model, "preview_html", html);
    json_set_str(c->arena, p->model, "text_html", page.rendered_content);
    TRY(put_wiki_form(c, p, type, COL_PATCH, &page));
    TRY(put_around(c, p, &page));
    TRY(wiki_pages_put_versions(c, p, type, page.slug));
    return page_show(p, "wiki_page");
}

static err page_page(struct ctx *c, struct page_call *p)
{
    return wiki_one_page(c, p, WIKI_PAGE);
}

static err article_page(struct ctx *c, struct page_call *p)
{
    return wiki_one_page(c, p, WIKI_ARTICLE);
}

/* ---- the link graph */

static err link_graph_page(struct ctx *c, struct page_call *p)
{
    struct list wanted, orphans, hubs;
    const struct wanted_name *w;
    const struct page_hub *h;
    struct json *list;

    TRY(page_links_wanted(c, SHOWN, &wanted));
    TRY(page_links_orphans(c, SHOWN, &orphans));
    TRY(page_links_hubs(c, SHOWN, &hubs));
    list = put_list(c, p->model, "wanted");
    w = wanted.v;
    for (size_t i = 0; i < wanted.n; i++) {
        struct json *row = add_row(c, list), *query = json_obj(c->arena);

        json_set_str(c->arena, query, "title", w[i].target);
        json_set_str(c->arena, row, "target", w[i].target);
        json_set_str(c->arena, row, "sources", model_count(c->arena, w[i].sources));
        json_set_str(c->arena, row, "href", model_href(c->arena, "/admin/pages/new", query));
    }
    list = put_list(c, p->model, "hubs");
    h = hubs.v;
    for (size_t i = 0; i < hubs.n; i++) {
        struct json *row = add_row(c, list);

        json_set_str(c->arena, row, "title", h[i].title);
        json_set_str(c->arena, row, "href", arena_printf(c->arena, "/admin/%s/%s", h[i].type == WIKI_ARTICLE ? "articles" : "pages",
            h[i].slug));
        put_id(c, row, "id", h[i].id);
        json_set_str(c->arena, row, "backlinks", model_count(c->arena, h[i].backlinks));
    }
    put_items(c, p->model, "orphans", &orphans);
    return page_show(p, "link_graph");
}

#define POST_ROW(path_, name_, perm_, does_, said_, go_, again_) \
    {.method = "POST", .path = path_, .name = "page." name_, .perm = perm_, .does = does_, .said = said_, .go = go_, .again = again_, \
     .takes_file = true}

const struct page_row wiki_pages[] = {
    {.method = "GET", .path = "/admin/pages", .name = "page.wiki_pages", .op = "page_admin.list", .perm = PERM_ADMIN_ACCESS,
        .run = pages_page,
     .nav = {.label = "Pages", .icon = "page", .key = "d", .also = {"/admin/page_links"}}},
    {.method = "GET", .path = "/admin/pages/new", .name = "page.wiki_page.new", .perm = PERM_ADMIN_ACCESS, .run = new_page_page},
    POST_ROW("/admin/pages", "wiki_page.create", PERM_ADMIN_ACCESS, "page_admin.create", "Page created.", "/admin/pages/:made", pages_page),
    {.method = "GET", .path = "/admin/pages/:id", .name = "page.wiki_page", .op = "page_admin.get", .perm = PERM_ADMIN_ACCESS,
        .run = page_page},
    POST_ROW("/admin/pages/:id", "wiki_page.update", PERM_ADMIN_ACCESS, "page_admin.update", "Saved.", "/admin/pages/:id", page_page),
    {.method = "POST", .path = "/admin/pages/:id/preview", .name = "page.wiki_page.preview", .perm = PERM_ADMIN_ACCESS, .run = page_page,
     .takes_file = true},
    POST_ROW("/admin/pages/:id/publish", "wiki_page.publish", PERM_ADMIN_ACCESS, "page_admin.publish", "Published.",
        "/admin/pages/:id", page_page),
    POST_ROW("/admin/pages/:id/unpublish", "wiki_page.unpublish", PERM_ADMIN_ACCESS, "page_admin.unpublish", "It is a draft now.",
        "/admin/pages/:id",
             page_page),
    POST_ROW("/admin/pages/:id/delete", "wiki_page.delete", PERM_ADMIN_ACCESS, "page_admin.delete", "Page deleted.", "/admin/pages",
        page_page),
    {.method = "GET", .path = "/admin/articles", .name = "page.articles", .op = "article.list", .perm = PERM_CONTENT_READ,
        .run = articles_page,
     .nav = {.label = "Articles", .icon = "knowledge"}},
    POST_ROW("/admin/articles", "article.create", PERM_CONTENT_WRITE, "article.create", "Article created.", "/admin/articles/:made",
        articles_page),
    {.method = "GET", .path = "/admin/articles/:id", .name = "page.article", .op = "article.get", .perm = PERM_CONTENT_READ,
        .run = article_page},
    POST_ROW("/admin/articles/categories", "article_category.create", PERM_CONTENT_MANAGE, "article_category.create", "Category created.",
             "/admin/articles", articles_page),
    POST_ROW("/admin/articles/:id", "article.update", PERM_CONTENT_WRITE, "article.update", "Saved.", "/admin/articles/:id", article_page),
    {.method = "POST", .path = "/admin/articles/:id/preview", .name = "page.article.preview", .perm = PERM_CONTENT_READ,
        .run = article_page,
     .takes_file = true},
    POST_ROW("/admin/articles/:id/publish", "article.publish", PERM_CONTENT_PUBLISH, "article.publish", "Published.", "/admin/articles/:id",
             article_page),
    POST_ROW("/admin/articles/:id/unpublish", "article.unpublish", PERM_CONTENT_PUBLISH, "article.unpublish", "It is a draft now.",
             "/admin/articles/:id", article_page),
    POST_ROW("/admin/articles/:id/delete", "article.delete", PERM_CONTENT_WRITE, "article.delete", "Article deleted.", "/admin/articles",
             article_page),
    {.method = "GET", .path = "/admin/page_links", .name = "page.link_graph", .op = "page_link.hubs", .perm = PERM_ADMIN_ACCESS,
     .run = link_graph_page},
    {0},
};
