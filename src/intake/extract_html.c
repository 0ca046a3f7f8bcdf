/* HTML by gumbo: its tree is walked without recursion, however deep it is; see extract.h. */
#include <gumbo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "extract.h"

#define MAIN_SHARE 0.4 /* of the text: then main or article stands for the page */

/* ---- the tree */

static const GumboVector *html_children(const GumboNode *n)
{
    if (n->type == GUMBO_NODE_DOCUMENT)
        return &n->v.document.children;
    return n->type == GUMBO_NODE_ELEMENT || n->type == GUMBO_NODE_TEMPLATE ? &n->v.element.children : NULL;
}

static const GumboNode *html_first(const GumboNode *n)
{
    const GumboVector *v = html_children(n);

    return v && v->length ? v->data[0] : NULL;
}

static const GumboNode *html_next(const GumboNode *n)
{
    const GumboVector *v = n->parent ? html_children(n->parent) : NULL;

    return v && n->index_within_parent + 1 < v->length ? v->data[n->index_within_parent + 1] : NULL;
}

static GumboTag html_tag(const GumboNode *n)
{
    return n->type == GUMBO_NODE_ELEMENT || n->type == GUMBO_NODE_TEMPLATE ? n->v.element.tag : GUMBO_TAG_UNKNOWN;
}

static const char *html_attribute(const GumboNode *n, const char *name)
{
    const GumboAttribute *a = n->type == GUMBO_NODE_ELEMENT ? gumbo_get_attribute(&n->v.element.attributes, name) : NULL;

    return a ? a->value : NULL;
}

static bool html_is_hidden(const GumboNode *n)
{
    const char *style = html_attribute(n, "style"), *aria = html_attribute(n, "aria-hidden"), *class = html_attribute(n, "class");

    /* headerlink: the "¶" that documentation puts behind its headings */
    return html_attribute(n, "hidden") || (class && strstr(class, "headerlink")) || (aria && strcasecmp(aria, "true") == 0) ||
           (style && (strstr(style, "display:none") || strstr(style, "display: none") || strstr(style, "visibility:hidden")));
}

static bool html_is_left_out(const GumboNode *n)
{
    switch (html_tag(n)) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_HEAD:
    case GUMBO_TAG_NOSCRIPT:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_SVG: return true;
    default: return n->type == GUMBO_NODE_TEMPLATE || html_is_hidden(n);
    }
}

/* ---- walking: enter and leave are called of each node but those left out */

struct html_walk {
    struct extract *x;
    int pre;
    size_t seen; /* bytes of text */
    void (*enter)(struct html_walk *w, const GumboNode *n);
    void (*leave)(struct html_walk *w, const GumboNode *n);
};

static void html_walk(struct html_walk *w, const GumboNode *top)
{
    const GumboNode *n = top;

    for (;;) {
        const GumboNode *next;

        if (!html_is_left_out(n)) {
            w->enter(w, n);
            next = html_first(n);
            if (next) {
                n = next;
                continue;
            }
            w->leave(w, n);
        }
        while (n != top && (next = html_next(n)) == NULL) {
            n = n->parent;
            w->leave(w, n);
        }
        if (n == top)
            return;
        n = next;
    }
}

static void html_count(struct html_walk *w, const GumboNode *n)
{
    if (n->type == GUMBO_NODE_TEXT || n->type == GUMBO_NODE_CDATA)
        w->seen += strlen(n->v.text.text);
}

static void html_leave_nothing(struct html_walk *w, const GumboNode *n)
{
    (void)w, (void)n;
}

static int html_level(GumboTag tag)
{
    return tag >= GUMBO_TAG_H1 && tag <= GUMBO_TAG_H6 ? (int)(tag - GUMBO_TAG_H1) + 1 : 0;
}

