/* Making and changing pages: node, row, names, links and edges in one transaction; see wiki_page.h. */
#include <string.h>

#include "access.h"
#include "content_links.h"
#include "db.h"
#include "match.h"
#include "node.h"
#include "node_many.h"
#include "page_render.h"
#include "passage.h"
#include "row.h"
#include "str.h"
#include "thing.h"
#include "wiki_page_impl.h"
#include "wiki_space.h"
#include "wiki_text.h"

static const struct thing *thing_of(enum wiki_type type)
{
    return type == WIKI_ARTICLE ? &ARTICLE_THING : &PAGE_THING;
}

/* ---- what is common */

static err slug_is_taken(struct ctx *c, err e, const char *slug)
{
    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "the slug '%s' is taken", slug);
}

static err check_category(struct ctx *c, const struct wiki_page *p)
{
    bool found;

    if (p->type != WIKI_ARTICLE)
        return ERR_OK;
    if (!p->category_slug)
        return fail_field(c, "/category_slug", "an article needs a category");
    TRY(wiki_page_store_has_category(c, p->category_slug, &found));
    return found ? ERR_OK : fail_field(c, "/category_slug", "there is no category '%s'", p->category_slug);
}

static err check_aliases(struct ctx *c, const struct wiki_page *p)
{
    for (size_t i = 0; i < p->aliases.n; i++)
        if (!*p->aliases.v[i] || str_code_points(p->aliases.v[i], strlen(p->aliases.v[i])) > WIKI_NAME)
            return fail_field(c, "/aliases", "an alias must have 1 to %d characters", WIKI_NAME);
    return ERR_OK;
}

static err write_names(struct ctx *c, const struct wiki_page *was, const struct wiki_page *now)
{
    struct wiki_name names[2 * WIKI_NAMES];
    size_t n = wiki_page_names(c, now, names);

    TRY(wiki_name_store_replace(c, now, names, n));
    if (was)
        n += wiki_page_names(c, was, names + n);
    return page_links_bind(c, now->id, names, n);
}

/* What recall finds parts of: nothing of a page that is gone or archived. */
static struct passages_of passages_text_of(const struct wiki_page *p)
{
    bool is_there = !p->deleted_at.us && p->status != WIKI_ARCHIVED;

    return (struct passages_of){p->id, p->space_id, p->title, is_there ? p->content : NULL};
}

static err wiki_page_passages(struct ctx *c, const struct wiki_page *was, const struct wiki_page *now)
{
    struct passages_of before = was ? passages_text_of(was) : (struct passages_of){0}, after = passages_text_of(now);

    return passages_follow(c, &before, &after);
}

/* ---- making */

static err node_of_page(struct ctx *c, const struct wiki_page *p)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .id = p->id, .space_id = p->space_id, .kind = enumx_name(&wiki_type_enumx, (int)p->type),
                         .title = p->title, .body = p->content, .attrs = wiki_page_attrs(c, p),
                             .source_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind)};
    struct node made;

    return node_create(c, &n, &made);
}

static err page_begin_row(struct ctx *c, struct wiki_page *p)
{
    p->id = uuid_new(c->now.us);
    if (p->slug)
        TRY(wiki_check_slug(c, p->slug));
    else
        TRY(wiki_free_slug(c, p->type, p->title, &p->slug));
    p->live_slug = p->slug;
    p->version = 1;
    p->links_version = p->is_deferred ? 0 : 1;
    p->author_id = c->who->id;
    p->author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    p->created_at = p->updated_at = c->now;
    p->published_at = p->status == WIKI_PUBLISHED ? c->now : (struct instant){0};
    if (!p->metadata)
        p->metadata = json_obj(c->arena);
    TRY(check_aliases(c, p));
    return check_category(c, p);
}

static err wiki_page_insert_tx(struct ctx *c, const struct wiki_page *in, struct wiki_save *s)
{
    struct wiki_page *p = &s->row;
    struct wiki_name names[WIKI_NAMES];

    *s = (struct wiki_save){.row = *in, .names_changed = true};
    TRY(wiki_clean_text(c, &p->content));
    TRY(page_begin_row(c, p));
    TRY(wiki_space_of(c, p->type, p->status, &p->space_id));
    TRY(page_render_check(c, p));
    wiki_page_measure(c, p);
    TRY(node_of_page(c, p));
    TRY(slug_is_taken(c, row_insert(c, &PAGE_ROW, p), p->slug));
    TRY(thing_note(c, &PAGE_ROW, "create", p->id, NULL, field_encode_use(c->arena, PAGE_ROW.columns, COL_AUDIT, p)));
    TRY(wiki_page_passages(c, NULL, p));
    if (p->is_deferred) {
        s->names_changed = false;
        return wiki_name_store_replace(c, p, names, wiki_page_names(c, p, names));
    }
    TRY(write_names(c, NULL, p));
    TRY(page_links_extract(c, p, &p->marks->scan, &s->links));
    p->ignored_links = s->links.ignored;
    return s->links.ignored ? wiki_page_store_set_links(c, p->id, 1, s->links.ignored) : ERR_OK;
}
DB_TX_INNER(wiki_page_insert, struct wiki_page, struct wiki_save)

