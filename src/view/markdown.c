/* cmark-gfm behind an allocator of ours, which ends the work where it takes too much memory or time; see markdown.h. */
#include "markdown.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include "clock.h"
#include "str.h"

#define BLOCK (256u * 1024)
#define LOOK_EVERY 4096 /* allocations between two looks at the clock */
#define TABLE_CELLS 100
#define TABLE_AREA 20000
#define AUTOLINKS 2000
#define FOOTNOTES 2000

/* ---- memory: blocks that go all at once */

struct text_block {
    struct text_block *next;
    size_t used, size;
};

struct text_work {
    struct text_block *blocks;
    size_t bytes;
    unsigned looks;
    int64_t until_us;
    jmp_buf out;
};

/* cmark's allocator knows no context. */
static _Thread_local struct text_work *work_now;

struct text_head {
    size_t size;
    size_t padding;
};

static void *text_take(size_t n)
{
    struct text_work *w = work_now;
    size_t whole = (n + sizeof(struct text_head) + 15) & ~(size_t)15;
    struct text_block *b = w->blocks;
    struct text_head *h;

    if (n > MARKDOWN_MEMORY || w->bytes + whole > MARKDOWN_MEMORY || (++w->looks % LOOK_EVERY == 0 && clock_monotonic_us() > w->until_us))
        longjmp(w->out, 1);
    if (!b || b->size - b->used < whole) {
        size_t size = whole + 32 > BLOCK ? whole + 32 : BLOCK;

        b = calloc(1, size);
        if (!b)
            longjmp(w->out, 1);
        *b = (struct text_block){w->blocks, (sizeof *b + 15) & ~(size_t)15, size};
        w->blocks = b;
        w->bytes += sizeof *b;
    }
    h = (struct text_head *)((char *)b + b->used);
    b->used += whole;
    w->bytes += whole;
    h->size = n;
    return h + 1;
}

static void *text_calloc(size_t n, size_t size)
{
    return text_take(n * size); /* blocks are zero, and nothing is used twice */
}

static void *text_realloc(void *p, size_t n)
{
    struct text_head *h = p ? (struct text_head *)p - 1 : NULL;
    void *more;

    if (h && h->size >= n)
        return p;
    more = text_take(n);
    if (h)
        memcpy(more, p, h->size);
    return more;
}

static void text_free(void *p)
{
    (void)p;
}

static cmark_mem text_mem = {text_calloc, text_realloc, text_free};

static void text_end(struct text_work *w)
{
    for (struct text_block *b = w->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

/* ---- what a text has too much of */

struct text_traits {
    bool too_deep, no_tables, no_autolinks, no_footnotes;
};

static size_t nesting_of(const char *p, const char *end)
{
    size_t n = 0;

    for (; p < end; p++)
        if (*p == '>')
            n++;
        else if (strchr("-+*", *p) && p + 1 < end && (p[1] == ' ' || p[1] == '\t'))
            n++;
        else if (*p != ' ' && *p != '\t' && !(*p >= '0' && *p <= '9') && !((*p == '.' || *p == ')') && p[-1] >= '0' && p[-1] <= '9' && ++n))
            break;
    return n;
}

/* Cells of a row that could be the line of dashes under a table's head; 0: it is none. */
static size_t dashes_of(const char *p, const char *end)
{
    size_t cells = 1;
    bool has_dash = false;

    for (; p < end; p++) {
        if (!strchr(" \t|:->", *p))
            return 0;
        cells += *p == '|';
        has_dash |= *p == '-';
    }
    return has_dash ? cells : 0;
}

/* Not inlined: setjmp would have to keep its variables. */
__attribute__((noinline)) static struct text_traits traits_of(const char *text, size_t n)
{
    struct text_traits t = {0};
    size_t rows = 0, cells = 0, signs = 0, notes = 0;

    for (const char *p = text, *end = text + n; p < end;) {
        const char *feed = memchr(p, '\n', (size_t)(end - p)), *to = feed ? feed : end;
        size_t dashes = dashes_of(p, to);

        t.too_deep |= nesting_of(p, to) > MARKDOWN_NESTING;
        rows = to == p ? 0 : rows + 1;
        cells = to == p ? 0 : dashes > cells ? dashes : cells;
        t.no_tables |= cells > TABLE_CELLS || (cells > 1 && cells * rows > TABLE_AREA);
        for (const char *q = p; q < to; q++) {
            signs += *q == '@' || (*q == ':' && q + 1 < to && q[1] == '/') || (*q == 'w' && q + 3 < to && q[1] == 'w' && q[3] == '.');
            notes += *q == '[' && q + 1 < to && q[1] == '^';
        }
        p = to + 1;
    }
    t.no_autolinks = signs > AUTOLINKS;
    t.no_footnotes = notes > FOOTNOTES;
    return t;
}

/* ---- the text */

static void markdown_attach(cmark_parser *parser, const char *name)
{
    cmark_syntax_extension *e = cmark_find_syntax_extension(name);

    if (e)
        cmark_parser_attach_syntax_extension(parser, e);
}

static char *text_render(const char *text, size_t n, const struct text_traits *t)
{
    int options = CMARK_OPT_VALIDATE_UTF8 | (t->no_footnotes ? 0 : CMARK_OPT_FOOTNOTES);
    cmark_parser *parser = cmark_parser_new_with_mem(options, &text_mem);

    if (!t->no_tables)
        markdown_attach(parser, "table");
    if (!t->no_autolinks)
        markdown_attach(parser, "autolink");
    markdown_attach(parser, "strikethrough");
    markdown_attach(parser, "tasklist");
    markdown_attach(parser, "tagfilter");
    cmark_parser_feed(parser, text, n);
    return cmark_render_html_with_mem(cmark_parser_finish(parser), options, cmark_parser_get_syntax_extensions(parser), &text_mem);
}

const char *markdown_html(struct arena *a, const char *text, size_t n)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct text_traits t = traits_of(text, n);
    struct text_work w = {.until_us = clock_monotonic_us() + MARKDOWN_US};
    const char *volatile html = NULL;

    if (t.too_deep)
        return NULL;
    pthread_once(&once, cmark_gfm_core_extensions_ensure_registered);
    work_now = &w;
    if (setjmp(w.out) == 0) {
        const char *made = text_render(text, n, &t);

        if (strlen(made) <= MARKDOWN_HTML)
            html = arena_strdup(a, made);
    }
    work_now = NULL;
    text_end(&w);
    return html;
}
