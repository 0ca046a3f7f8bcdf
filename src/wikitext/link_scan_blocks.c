/* The first pass of the scanner: lines that are front matter, code or HTML; see link_scan.h. */
#include <string.h>
#include <strings.h>

#include "link_scan.h"

#define FENCE_MIN 3
#define CODE_INDENT 4
#define CONTAINERS 100 /* quotes and lists in one another that a line is searched for */

/* What the lines before say about the next one. */
struct block_state {
    struct link_scan *s;
    char fence; /* '`' or '~': inside a fence */
    size_t fence_length, fence_depth;
    const char *html_end; /* inside HTML that ends with this; "": with an empty line */
    size_t list_indent;   /* columns of the text of the list item that is open; 0: none */
    bool was_blank, was_indented;
};

/* A line without what contains it. */
struct block_line {
    size_t from, to; /* bytes of the line, without its line feed */
    size_t at;       /* where its text begins */
    size_t indent;   /* columns before it, behind the containers */
    size_t depth;    /* quotes */
    bool is_item, is_blank;
};

static size_t indent_of(const char *text, size_t *at, size_t to)
{
    size_t columns = 0;

    for (; *at < to && (text[*at] == ' ' || text[*at] == '\t'); ++*at)
        columns += text[*at] == '\t' ? 4 - columns % 4 : 1;
    return columns;
}

/* Bytes of the mark of a list item, its space included; 0: none. */
static size_t item_mark(const char *text, size_t at, size_t to)
{
    size_t i = at;

    if (i < to && strchr("-+*", text[i])) {
        i++;
    } else {
        while (i < to && i - at < 9 && text[i] >= '0' && text[i] <= '9')
            i++;
        if (i == at || i >= to || (text[i] != '.' && text[i] != ')'))
            return 0;
        i++;
    }
    return i < to && (text[i] == ' ' || text[i] == '\t') ? i + 1 - at : 0;
}

static struct block_line line_at(const struct block_state *b, size_t from)
{
    const char *text = b->s->text, *feed = memchr(text + from, '\n', b->s->n - from);
    struct block_line l = {.from = from, .to = feed ? (size_t)(feed - text) : b->s->n, .at = from};
    size_t columns = 0;

    for (int i = 0; i < CONTAINERS; i++) {
        size_t mark;

        l.indent = indent_of(text, &l.at, l.to);
        if (l.at < l.to && text[l.at] == '>' && l.indent < CODE_INDENT) {
            l.at++;
            l.depth++;
            continue;
        }
        mark = l.indent < CODE_INDENT + (l.is_item ? 0 : b->list_indent) ? item_mark(text, l.at, l.to) : 0;
        if (!mark)
            break;
        columns += l.indent + mark;
        l.at += mark;
        l.is_item = true;
    }
    l.is_blank = l.at >= l.to;
    if (l.is_item)
        l.indent = columns;
    return l;
}

static void block_mark(const struct block_state *b, const struct block_line *l, enum link_area area)
{
    memset(b->s->area + l->from, (int)area, (l->to < b->s->n ? l->to + 1 : l->to) - l->from);
}

/* ---- fences */

static size_t fence_run(const char *text, const struct block_line *l, char mark)
{
    size_t i = l->at;

    while (i < l->to && text[i] == mark)
        i++;
    return i - l->at;
}

static bool fence_opens(struct block_state *b, const struct block_line *l)
{
    const char *text = b->s->text;
    char mark = l->is_blank ? 0 : text[l->at];
    size_t n;

    if ((mark != '`' && mark != '~') || (!l->is_item && l->indent >= CODE_INDENT + b->list_indent))
        return false;
    n = fence_run(text, l, mark);
    if (n < FENCE_MIN || (mark == '`' && memchr(text + l->at + n, '`', l->to - l->at - n)))
        return false;
    b->fence = mark;
    b->fence_length = n;
    b->fence_depth = l->depth;
    return true;
}

static bool fence_closes(const struct block_state *b, const struct block_line *l)
{
    size_t n = l->is_blank || l->is_item ? 0 : fence_run(b->s->text, l, b->fence);

    return n >= b->fence_length && strspn(b->s->text + l->at + n, " \t\r") >= l->to - l->at - n;
}

/* ---- HTML */