err wiki_page_written(struct ctx *c, const struct wiki_save *s)
{
    return page_links_look_again(c, s->row.id, s->links.pending > 0, s->names_changed);
}

err wiki_page_create(struct ctx *c, enum wiki_type type, const struct wiki_page *in, struct wiki_page *out)
{
    struct wiki_page p = *in;
    struct wiki_save s;

    p.type = type;
    if (p.status == WIKI_ARCHIVED || (p.status == WIKI_REVIEW && type == WIKI_PAGE))
        return fail_field(c, "/status", "a new %s is draft or published", enumx_name(&wiki_type_enumx, (int)type));
    TRY(wiki_check_status(c, type, WIKI_DRAFT, p.status));
    TRY(wiki_page_insert(c, &p, &s));
    TRY(wiki_page_written(c, &s));
    *out = s.row;
    return ERR_OK;
}

/* ---- changing */

static bool same_strs(struct strs a, struct strs b)
{
    for (size_t i = 0; i < a.n && i < b.n; i++)
        if (!str_eq(a.v[i], b.v[i]))
            return false;
    return a.n == b.n;
}

/* What is left of a page's old title and slug, so that links and addresses go on working. */
static void keep_old_names(struct ctx *c, struct wiki_save *s)
{
    struct wiki_page *p = &s->row;
    const char *old[] = {s->was.title, s->was.slug}, *now[] = {p->title, p->slug};
    const char **v = ARENA_ARRAY(c->arena, const char *, p->aliases.n + 2);
    size_t n = 0;

    for (size_t i = 0; i < 2; i++)
        if (strcmp(wiki_name_key(c->arena, old[i]), wiki_name_key(c->arena, now[i])) != 0)
            v[n++] = old[i];
    if (!n)
        return;
    for (size_t i = 0; i < p->aliases.n && n < PAGE_ALIASES; i++)
        if (!str_eq(p->aliases.v[i], v[0]) && !(n > 1 && str_eq(p->aliases.v[i], v[1])) && !str_eq(p->aliases.v[i], p->title) &&
            !str_eq(p->aliases.v[i], p->slug))
            v[n++] = p->aliases.v[i];
    p->aliases = (struct strs){v, n};
}

static err node_follows(struct ctx *c, struct wiki_save *s)
{
    const struct wiki_page *p = &s->row, *was = &s->was;
    struct node_patch patch = {.set = NODE_SET_LABELS, .title = p->title, .body = p->content, .attrs = wiki_page_attrs(c, p)};
    struct node n;

    if (!str_eq(p->title, was->title) || !str_eq(p->content, was->content))
        patch.set |= NODE_SET_TITLE | NODE_SET_BODY;
    if (!str_eq(p->slug, was->slug))
        patch.set |= NODE_SET_OWN;
    TRY(node_update(c, p->id, &patch, &n));
    s->row.version = n.version;
    s->row.updated_at = n.updated_at;
    s->row.author_id = n.author_id;
    s->row.author_kind = n.author_kind;
    return ERR_OK;
}

/* Drafts lie in a space of their own; what is archived is out of recall. */
static err node_moves(struct ctx *c, struct wiki_save *s)
{
    struct wiki_page *p = &s->row;
    struct node n = {.version = p->version, .updated_at = p->updated_at};

    TRY(wiki_space_of(c, p->type, p->status, &p->space_id));
    if (s->was.status == WIKI_ARCHIVED)
        TRY(node_unarchive(c, p->id, 0, &n));
    if (!uuid_eq(p->space_id, s->was.space_id))
        TRY(node_move(c, p->id, p->space_id, 0, &n));
    if (p->status == WIKI_ARCHIVED)
        TRY(node_archive(c, p->id, 0, &n));
    p->version = n.version;
    p->updated_at = n.updated_at;
    if (p->status == WIKI_PUBLISHED)
        p->published_at = c->now;
    else if (p->status == WIKI_DRAFT)
        p->published_at = (struct instant){0};
    return ERR_OK;
}

