/* What everybody may read; see public_page.h. */
#include "public_page.h"

#include "access.h"
#include "account.h"
#include "json.h"
#include "page_render.h"
#include "str.h"
#include "wiki_page_store.h"
#include "wiki_text.h"

static err no_such_site(struct ctx *c)
{
    ctx_forgive(c);
    return fail(c, ERR_NOT_FOUND, "no such page");
}

err public_site_open(struct ctx *c, const char *slug, const char *setting, const char **name)
{
    struct account a;
    err e = str_is_slug(slug) ? account_by_slug(c, slug, &a) : ERR_NOT_FOUND;

    if (e == ERR_NOT_FOUND)
        return no_such_site(c);
    TRY(e);
    if (a.status != ACCOUNT_ACTIVE || !json_get_bool(json_opened(c->arena, a.settings), setting, false))
        return no_such_site(c);
    *name = a.name;
    return access_as_system(c, a.id, "public site");
}

err public_page_list(struct ctx *c, enum wiki_type type, struct list *out)
{
    return wiki_page_store_public(c, type, PUBLIC_PAGES, out);
}

static bool is_for_everybody(const struct wiki_page *p)
{
    return p->status == WIKI_PUBLISHED && p->is_public && !p->deleted_at.us;
}

/* An old slug of a page that everybody may read. */
static err moved_to(struct ctx *c, enum wiki_type type, const char *slug, const char **moved)
{
    struct wiki_page p;
    struct uuid id;
    bool found = false;

    TRY(wiki_page_store_by_alias(c, type, wiki_name_key(c->arena, slug), &id));
    if (!uuid_is_nil(id))
        TRY(wiki_page_store_get(c, id, false, &found, &p));
    if (!found || !is_for_everybody(&p))
        return no_such_site(c);
    *moved = p.slug;
    return ERR_OK;
}

err public_page_find(struct ctx *c, const char *account, enum wiki_type type, const char *slug, struct wiki_page *out, const char **moved)
{
    struct render_site site = {.files = arena_printf(c->arena, "/p/%s/files/", account),
                               .pages = arena_printf(c->arena, "/p/%s/", account), .articles = arena_printf(c->arena, "/p/%s/kb/", account),
                               .is_public = true};
    struct page_render made;
    bool found;

    *moved = NULL;
    TRY(wiki_page_store_by_slug(c, type, slug, &found, out));
    if (!found || !is_for_everybody(out))
        return moved_to(c, type, slug, moved);
    TRY(page_render(c, out, &site, &made));
    out->rendered_content = made.html;
    out->toc = made.toc;
    if (str_empty(out->excerpt))
        out->excerpt = out->first_words;
    return ERR_OK;
}