static bool html_is_inline(GumboTag tag)
{
    static const GumboTag INLINE[] = {GUMBO_TAG_A, GUMBO_TAG_SPAN, GUMBO_TAG_EM, GUMBO_TAG_STRONG, GUMBO_TAG_B, GUMBO_TAG_I, GUMBO_TAG_CODE,
        GUMBO_TAG_TT, GUMBO_TAG_SUB, GUMBO_TAG_SUP, GUMBO_TAG_SMALL, GUMBO_TAG_BIG, GUMBO_TAG_U, GUMBO_TAG_S, GUMBO_TAG_DEL, GUMBO_TAG_INS,
        GUMBO_TAG_Q, GUMBO_TAG_CITE, GUMBO_TAG_ABBR, GUMBO_TAG_ACRONYM, GUMBO_TAG_DFN, GUMBO_TAG_KBD, GUMBO_TAG_SAMP, GUMBO_TAG_VAR,
        GUMBO_TAG_MARK, GUMBO_TAG_FONT, GUMBO_TAG_TIME, GUMBO_TAG_LABEL, GUMBO_TAG_IMG, GUMBO_TAG_WBR, GUMBO_TAG_UNKNOWN, GUMBO_TAG_TD,
        GUMBO_TAG_TH, GUMBO_TAG_TR, GUMBO_TAG_TBODY, GUMBO_TAG_THEAD, GUMBO_TAG_TFOOT, GUMBO_TAG_COL, GUMBO_TAG_COLGROUP};

    for (size_t i = 0; i < sizeof INLINE / sizeof *INLINE; i++)
        if (INLINE[i] == tag)
            return true;
    return false;
}

static void html_enter_text(struct html_walk *w, const GumboNode *n)
{
    const char *s = n->v.text.text;

    if (w->pre && !w->x->in_row && !w->x->in_heading)
        extract_raw(w->x, s, strlen(s));
    else
        extract_words(w->x, s, strlen(s));
}

static void html_enter(struct html_walk *w, const GumboNode *n)
{
    GumboTag tag = html_tag(n);

    if (n->type == GUMBO_NODE_TEXT || n->type == GUMBO_NODE_CDATA || n->type == GUMBO_NODE_WHITESPACE) {
        html_enter_text(w, n);
    } else if (html_level(tag)) {
        extract_heading(w->x, html_level(tag));
    } else if (tag == GUMBO_TAG_TD || tag == GUMBO_TAG_TH) {
        extract_cell(w->x);
    } else if (tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DT || tag == GUMBO_TAG_DD) {
        extract_line(w->x);
        if (tag == GUMBO_TAG_LI)
            extract_raw(w->x, "- ", 2);
    } else if (tag == GUMBO_TAG_PRE && !w->x->in_row) {
        extract_block(w->x);
        extract_raw(w->x, "```\n", w->pre++ ? 0 : 4);
    } else if (tag == GUMBO_TAG_BR) {
        extract_line(w->x);
    } else if (!html_is_inline(tag)) {
        /* The paragraph of an item stands beside its mark. */
        if (!(w->x->text.len >= 2 && memcmp(w->x->text.data + w->x->text.len - 2, "- ", 2) == 0))
            extract_block(w->x);
    }
}

static void html_leave(struct html_walk *w, const GumboNode *n)
{
    GumboTag tag = html_tag(n);

    if (html_level(tag)) {
        extract_heading_ends(w->x);
    } else if (tag == GUMBO_TAG_TR) {
        extract_row_ends(w->x);
    } else if (tag == GUMBO_TAG_LI || tag == GUMBO_TAG_DT || tag == GUMBO_TAG_DD) {
        extract_line(w->x);
    } else if (tag == GUMBO_TAG_PRE && w->pre && !w->x->in_row) {
        extract_line(w->x);
        if (!--w->pre)
            extract_raw(w->x, "```\n", 4);
        extract_block(w->x);
    } else if (n->type != GUMBO_NODE_TEXT && n->type != GUMBO_NODE_WHITESPACE && n->type != GUMBO_NODE_COMMENT && !html_is_inline(tag)) {
        extract_block(w->x);
    }
}

/* ---- the head */

static size_t html_size(const GumboNode *n)
{
    struct html_walk w = {.enter = html_count, .leave = html_leave_nothing};

    html_walk(&w, n);
    return w.seen;
}