err wiki_page_write(struct ctx *c, struct wiki_save *s)
{
    struct wiki_page *p = &s->row;
    bool text_changed = !str_eq(p->content, s->was.content);
    int64_t changed;

    s->names_changed = !str_eq(p->title, s->was.title) || !str_eq(p->slug, s->was.slug) || !same_strs(p->aliases, s->was.aliases) ||
                       !str_eq(p->path, s->was.path) || (p->status == WIKI_ARCHIVED) != (s->was.status == WIKI_ARCHIVED);
    if (s->was.status == WIKI_ARCHIVED || p->status != s->was.status)
        TRY(node_moves(c, s));
    if (p->status != WIKI_ARCHIVED)
        TRY(node_follows(c, s));
    if (text_changed) {
        TRY(page_render_check(c, p));
        wiki_page_measure(c, p);
        TRY(page_links_extract(c, p, &p->marks->scan, &s->links));
        p->links_version = p->version;
        p->ignored_links = s->links.ignored;
    }
    p->live_slug = p->slug;
    TRY(slug_is_taken(c, row_update(c, &PAGE_ROW, p, &changed), p->slug));
    if (s->names_changed)
        TRY(write_names(c, &s->was, p));
    TRY(wiki_page_passages(c, &s->was, p));
    return thing_note(c, &PAGE_ROW, s->verb, p->id, field_encode_use(c->arena, PAGE_ROW.columns, COL_AUDIT, &s->was),
                      field_encode_use(c->arena, PAGE_ROW.columns, COL_AUDIT, p));
}

static bool says_nothing_new(const struct wiki_page *a, const struct wiki_page *b)
{
    return str_eq(a->title, b->title) && str_eq(a->slug, b->slug) && str_eq(a->content, b->content) && a->status == b->status &&
           a->is_public == b->is_public && str_eq(a->meta_description, b->meta_description) && str_eq(a->meta_keywords, b->meta_keywords) &&
           same_strs(a->aliases, b->aliases) && same_strs(a->tags, b->tags) && str_eq(a->category_slug, b->category_slug) &&
           str_eq(a->excerpt, b->excerpt) && a->is_featured == b->is_featured && a->sort_order == b->sort_order &&
           str_eq(a->path, b->path) && json_equal(a->metadata, b->metadata);
}

static err wiki_page_change_tx(struct ctx *c, const struct wiki_page_change *ch, struct wiki_save *s)
{
    enum wiki_type type = ch->to.type;
    struct page_ref ref = {ch->to.ref, ch->change.if_version};

    *s = (struct wiki_save){.verb = "update"};
    TRY(wiki_page_take(c, type, &ref, &s->was));
    if (s->was.status == WIKI_ARCHIVED && !changes(ch, status))
        return fail_reason(c, ERR_CONFLICT, "page_state", "the article is archived; publish it before changing it");
    s->was.metadata = json_opened(c->arena, s->was.metadata);
    s->row = s->was;
    field_apply(thing_of(type)->columns, &ch->change, offsetof(struct wiki_page_change, to), &ch->to, &s->row);
    if (!s->row.metadata)
        s->row.metadata = json_obj(c->arena);
    TRY(wiki_clean_text(c, &s->row.content));
    if (!str_eq(s->row.slug, s->was.slug))
        TRY(wiki_check_slug(c, s->row.slug ? s->row.slug : ""));
    TRY(wiki_check_status(c, type, s->was.status, s->row.status));
    TRY(check_aliases(c, &s->row));
    if (!str_eq(s->row.category_slug, s->was.category_slug))
        TRY(check_category(c, &s->row));
    keep_old_names(c, s);
    return says_nothing_new(&s->was, &s->row) ? ERR_OK : wiki_page_write(c, s);
}
DB_TX_INNER(wiki_page_change, struct wiki_page_change, struct wiki_save)

err wiki_page_update(struct ctx *c, enum wiki_type type, const struct wiki_page_change *ch, struct wiki_page *out)
{
    struct wiki_page_change mine = *ch;
    struct wiki_save s;

    mine.to.type = type;
    TRY(wiki_page_change(c, &mine, &s));
    TRY(wiki_page_written(c, &s));
    *out = s.row;
    if (mine.to.rewrite_links && s.names_changed && !str_eq(s.row.title, s.was.title))
        return links_rewrite(c, &s.was, &s.row, &out->links_rewritten);
    return ERR_OK;
}

/* ---- status, copies */

