/* Texts to HTML: links become placeholders before Markdown sees them, and links of the reader afterwards; see page_render.h. */
#include "page_render.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "attachment.h"
#include "link_scan.h"
#include "markdown.h"
#include "node.h"
#include "page_link.h"
#include "page_link_store.h"
#include "random.h"
#include "str.h"
#include "wiki_page_store.h"
#include "wiki_space.h"
#include "wiki_text.h"

/* ---- placeholders */

/* Letters that the text does not have. */
static const char *token_for(struct ctx *c, const char *text)
{
    uint8_t bytes[6];
    char hex[13];
    const char *token;

    do {
        random_fill(bytes, sizeof bytes);
        hex_encode(bytes, sizeof bytes, hex);
        token = arena_printf(c->arena, "zWk%sz", hex);
    } while (strstr(text, token));
    return token;
}

/* The text without front matter and comments, its links as tokens. */
static const char *with_tokens(struct ctx *c, const struct link_scan *s, const char *token)
{
    struct buf b;
    size_t link = 0;

    buf_init(&b, c->arena, s->n + 64);
    for (size_t at = s->front; at < s->n;) {
        while (link < s->n_links && s->links[link].at < at)
            link++;
        if (link < s->n_links && s->links[link].at == at) {
            buf_printf(&b, "%s%zux", token, link);
            at = s->links[link].end;
        } else {
            if (s->area[at] != AREA_COMMENT)
                buf_putc(&b, s->text[at]);
            at++;
        }
    }
    return buf_str(&b);
}

err page_render_marks(struct ctx *c, const char *content, struct page_marks *m)
{
    const char *token, *text, *made;
    struct buf out;

    *m = (struct page_marks){0};
    link_scan(c->arena, content, strlen(content), &m->scan);
    m->toc = json_arr(c->arena);
    token = m->scan.n_links ? token_for(c, content) : NULL;
    text = with_tokens(c, &m->scan, token ? token : "");
    made = markdown_html(c->arena, text, strlen(text));
    if (!made)
        return fail_reason(c, ERR_INVALID, "too_complex", "the text takes too much memory or time to render");
    buf_init(&out, c->arena, strlen(made) + 1024);
    TRY(render_clean(c, made, token, &m->scan, &out, m->toc));
    m->html = buf_str(&out);
    return ERR_OK;
}

err page_render_check(struct ctx *c, struct wiki_page *p)
{
    struct page_marks *m = ARENA_NEW(c->arena, struct page_marks);

    p->marks = m;
    return page_render_marks(c, p->content, m);
}

/* ---- links of the reader */

struct render_work {
    struct ctx *c;
    const struct render_site *site;
    struct uuid shown[RENDER_DEPTH + 1]; /* pages around this place */
    size_t depth;
    int embeds;
    struct buf *out;
};

/* One page's links, and the pages that the reader can see of those they lead to. */
struct render_page {
    const struct wiki_page *page;
    const struct page_marks *marks;
    struct list links, targets, files;
    struct uuids nodes; /* of other kinds than pages, that the reader can see */
};

static const struct page_link *link_row(const struct render_page *r, struct arena *a, const char *target)
{
    const struct page_link *rows = r->links.v;
    const char *key = wiki_name_key(a, target);

    for (size_t i = 0; i < r->links.n; i++)
        if (strcmp(rows[i].target_key, key) == 0)
            return &rows[i];
    return NULL;
}

static const struct wiki_page *target_page(const struct render_page *r, struct uuid id)
{
    const struct wiki_page *rows = r->targets.v;

    for (size_t i = 0; i < r->targets.n; i++)
        if (uuid_eq(rows[i].id, id))
            return &rows[i];
    return NULL;
}

static const char *heading_anchor(struct arena *a, const char *heading)
{
    const char *last = heading ? strrchr(heading, '#') : NULL;

    if (!heading || !*heading)
        return "";
    last = last ? last + 1 : heading;
    if (*last == '^')
        return last[1 + strspn(last + 1, BLOCK_LETTERS)] ? "" : arena_printf(a, "#b-%s", last + 1);
    return arena_printf(a, "#h-%s", wiki_slug_for(a, last));
}

static const char *shown_words(const struct wiki_link *l)
{
    return l->display ? l->display : l->target[0] == '#' ? l->target + 1 : l->target;
}

static void anchor_write(struct render_work *w, const struct wiki_page *target, const char *heading, const char *words)
{
    const char *base = !target ? "" : target->type == WIKI_ARTICLE ? w->site->articles : w->site->pages;

    buf_printf(w->out, "<a class=\"wikilink\" href=\"%s%s%s\">", base, target ? target->slug : "", heading_anchor(w->c->arena, heading));
    render_escape(w->out, words);
    buf_puts(w->out, "</a>");
}

