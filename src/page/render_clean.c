/* HTML of cmark-gfm goes through here: what is not on the lists does not come out; see page_render.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "link_scan.h"
#include "page_render.h"
#include "str.h"
#include "wiki_text.h"

#define ATTRIBUTES 8
#define CALLOUT 20    /* letters of "[!note]" */
#define BLOCK_NAME 64 /* letters of a ^block */
#define HEADINGS 2000

struct render_tag {
    const char *name, *attributes; /* which of them may stay */
};

static const struct render_tag TAGS[] = {
    {"p", ""}, {"h1", ""}, {"h2", ""}, {"h3", ""}, {"h4", ""}, {"h5", ""}, {"h6", ""}, {"blockquote", ""}, {"pre", ""}, {"code", "class"},
    {"em", ""}, {"strong", ""}, {"del", ""}, {"a", "href title class id"}, {"img", "src alt title"}, {"ul", "class"}, {"ol", "start class"},
    {"li", "id class"}, {"hr", ""}, {"br", ""}, {"table", ""}, {"thead", ""}, {"tbody", ""}, {"tr", ""}, {"th", "align"}, {"td", "align"},
    {"input", "type disabled checked"}, {"sup", "class"}, {"section", "class"},
};

struct attribute {
    const char *name, *value;
};

struct cleaner {
    struct ctx *c;
    const char *token; /* what stands for a link: token, number, x */
    size_t token_n;
    const struct link_scan *scan;
    struct buf *out;
    struct json *toc;
    bool in_link, in_code;
    const char *text_from; /* of the text between two tags */
    size_t heading_at;     /* of out, where the text of the open heading begins; 0: none is open */
    int level;
    size_t n_headings;
};

void render_escape(struct buf *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': buf_puts(out, "&amp;"); break;
        case '<': buf_puts(out, "&lt;"); break;
        case '>': buf_puts(out, "&gt;"); break;
        case '"': buf_puts(out, "&quot;"); break;
        case '\'': buf_puts(out, "&#39;"); break;
        default: buf_putc(out, *text);
        }
}

static const char *words_of_link(const struct wiki_link *l)
{
    return l->display ? l->display : l->target[0] == '#' ? l->target + 1 : l->target;
}

/* A token at p: its link and the bytes it takes; NULL: none. */
static const struct wiki_link *token_at(const struct cleaner *k, const char *p, size_t *n, size_t *number)
{
    const char *at = p + k->token_n;
    size_t i = 0;

    if (!k->token || strncmp(p, k->token, k->token_n) != 0 || *at < '0' || *at > '9')
        return NULL;
    for (; *at >= '0' && *at <= '9' && i < LINKS_SCANNED; at++)
        i = i * 10 + (size_t)(*at - '0');
    if (*at != 'x' || i >= k->scan->n_links)
        return NULL;
    *n = (size_t)(at + 1 - p);
    *number = i;
    return &k->scan->links[i];
}

/* " ^name" at the end of a line: an anchor, which is not shown. How many bytes it takes; 0: it is none. */
static size_t block_anchor_write(struct cleaner *k, const char *from, const char *to)
{
    bool may_be = *from == '^' && !k->in_code && (from == k->text_from || from[-1] == ' ' || from[-1] == '\n');
    size_t n = may_be ? strspn(from + 1, BLOCK_LETTERS) : 0;

    if (!n || n > BLOCK_NAME || (from + 1 + n != to && from[1 + n] != '\n'))
        return 0;
    buf_printf(k->out, "<span id=\"b-%.*s\"></span>", (int)n, from + 1);
    return n + 1;
}

/* Text between tags, or the value of an attribute. */
static void clean_text(struct cleaner *k, const char *from, const char *to, bool in_attribute)
{
    k->text_from = from;
    while (from < to) {
        size_t n, number;
        const struct wiki_link *l = k->token ? token_at(k, from, &n, &number) : NULL;

        if (!l && !in_attribute && (n = block_anchor_write(k, from, to)) > 0) {
            from += n;
        } else if (!l) {
            if (*from == '<' || *from == '>' || (in_attribute && *from == '"'))
                buf_puts(k->out, *from == '<' ? "&lt;" : *from == '>' ? "&gt;" : "&quot;");
            else if ((unsigned char)*from >= ' ' || *from == '\n' || *from == '\t')
                buf_putc(k->out, *from);
            from++;
        } else {
            if (in_attribute || k->in_link)
                render_escape(k->out, words_of_link(l));
            else
                buf_printf(k->out, "%c%zu%c", MARK_OPEN, number, MARK_CLOSE);
            from += n;
        }
    }
}

/* ---- addresses */

static bool scheme_is(const char *url, size_t n, const char *scheme)
{
    return n == strlen(scheme) && strncasecmp(url, scheme, n) == 0;
}

/* http, https, mailto, or an address of this site. */
static bool link_is_safe(const char *url)
{
    size_t n = strcspn(url, ":/?#&");

    if (url[n] != ':')
        return url[n] != '&' || strncmp(url + n, "&amp;", 5) == 0 || !strchr(url, ':');
    return scheme_is(url, n, "http") || scheme_is(url, n, "https") || scheme_is(url, n, "mailto");
}