static bool word_is(const char *p, size_t n, const char *word)
{
    size_t length = strlen(word);

    return n >= length && strncasecmp(p, word, length) == 0 && (n == length || strchr(" \t>/\n", p[length]));
}

static bool is_one_of(const char *p, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (word_is(p, n, *words))
            return true;
    return false;
}

/* What ends the HTML that begins with this line; NULL: it is none. */
static const char *html_end_of(const struct block_state *b, const struct block_line *l)
{
    static const char *const RAW[] = {"script", "pre", "style", "textarea", NULL};
    static const char *const RAW_ENDS[] = {"</script>", "</pre>", "</style>", "</textarea>"};
    static const char *const BLOCKS[] = {
        "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details",
        "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3",
        "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes",
        "ol", "optgroup", "option", "p", "param", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
        "track", "ul", NULL};
    const char *p = b->s->text + l->at + 1;
    size_t n = l->to - l->at;

    if (l->is_blank || p[-1] != '<' || (!l->is_item && l->indent >= CODE_INDENT + b->list_indent) || --n == 0)
        return NULL;
    for (size_t i = 0; RAW[i]; i++)
        if (word_is(p, n, RAW[i]))
            return RAW_ENDS[i];
    if (n >= 3 && memcmp(p, "!--", 3) == 0)
        return "-->";
    if (*p == '?')
        return "?>";
    if (n >= 8 && memcmp(p, "![CDATA[", 8) == 0)
        return "]]>";
    if (n >= 2 && *p == '!' && p[1] >= 'A' && p[1] <= 'Z')
        return ">";
    return is_one_of(*p == '/' ? p + 1 : p, *p == '/' ? n - 1 : n, BLOCKS) ? "" : NULL;
}

static bool line_has(const char *text, const struct block_line *l, const char *what)
{
    size_t n = strlen(what);

    for (size_t i = l->at; i + n <= l->to; i++)
        if (strncasecmp(text + i, what, n) == 0)
            return true;
    return false;
}

/* A line of HTML that is open; it may be the last. */
static void html_line(struct block_state *b, const struct block_line *l)
{
    if (*b->html_end ? line_has(b->s->text, l, b->html_end) : l->is_blank)
        b->html_end = NULL;
    block_mark(b, l, AREA_HTML);
}

/* ---- lines */

static void follow_lists(struct block_state *b, const struct block_line *l)
{
    if (l->is_item)
        b->list_indent = l->indent;
    else if (!l->is_blank && l->indent < b->list_indent && b->was_blank)
        b->list_indent = 0;
}

static void block_take_line(struct block_state *b, const struct block_line *l)
{
    if (b->fence && l->depth < b->fence_depth)
        b->fence = 0; /* the quote that holds it is over */
    if (b->fence) {
        if (fence_closes(b, l))
            b->fence = 0;
        block_mark(b, l, AREA_CODE);
        return;
    }
    if (b->html_end) {
        html_line(b, l);
        return;
    }
    follow_lists(b, l);
    if (fence_opens(b, l)) {
        block_mark(b, l, AREA_CODE);
        return;
    }
    b->html_end = html_end_of(b, l);
    if (b->html_end) {
        html_line(b, l);
        return;
    }
    if (!l->is_blank && !l->is_item && l->indent >= CODE_INDENT + b->list_indent && (b->was_blank || b->was_indented)) {
        block_mark(b, l, AREA_CODE);
        b->was_indented = true;
        return;
    }
    b->was_indented = b->was_indented && l->is_blank;
}

/* "---" at the very beginning, up to the next line of it. */
static size_t scan_front_matter(const struct link_scan *s)
{
    const char *end;

    if (s->n < 4 || memcmp(s->text, "---\n", 4) != 0)
        return 0;
    end = strstr(s->text + 3, "\n---");
    while (end && end[4] && end[4] != '\n')
        end = strstr(end + 1, "\n---");
    if (!end)
        return 0;
    return (size_t)(end - s->text) + 4 + (end[4] == '\n');
}

void link_scan_blocks(struct link_scan *s)
{
    struct block_state b = {.s = s, .was_blank = true};

    s->front = scan_front_matter(s);
    memset(s->area, AREA_FRONT, s->front);
    for (size_t at = s->front; at < s->n;) {
        struct block_line l = line_at(&b, at);

        block_take_line(&b, &l);
        b.was_blank = l.is_blank || b.s->area[l.from] == AREA_CODE;
        at = l.to + 1;
    }
}
