/* Leaving out what pages repeat; see intake_pages.h. */
#include "intake_pages.h"

#include <ctype.h>
#include <string.h>

#define PAGES_LEAST 5
#define PAGES_SHARE 0.6
#define EDGE_LINES 3 /* at the top and at the bottom of a page */
#define PAGE_SLOTS 65536

struct edge_count {
    uint64_t hash;
    uint32_t n, page; /* page: the last one that it was counted on */
};

struct page_edges {
    struct edge_count *slots;
    uint32_t pages, least;
    struct buf out;
    bool is_counting;
};

static uint64_t line_hash(struct arena *a, const char *line, size_t n)
{
    char *plain = arena_strndup(a, line, n);

    for (size_t i = 0; i < n; i++)
        if (isdigit((unsigned char)plain[i]))
            plain[i] = '0';
    return hash_bytes(plain, n, 7) | 1;
}

static struct edge_count *edge_slot(struct page_edges *e, uint64_t hash)
{
    size_t at = hash & (PAGE_SLOTS - 1);

    for (size_t i = 0; i < 32; i++, at = (at + 1) & (PAGE_SLOTS - 1))
        if (!e->slots[at].hash || e->slots[at].hash == hash)
            return &e->slots[at];
    return NULL; /* so many different ones: none of them repeats */
}

/* Counts the line, or says whether it is left out. */
static bool edge_look(struct arena *a, struct page_edges *e, uint32_t page, const char *line, size_t n)
{
    uint64_t hash = line_hash(a, line, n);
    struct edge_count *slot = edge_slot(e, hash);

    if (!slot)
        return false;
    if (!e->is_counting)
        return slot->hash == hash && slot->n >= e->least;
    if (slot->hash && slot->page == page)
        return false;
    *slot = (struct edge_count){hash, slot->n + 1, page};
    return false;
}

static bool line_is_blank(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)s[i]))
            return false;
    return true;
}

static void page_look(struct arena *a, struct page_edges *e, uint32_t page, const char *text, size_t n)
{
    size_t lines = 0, nth = 0, len;

    for (size_t at = 0; at < n; at += len + 1) {
        len = strcspn(text + at, "\n\f");
        lines += !line_is_blank(text + at, len);
    }
    for (size_t at = 0; at < n; at += len + 1) {
        bool is_edge, is_out;

        len = strcspn(text + at, "\n\f");
        is_edge = !line_is_blank(text + at, len) && (nth < EDGE_LINES || nth + EDGE_LINES >= lines);
        is_out = is_edge && edge_look(a, e, page, text + at, len);
        nth += !line_is_blank(text + at, len);
        if (e->is_counting || is_out)
            continue;
        buf_add(&e->out, text + at, len);
        if (at + len < n)
            buf_putc(&e->out, '\n');
    }
}

static void pages_look(struct arena *a, struct page_edges *e, const char *text, size_t n)
{
    uint32_t page = 0;

    for (size_t at = 0; at < n;) {
        size_t len = strcspn(text + at, "\f");
        struct arena_mark mark = arena_mark(a);

        if (e->is_counting) {
            page_look(a, e, page++, text + at, len);
            arena_rewind(a, mark);
        } else {
            page_look(a, e, page++, text + at, len);
            if (at + len < n && at + len + 1 < n)
                buf_putc(&e->out, '\f');
        }
        at += len + 1;
    }
    e->pages = page;
}

const char *intake_pages_clean(struct arena *a, const char *text, size_t *n, int64_t *pages)
{
    struct page_edges e = {.slots = ARENA_ARRAY(a, struct edge_count, PAGE_SLOTS), .is_counting = true};

    pages_look(a, &e, text, *n);
    *pages = e.pages;
    if (e.pages < PAGES_LEAST)
        return text;
    e.is_counting = false;
    e.least = (uint32_t)(PAGES_SHARE * e.pages + 0.999);
    buf_init(&e.out, a, *n + 1);
    pages_look(a, &e, text, *n);
    *n = e.out.len;
    return buf_str(&e.out);
}