struct html_found {
    const GumboNode *title, *body, *main;
    const char *date;
};

static const char *html_date_of(const GumboNode *n)
{
    const char *name = html_attribute(n, "name"), *property = html_attribute(n, "property");

    if ((name && (strcasecmp(name, "date") == 0 || strcasecmp(name, "dcterms.date") == 0)) ||
        (property && strcasecmp(property, "article:published_time") == 0))
        return html_attribute(n, "content");
    return NULL;
}

/* In the order of the page, all elements: what the head says, and where the text is. */
static void html_look(const GumboNode *top, struct html_found *out)
{
    const GumboNode *n = top, *next;

    for (;;) {
        GumboTag tag = html_tag(n);

        if (tag == GUMBO_TAG_TITLE && !out->title)
            out->title = html_first(n);
        else if (tag == GUMBO_TAG_BODY && !out->body)
            out->body = n;
        else if ((tag == GUMBO_TAG_MAIN || tag == GUMBO_TAG_ARTICLE) && !out->main)
            out->main = n;
        else if (tag == GUMBO_TAG_META && !out->date)
            out->date = html_date_of(n);
        if ((next = html_first(n)) == NULL)
            while (n != top && (next = html_next(n)) == NULL)
                n = n->parent;
        if (n == top && !html_first(n))
            return;
        if (n == top && next == NULL)
            return;
        n = next;
    }
}

static const char *html_plain(struct extract *x, const char *s)
{
    struct extract one = {.arena = x->arena};

    buf_init(&one.text, x->arena, 64);
    extract_words(&one, s, strlen(s));
    extract_line(&one);
    while (one.text.len && one.text.data[one.text.len - 1] <= ' ')
        one.text.data[--one.text.len] = 0;
    return one.text.len ? buf_str(&one.text) : NULL;
}

static void html_note_head(struct extract *x, const GumboOutput *tree, const struct html_found *f)
{
    const char *lang = html_attribute(tree->root, "lang");

    if (f->title && f->title->type == GUMBO_NODE_TEXT)
        x->title = html_plain(x, f->title->v.text.text);
    if (lang && *lang)
        x->language = html_plain(x, lang);
    if (f->date)
        x->date = html_plain(x, f->date);
}

/* ---- the charset that the page declares, in its first 1,024 bytes */

static const char *html_charset(struct arena *a, const char *bytes, size_t n)
{
    const char *head = arena_strndup(a, bytes, n < 1024 ? n : 1024), *at = strcasestr(head, "charset=");
    size_t len;

    if (!at)
        return NULL;
    at += 8;
    at += strspn(at, "\"' ");
    len = strcspn(at, "\"' ;/>");
    return arena_strndup(a, at, len);
}

static void *html_alloc(void *arena, size_t n)
{
    return arena_alloc(arena, n);
}

static void html_free(void *arena, void *p)
{
    (void)arena, (void)p;
}

enum extract_fault extract_html_page(struct extract *x, const char *bytes, size_t n, bool as_part)
{
    GumboOptions options = kGumboDefaultOptions;
    struct html_walk w = {.x = x, .enter = html_enter, .leave = html_leave};
    struct html_found found = {0};
    const GumboNode *top;
    GumboOutput *tree;
    const char *text = extract_utf8(x->arena, bytes, n, html_charset(x->arena, bytes, n), &n);

    options.allocator = html_alloc; /* the arena ends with the process */
    options.deallocator = html_free;
    options.userdata = x->arena;
    options.max_errors = 0;
    tree = gumbo_parse_with_options(&options, text, n);
    html_look(tree->root, &found);
    if (!as_part)
        html_note_head(x, tree, &found);
    top = found.body ? found.body : tree->root;
    if (found.main && (double)html_size(found.main) >= MAIN_SHARE * (double)html_size(top))
        top = found.main;
    html_walk(&w, top);
    extract_block(x);
    return EXTRACT_OK;
}

enum extract_fault extract_html(struct extract *x)
{
    return extract_html_page(x, x->bytes, x->n, false);
}