static bool link_is_external(const char *url)
{
    return strncasecmp(url, "http:", 5) == 0 || strncasecmp(url, "https:", 6) == 0 || strncmp(url, "//", 2) == 0;
}

/* https only: what is fetched by looking at a page. */
static bool image_is_safe(const char *url)
{
    return strncasecmp(url, "https://", 8) == 0;
}

/* ---- tags */

static const struct render_tag *tag_find(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof TAGS / sizeof *TAGS; i++)
        if (strlen(TAGS[i].name) == n && memcmp(TAGS[i].name, name, n) == 0)
            return &TAGS[i];
    return NULL;
}

static bool tag_takes(const struct render_tag *t, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = strstr(t->attributes, name); p; p = strstr(p + 1, name))
        if ((p == t->attributes || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

/* The attributes of a tag; *p moves to its >. false: malformed, or too many. */
static bool attributes_read(struct ctx *c, const char **p, struct attribute *v, size_t *n)
{
    const char *at = *p;

    for (*n = 0;; ++*n) {
        size_t k;

        at += strspn(at, " \t\n");
        if (*at == '/')
            at++;
        if (*at == '>')
            break;
        k = strspn(at, "abcdefghijklmnopqrstuvwxyz-");
        if (!k || *n == ATTRIBUTES)
            return false;
        v[*n] = (struct attribute){arena_strndup(c->arena, at, k), ""};
        at += k;
        if (*at != '=')
            continue;
        if (*++at != '"')
            return false;
        k = strcspn(++at, "\"");
        if (!at[k])
            return false;
        v[*n].value = arena_strndup(c->arena, at, k);
        at += k + 1;
    }
    *p = at;
    return true;
}

static const char *attribute_of(const struct attribute *v, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(v[i].name, name) == 0)
            return v[i].value;
    return NULL;
}

/* The values that cmark itself writes; anything else came from the text. */
static bool is_plain_value(const char *value)
{
    return value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+# .")] == 0;
}

static void tag_write(struct cleaner *k, const struct render_tag *t, const struct attribute *v, size_t n)
{
    buf_printf(k->out, "<%s", t->name);
    for (size_t i = 0; i < n; i++) {
        bool is_text = strcmp(v[i].name, "href") == 0 || strcmp(v[i].name, "src") == 0 || strcmp(v[i].name, "title") == 0 ||
                       strcmp(v[i].name, "alt") == 0;

        if (!tag_takes(t, v[i].name) || (!is_text && !is_plain_value(v[i].value)))
            continue;
        buf_printf(k->out, " %s=\"", v[i].name);
        clean_text(k, v[i].value, v[i].value + strlen(v[i].value), true);
        buf_putc(k->out, '"');
    }
}

static void link_open(struct cleaner *k, const struct render_tag *t, struct attribute *v, size_t n)
{
    const char *href = attribute_of(v, n, "href");

    for (size_t i = 0; i < n; i++)
        if (href && !link_is_safe(href) && strcmp(v[i].name, "href") == 0)
            v[i].name = "-";
    tag_write(k, t, v, n);
    if (href && link_is_safe(href) && link_is_external(href))
        buf_puts(k->out, " rel=\"nofollow noopener ugc\"");
    buf_putc(k->out, '>');
    k->in_link = true;
}

static void image_write(struct cleaner *k, const struct render_tag *t, const struct attribute *v, size_t n)
{
    const char *src = attribute_of(v, n, "src"), *alt = attribute_of(v, n, "alt");

    if (src && image_is_safe(src)) {
        tag_write(k, t, v, n);
        buf_puts(k->out, " loading=\"lazy\">");
    } else if (alt) {
        clean_text(k, alt, alt + strlen(alt), false);
    }
}

/* ---- headings */

/* What of HTML is text: without tags, entities as characters. */
static const char *heading_words(struct cleaner *k, const char *html)
{
    static const struct {
        const char *entity;
        char ch;
    } ENTITIES[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    struct buf b;

    buf_init(&b, k->c->arena, strlen(html) + 1);
    while (*html) {
        size_t i = 0;

        if (*html == '<') {
            html += strcspn(html, ">");
            html += *html == '>';
            continue;
        }
        if (*html == MARK_OPEN) {
            buf_puts(&b, words_of_link(&k->scan->links[strtoul(html + 1, NULL, 10)]));
            html += strcspn(html, "\x03") + 1;
            continue;
        }
        while (*html == '&' && i < 5 && strncmp(html, ENTITIES[i].entity, strlen(ENTITIES[i].entity)) != 0)
            i++;
        if (*html == '&' && i < 5) {
            buf_putc(&b, ENTITIES[i].ch);
            html += strlen(ENTITIES[i].entity);
        } else {
            buf_putc(&b, *html++);
        }
    }
    return buf_str(&b);
}

static const char *heading_id(struct cleaner *k, const char *words)
{
    const char *slug = wiki_slug_for(k->c->arena, words), *id = arena_printf(k->c->arena, "h-%s", slug);

    for (int i = 2; i < 1000; i++) {
        const struct json *j = k->toc->first;

        while (j && !str_eq(json_get_str(j, "id"), id))
            j = j->next;
        if (!j)
            break;
        id = arena_printf(k->c->arena, "h-%s-%d", slug, i);
    }
    return id;
}

/* Its text is known now: the tag is put before it. */
static void heading_close(struct cleaner *k)
{
    const char *html, *words, *id;
    struct json *row;

    html = arena_strndup(k->c->arena, k->out->data + k->heading_at, k->out->len - k->heading_at);
    words = heading_words(k, html);
    id = k->n_headings++ < HEADINGS ? heading_id(k, words) : "";
    k->out->len = k->heading_at;
    k->out->data[k->out->len] = 0;
    buf_printf(k->out, *id ? "<h%d id=\"%s\">" : "<h%d>", k->level, id);
    buf_puts(k->out, html);
    buf_printf(k->out, "</h%d>", k->level);
    k->heading_at = 0;
    if (!*id)
        return;
    row = json_obj(k->c->arena);
    json_set_int(k->c->arena, row, "level", k->level);
    json_set_str(k->c->arena, row, "text", words);
    json_set_str(k->c->arena, row, "id", id);
    json_push(k->toc, row);
}

/* ---- callouts: "> [!note] Title" */

/* Bytes of "\n<p>[!note]" behind a quote's tag; 0: it is a plain quote. */
static size_t callout_of(const char *p, char name[CALLOUT + 1])
{
    static const char HEAD[] = "\n<p>[!";
    size_t n;

    if (strncmp(p, HEAD, sizeof HEAD - 1) != 0)
        return 0;
    p += sizeof HEAD - 1;
    n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (!n || n > CALLOUT || p[n] != ']')
        return 0;
    for (size_t i = 0; i < n; i++)
        name[i] = (char)(p[i] | 32);
    name[n] = 0;
    n += 1;
    n += p[n] == '-' || p[n] == '+';
    return sizeof HEAD - 1 + n;
}

/* ---- all of it */

static const char *tag_open(struct cleaner *k, const struct render_tag *t, const char *p)
{
    struct attribute v[ATTRIBUTES];
    char name[CALLOUT + 1];
    size_t n, callout;

    if (!attributes_read(k->c, &p, v, &n))
        return NULL;
    p++;
    if (t->name[0] == 'h' && t->name[1] >= '1' && t->name[1] <= '6') {
        k->heading_at = k->out->len;
        k->level = t->name[1] - '0';
    } else if (strcmp(t->name, "a") == 0) {
        link_open(k, t, v, n);
    } else if (strcmp(t->name, "code") == 0) {
        k->in_code = true;
        tag_write(k, t, v, n);
        buf_putc(k->out, '>');
    } else if (strcmp(t->name, "img") == 0) {
        image_write(k, t, v, n);
    } else if (strcmp(t->name, "blockquote") == 0 && (callout = callout_of(p, name)) > 0) {
        buf_printf(k->out, "<blockquote class=\"callout callout-%s\">\n<p><strong>%c%s</strong>", name, name[0] - 32, name + 1);
        p += callout;
    } else {
        tag_write(k, t, v, n);
        buf_putc(k->out, '>');
    }
    return p;
}

static const char *tag_close(struct cleaner *k, const struct render_tag *t, const char *p)
{
    if (*p != '>')
        return NULL;
    if (k->heading_at && t->name[0] == 'h' && t->name[1] - '0' == k->level)
        heading_close(k);
    else
        buf_printf(k->out, "</%s>", t->name);
    if (strcmp(t->name, "code") == 0)
        k->in_code = false;
    if (strcmp(t->name, "a") == 0)
        k->in_link = false;
    return p + 1;
}

/* Behind the tag at p; NULL: it is none of the list. */
static const char *clean_tag(struct cleaner *k, const char *p)
{
    bool closes = p[1] == '/';
    const char *name = p + 1 + closes;
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
    const struct render_tag *t = tag_find(name, n);

    if (strncmp(p, "<!--", 4) == 0) { /* in the place of raw HTML */
        const char *end = strstr(p, "-->");

        return end ? end + 3 : NULL;
    }
    if (!t)
        return NULL;
    return closes ? tag_close(k, t, name + n) : tag_open(k, t, name + n);
}

err render_clean(struct ctx *c, const char *html, const char *token, const struct link_scan *scan, struct buf *out, struct json *toc)
{
    struct cleaner k = {.c = c, .token = token, .token_n = token ? strlen(token) : 0, .scan = scan, .out = out, .toc = toc};

    buf_putc(out, '\n'); /* so that no heading begins at 0 */
    while (*html) {
        const char *end = strchr(html, '<');
        size_t n = end ? (size_t)(end - html) : strlen(html);

        clean_text(&k, html, html + n, false);
        html += n;
        if (!*html)
            break;
        html = clean_tag(&k, html);
        if (!html)
            return fail(c, ERR_INTERNAL, "the renderer made HTML that is not on the list");
    }
    return ctx_check_size(c);
}