err wiki_page_move(struct ctx *c, enum wiki_type type, const struct page_ref *ref, enum wiki_status to, struct wiki_page *out)
{
    struct wiki_page_change ch = {.change.if_version = ref->if_version, .to.ref = ref->id};

    change_to(&ch, status, to);
    return wiki_page_update(c, type, &ch, out);
}

err wiki_page_duplicate(struct ctx *c, enum wiki_type type, const struct page_ref *ref, struct wiki_page *out)
{
    struct wiki_page p, copy;
    const char *title;

    TRY(wiki_page_find(c, type, ref->id, &p));
    title = arena_printf(c->arena, "%s (copy)", p.title);
    copy = (struct wiki_page){.title = arena_strndup(c->arena, title, str_first_bytes(title, PAGE_TITLE)), .content = p.content,
        .meta_description = p.meta_description,
                              .meta_keywords = p.meta_keywords, .metadata = p.metadata, .tags = p.tags, .category_slug = p.category_slug,
                              .excerpt = p.excerpt, .sort_order = p.sort_order};
    return wiki_page_create(c, type, &copy, out);
}

/* ---- going and coming back */

static err wiki_page_drop_tx(struct ctx *c, const struct wiki_page *wish, struct wiki_save *s)
{
    struct page_ref ref = {wish->ref, wish->version};
    struct wiki_page *p = &s->row;
    struct node_wish forget = {.what = NODE_WISH_FORGET};
    int64_t changed;

    *s = (struct wiki_save){.verb = "delete"};
    TRY(wiki_page_take(c, wish->type, &ref, &s->was));
    *p = s->was;
    p->deleted_at = c->now;
    p->live_slug = NULL;
    forget.id = p->id;
    TRY(row_update(c, &PAGE_ROW, p, &changed));
    TRY(page_links_retire(c, p));
    TRY(write_names(c, &s->was, p));
    TRY(wiki_page_passages(c, &s->was, p));
    TRY(thing_note(c, &PAGE_ROW, "delete", p->id, field_encode_use(c->arena, PAGE_ROW.columns, COL_AUDIT, &s->was), NULL));
    return node_change_many(c, &forget, 1);
}
DB_TX_INNER(wiki_page_drop, struct wiki_page, struct wiki_save)

err wiki_page_delete(struct ctx *c, enum wiki_type type, const struct page_ref *ref)
{
    struct wiki_save s;

    return wiki_page_drop(c, &(struct wiki_page){.ref = ref->id, .type = type, .version = ref->if_version}, &s);
}

static err wiki_page_revive_tx(struct ctx *c, const struct wiki_page *wish, struct wiki_save *s)
{
    struct wiki_page *p = &s->row;
    struct node n;
    struct uuid id;
    int64_t changed;
    bool found = false;

    *s = (struct wiki_save){.verb = "restore", .names_changed = true};
    if (uuid_parse(wish->ref, &id))
        TRY(wiki_page_store_lock(c, id, true, &found, p));
    if (!found && uuid_parse(wish->ref, &id))
        TRY(wiki_page_store_lock(c, id, false, &found, p));
    if (!found || p->type != wish->type || !access_may_read(c, p->space_id))
        return wiki_page_missing(c, wish->type);
    TRY(access_require(c, p->space_id, ACCESS_WRITE));
    TRY(match_version(c, wish->version, p->version));
    if (!p->deleted_at.us)
        return fail(c, ERR_CONFLICT, "it is not deleted");
    p->deleted_at = (struct instant){0};
    p->live_slug = p->slug;
    TRY(slug_is_taken(c, row_update(c, &PAGE_ROW, p, &changed), p->slug));
    TRY(node_restore(c, p->id, &n));
    p->version = n.version;
    p->updated_at = n.updated_at;
    TRY(write_names(c, NULL, p));
    TRY(wiki_page_passages(c, NULL, p));
    TRY(thing_note(c, &PAGE_ROW, "restore", p->id, NULL, field_encode_use(c->arena, PAGE_ROW.columns, COL_AUDIT, p)));
    return page_links_extract(c, p, NULL, &s->links);
}
DB_TX_INNER(wiki_page_revive, struct wiki_page, struct wiki_save)

err wiki_page_restore(struct ctx *c, enum wiki_type type, const struct page_ref *ref, struct wiki_page *out)
{
    struct wiki_save s;

    TRY(wiki_page_revive(c, &(struct wiki_page){.ref = ref->id, .type = type, .version = ref->if_version}, &s));
    TRY(wiki_page_written(c, &s));
    *out = s.row;
    return ERR_OK;
}