/* Nobody has the name. */
static void missing_write(struct render_work *w, const struct wiki_link *l)
{
    const char *root = arena_strndup(w->c->arena, l->target, strcspn(l->target, "#"));

    if (w->site->is_public) {
        render_escape(w->out, shown_words(l));
        return;
    }
    buf_puts(w->out, "<span class=\"wikilink missing\">");
    render_escape(w->out, shown_words(l));
    buf_puts(w->out, "</span>");
    if (!w->site->may_create || !*root)
        return;
    buf_printf(w->out, " <a class=\"create\" href=\"%snew?title=", w->site->pages);
    for (const char *p = root; *p; p++)
        buf_printf(w->out, strchr("-_.~", *p) || (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z') ? "%c" : "%%%02X",
                   (unsigned char)*p);
    buf_puts(w->out, "\" title=\"Create this page\">+</a>");
}

/* A skill, an agent, a goal: those have a page of their own. */
static void node_link_write(struct render_work *w, const struct render_page *r, struct uuid id, const struct wiki_link *l)
{
    bool is_there = false;

    for (size_t i = 0; i < r->nodes.n && !is_there; i++)
        is_there = uuid_eq(r->nodes.v[i], id);
    if (is_there)
        buf_printf(w->out, "<a class=\"wikilink\" href=\"%s%s\">", w->site->nodes, UUID_STR(id));
    render_escape(w->out, shown_words(l));
    if (is_there)
        buf_puts(w->out, "</a>");
}

/* A picture is shown where it is embedded; any other file is a link to its bytes. */
static void file_write(struct render_work *w, const struct render_page *r, const struct wiki_link *l)
{
    const char *root = arena_strndup(w->c->arena, l->target, strcspn(l->target, "#"));
    const struct attachment *a = attachment_for(w->c, &r->files, wiki_name_key(w->c->arena, root));
    bool is_shown = a && l->is_embed && attachment_is_picture(a);
    size_t digits = l->display ? strspn(l->display, "0123456789") : 0;

    if (!a) {
        render_escape(w->out, shown_words(l));
        return;
    }
    buf_printf(w->out, is_shown ? "<img src=\"%s%s\" loading=\"lazy\"" : "<a class=\"wikilink file\" href=\"%s%s\">", w->site->files,
               UUID_STR(a->id));
    if (is_shown && digits && digits < 5 && !l->display[digits])
        buf_printf(w->out, " width=\"%s\"", l->display);
    if (is_shown)
        buf_puts(w->out, " alt=\"");
    render_escape(w->out, is_shown && digits ? l->target : shown_words(l));
    buf_puts(w->out, is_shown ? "\">" : "</a>");
}

static err page_write(struct render_work *w, const struct wiki_page *p, const char *heading, const struct json **toc);

/* Is it shown in place? Not where it is around this place already, nor deeper than that. */
static err embed_write(struct render_work *w, const struct wiki_page *target, const struct wiki_link *l, const char *heading, bool *done)
{
    struct wiki_page whole;
    bool found;

    *done = false;
    if (!l->is_embed || w->depth == RENDER_DEPTH || w->embeds >= RENDER_EMBEDS)
        return ERR_OK;
    for (size_t i = 0; i <= w->depth; i++)
        if (uuid_eq(w->shown[i], target->id))
            return ERR_OK;
    TRY(wiki_page_store_get(w->c, target->id, false, &found, &whole));
    if (!found)
        return ERR_OK;
    w->embeds++;
    w->shown[++w->depth] = target->id;
    buf_puts(w->out, "<div class=\"embed\">");
    TRY(page_write(w, &whole, heading, NULL));
    buf_puts(w->out, "</div>");
    w->depth--;
    *done = true;
    return ERR_OK;
}

static err mark_write(struct render_work *w, const struct render_page *r, size_t number)
{
    const struct wiki_link *l = &r->marks->scan.links[number];
    const struct page_link *row = link_row(r, w->c->arena, l->target);
    const char *hash = strchr(l->target, '#'), *heading = hash ? hash + 1 : NULL;
    const struct wiki_page *target = row && row->state == LINK_RESOLVED ? target_page(r, row->target_id) : NULL;
    bool done;

    if (row && row->state == LINK_SELF)
        anchor_write(w, NULL, heading ? heading : "", shown_words(l));
    else if (row && row->state == LINK_FILE)
        file_write(w, r, l);
    else if (row && row->state == LINK_PENDING)
        missing_write(w, l);
    else if (!target)
        node_link_write(w, r, row ? row->target_id : (struct uuid){{0}}, l);
    else {
        TRY(embed_write(w, target, l, heading, &done));
        if (!done)
            anchor_write(w, target, heading, shown_words(l));
    }
    return ERR_OK;
}

/* The paragraph or the item of a list that has this ^block; NULL: none. */
static const char *page_render_block_of(struct arena *a, const char *html, const char *block)
{
    const char *mark = strstr(html, arena_printf(a, "<span id=\"b-%s\"></span>", block)), *from = mark, *end;

    while (from && from > html && strncmp(from, "<p>", 3) != 0 && strncmp(from, "<li", 3) != 0)
        from--;
    end = mark && from > html ? strstr(mark, from[1] == 'p' ? "</p>" : "</li>") : NULL;
    return end ? arena_strndup(a, from, (size_t)(end - from) + (from[1] == 'p' ? 4 : 5)) : NULL;
}

/* Of a page the part below one heading, up to the next one of its level; all of it where there is none. */
static const char *page_render_section_of(struct arena *a, const char *html, const char *heading)
{
    const char *last = heading ? strrchr(heading, '#') : NULL, *from, *to;
    const char *id = heading ? arena_printf(a, " id=\"h-%s\">", wiki_slug_for(a, last ? last + 1 : heading)) : NULL;

    if (heading && *heading == '^') {
        from = page_render_block_of(a, html, heading + 1);
        return from ? from : html;
    }
    from = id ? strstr(html, id) : NULL;
    if (!from || from - html < 3)
        return html;
    from -= 3; /* "<h2" */
    for (to = from + 3; (to = strstr(to, "<h")) != NULL; to += 2)
        if (to[2] >= '1' && to[2] <= from[2])
            break;
    return to ? arena_strndup(a, from, (size_t)(to - from)) : from;
}

static err targets_read(struct render_work *w, struct render_page *r)
{
    struct uuid *ids = ARENA_ARRAY(w->c->arena, struct uuid, r->links.n + 1);
    const struct page_link *rows = r->links.v;

    struct strs keys = {ARENA_ARRAY(w->c->arena, const char *, r->links.n + 1), 0};
    size_t n = 0;

    for (size_t i = 0; i < r->links.n; i++) {
        ids[i] = rows[i].target_id;
        if (rows[i].state == LINK_FILE)
            keys.v[keys.n++] = rows[i].root_key;
    }
    TRY(attachments_named(w->c, &keys, &r->files));
    TRY(wiki_page_store_seen(w->c, ids, r->links.n, wiki_spaces_readable(w->c), w->site->is_public, &r->targets));
    for (size_t i = 0; i < r->links.n; i++)
        if (w->site->nodes && rows[i].state == LINK_RESOLVED && strchr(rows[i].target, ':') && !target_page(r, rows[i].target_id))
            ids[n++] = rows[i].target_id;
    return page_link_store_readable(w->c, ids, n, &r->nodes);
}

static err page_write(struct render_work *w, const struct wiki_page *p, const char *heading, const struct json **toc)
{
    struct render_page r = {.page = p, .marks = p->marks};
    struct page_marks made;
    const char *html;

    if (!r.marks) {
        TRY(page_render_marks(w->c, p->content, &made));
        r.marks = &made;
    }
    html = r.marks->html;
    if (toc)
        *toc = r.marks->toc;
    if (r.marks->has_links)
        r.links = r.marks->links;
    else if (r.marks->scan.n_links && !uuid_is_nil(p->id))
        TRY(page_links_of(w->c, p->id, &r.links));
    else if (r.marks->scan.n_links)
        TRY(page_links_would_be(w->c, &r.marks->scan, &r.links));
    TRY(targets_read(w, &r));
    for (html = page_render_section_of(w->c->arena, html, heading); *html;) {
        size_t n = strcspn(html, "\x02");

        buf_add(w->out, html, n);
        html += n;
        if (!*html)
            break;
        TRY(mark_write(w, &r, strtoul(html + 1, NULL, 10)));
        html += strcspn(html, "\x03") + 1;
    }
    return ctx_check_size(w->c);
}

err page_render(struct ctx *c, const struct wiki_page *p, const struct render_site *site, struct page_render *out)
{
    struct render_work w = {.c = c, .site = site, .shown = {p->id}};
    struct buf b;

    buf_init(&b, c->arena, strlen(p->content) + 1024);
    w.out = &b;
    TRY(page_write(&w, p, NULL, &out->toc));
    out->html = buf_str(&b);
    return ERR_OK;
}

err page_preview(struct ctx *c, const char *content, const char **html)
{
    struct page_render made;

    TRY(page_render(c, &(struct wiki_page){.content = content}, &ADMIN_SITE, &made));
    *html = made.html;
    return ERR_OK;
}

/* ---- answers with one page */

static struct json *seo_of(struct ctx *c, const struct wiki_page *p)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "title", p->title);
    json_set_str(c->arena, o, "description", p->meta_description ? p->meta_description : p->excerpt);
    json_set_str(c->arena, o, "keywords", p->meta_keywords);
    return o;
}

const struct render_site ADMIN_SITE = {.pages = "/admin/pages/", .articles = "/admin/articles/", .files = "/api/v1/page_files/",
                                       .nodes = "/admin/nodes/", .may_create = true};

err wiki_page_present(struct ctx *c, struct wiki_page *p)
{
    struct page_render made;

    if (str_empty(p->excerpt))
        p->excerpt = p->first_words;
    p->estimated_read_time = (p->word_count + PAGE_WORDS_A_MINUTE - 1) / PAGE_WORDS_A_MINUTE;
    p->seo = seo_of(c, p);
    TRY(page_render(c, p, &ADMIN_SITE, &made));
    p->rendered_content = made.html;
    p->toc = made.toc;
    return ERR_OK;
}

err wiki_page_view(struct ctx *c, enum wiki_type type, const char *ref, struct wiki_page *out)
{
    TRY(wiki_page_find(c, type, ref, out));
    if (!uuid_eq(out->author_id, c->who->id))
        node_use(c, out->id);
    return wiki_page_present(c, out);
}
