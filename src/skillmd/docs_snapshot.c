/* The registry as Markdown; see docs_snapshot.h. */
#include "docs_snapshot.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "limit.h"
#include "node.h"
#include "skill_ingest.h"
#include "space.h"
#include "zip_write.h"

#define DOCS_FILES 20000
#define DOCS_LINE 200 /* code points of a description in a table */

struct docs {
    struct ctx *c;
    struct docs_file *v;
    size_t n, cap;
};

static void docs_add(struct docs *d, const char *path, const char *text, size_t n)
{
    uint8_t sum[crypto_hash_sha256_BYTES];
    char *hex = arena_alloc(d->c->arena, 2 * sizeof sum + 1);

    if (d->n == d->cap) {
        struct docs_file *wider = ARENA_ARRAY(d->c->arena, struct docs_file, d->cap = d->cap ? 2 * d->cap : 64);

        if (d->n)
            memcpy(wider, d->v, d->n * sizeof *wider);
        d->v = wider;
    }
    crypto_hash_sha256(sum, (const uint8_t *)text, n);
    hex_encode(sum, sizeof sum, hex);
    d->v[d->n++] = (struct docs_file){.path = path, .sha256 = hex, .content = {text, n}, .size = (int64_t)n};
}

/* A cell of a table, on one line. */
static void docs_cell(struct ctx *c, struct buf *b, const char *text)
{
    const char *cut = text ? arena_strndup(c->arena, text, str_first_bytes(text, DOCS_LINE)) : "";

    buf_puts(b, "| ");
    for (; *cut; cut++)
        if (*cut == '|')
            buf_puts(b, "\\|");
        else
            buf_putc(b, (unsigned char)*cut < ' ' ? ' ' : *cut);
    buf_putc(b, ' ');
}

/* ---- skills */

static int docs_skill_order(const void *a, const void *b)
{
    const struct skill *x = a, *y = b;
    int order = strcmp(x->category, y->category);

    order = order ? order : strcmp(x->slug, y->slug);
    return order ? order : uuid_cmp(x->id, y->id);
}

static err docs_skills_all(struct docs *d, struct skill **out, size_t *n)
{
    struct skill_filter f = {.status = -1, .enabled = -1, .limit = LIMIT_PAGE};
    struct page page;

    *out = ARENA_ARRAY(d->c->arena, struct skill, DOCS_FILES);
    *n = 0;
    do {
        TRY(skill_list(d->c, &f, &page));
        for (size_t i = 0; i < page.n && *n < DOCS_FILES; i++) {
            const struct skill *s = (const struct skill *)page.items + i;

            if (s->status != SKILL_ARCHIVED && access_space_kind(d->c->access, s->space_id) == SPACE_SKILLS)
                (*out)[(*n)++] = *s;
        }
        f.cursor = page.next_cursor;
    } while (f.cursor);
    qsort(*out, *n, sizeof **out, docs_skill_order);
    return ERR_OK;
}

static err docs_skills(struct docs *d)
{
    struct skill *all, whole;
    struct buf table;
    size_t n;

    buf_init(&table, d->c->arena, 1024);
    buf_puts(&table, "# Skills\n\n| category | slug | name | status | version | description |\n|---|---|---|---|---|---|\n");
    TRY(docs_skills_all(d, &all, &n));
    for (size_t i = 0; i < n; i++) {
        const char *text;

        TRY(skill_get_whole(d->c, arena_strdup(d->c->arena, UUID_STR(all[i].id)), &whole));
        text = skill_file_write(d->c, &whole);
        docs_add(d, arena_printf(d->c->arena, "skills/%s", skill_file_path(d->c->arena, &whole)), text, strlen(text));
        docs_cell(d->c, &table, whole.category);
        docs_cell(d->c, &table, whole.slug);
        docs_cell(d->c, &table, whole.name);
        docs_cell(d->c, &table, enumx_name(&skill_status_enumx, (int)whole.status));
        docs_cell(d->c, &table, whole.active_version);
        docs_cell(d->c, &table, whole.description);
        buf_puts(&table, "|\n");
    }
    docs_add(d, "skills.md", table.data, table.len);
    return ERR_OK;
}

/* ---- the others */

static int docs_line_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void docs_lines(struct docs *d, const char *path, const char *head, const char **lines, size_t n)
{
    struct buf b;

    buf_init(&b, d->c->arena, 1024);
    buf_puts(&b, head);
    qsort(lines, n, sizeof *lines, docs_line_order);
    for (size_t i = 0; i < n; i++)
        buf_puts(&b, lines[i]);
    docs_add(d, path, b.data, b.len);
}

/* Titles of one kind; what lives in a namespace is private. */
static err docs_nodes(struct docs *d, const char *kind, const char *path, const char *head)
{
    struct node_filter f = {.kind = kind, .limit = LIMIT_PAGE};
    const char **lines = ARENA_ARRAY(d->c->arena, const char *, DOCS_FILES);
    struct page page;
    size_t n = 0;

    do {
        TRY(node_list(d->c, &f, &page));
        for (size_t i = 0; i < page.n && n < DOCS_FILES; i++) {
            const struct node *x = (const struct node *)page.items + i;
            struct buf b;

            if (access_space_kind(d->c->access, x->space_id) == SPACE_NAMESPACE)
                continue;
            buf_init(&b, d->c->arena, 128);
            docs_cell(d->c, &b, x->title);
            docs_cell(d->c, &b, x->excerpt);
            buf_puts(&b, "|\n");
            lines[n++] = buf_str(&b);
        }
        f.cursor = page.next_cursor;
    } while (f.cursor);
    docs_lines(d, path, head, lines, n);
    return ERR_OK;
}

static err docs_bases(struct docs *d)
{
    struct space_filter f = {.kind = SPACE_KNOWLEDGE_BASE, .status = -1, .limit = LIMIT_PAGE};
    const char **lines = ARENA_ARRAY(d->c->arena, const char *, DOCS_FILES);
    struct page page;
    size_t n = 0;

    do {
        TRY(space_list(d->c, &f, &page));
        for (size_t i = 0; i < page.n && n < DOCS_FILES; i++) {
            const struct space *s = (const struct space *)page.items + i;
            struct buf b;

            buf_init(&b, d->c->arena, 128);
            docs_cell(d->c, &b, s->name);
            docs_cell(d->c, &b, s->description);
            buf_puts(&b, "|\n");
            lines[n++] = buf_str(&b);
        }
        f.cursor = page.next_cursor;
    } while (f.cursor);
    docs_lines(d, "knowledge_bases.md", "# Knowledge bases\n\n| name | purpose |\n|---|---|\n", lines, n);
    return ERR_OK;
}

static err docs_graph(struct docs *d)
{
    struct node_stats stats;
    const struct node_count *v;
    const char **lines;

    TRY(node_stats(d->c, &stats));
    v = stats.kinds.v;
    lines = ARENA_ARRAY(d->c->arena, const char *, stats.kinds.n + 1);
    for (size_t i = 0; i < stats.kinds.n; i++)
        lines[i] = arena_printf(d->c->arena, "| %s | %lld |\n", v[i].kind, (long long)v[i].n);
    docs_lines(d, "knowledge_graph.md", "# Knowledge graph\n\n| kind | nodes |\n|---|---|\n", lines, stats.kinds.n);
    return ERR_OK;
}

static int docs_file_order(const void *a, const void *b)
{
    return strcmp(((const struct docs_file *)a)->path, ((const struct docs_file *)b)->path);
}

err docs_snapshot(struct ctx *c, struct list *out)
{
    struct docs d = {.c = c};

    TRY(docs_skills(&d));
    TRY(docs_nodes(&d, "learning", "learnings.md", "# Learnings\n\n| title | text |\n|---|---|\n"));
    TRY(docs_nodes(&d, "knowledge", "knowledge.md", "# Shared knowledge\n\n| title | text |\n|---|---|\n"));
    TRY(docs_graph(&d));
    TRY(docs_bases(&d));
    qsort(d.v, d.n, sizeof *d.v, docs_file_order);
    *out = (struct list){d.v, d.n};
    return ERR_OK;
}

err docs_archive(struct ctx *c, struct bytes *zip)
{
    const struct docs_file *v;
    struct zip_file *files;
    struct list all;

    TRY(docs_snapshot(c, &all));
    v = all.v;
    files = ARENA_ARRAY(c->arena, struct zip_file, all.n + 1);
    for (size_t i = 0; i < all.n; i++)
        files[i] = (struct zip_file){v[i].path, v[i].content};
    *zip = zip_write(c->arena, files, all.n);
    return ERR_OK;
}

err skill_archive(struct ctx *c, const char *ref, struct bytes *zip)
{
    const struct skill_resource *v;
    struct skill_exported x;
    struct zip_file *files;
    struct skill s;

    TRY(skill_get_whole(c, ref, &s));
    if (!skill_is_served(&s))
        return skill_missing(c);
    TRY(skill_export(c, ref, &x));
    v = x.files.v;
    files = ARENA_ARRAY(c->arena, struct zip_file, x.files.n + 1);
    files[0] = (struct zip_file){"SKILL.md", {x.content, strlen(x.content)}};
    for (size_t i = 0; i < x.files.n; i++) {
        struct skill_resource r;

        TRY(skill_resource_get(c, ref, v[i].path, &r));
        files[i + 1] = (struct zip_file){r.path, r.content};
    }
    *zip = zip_write(c->arena, files, x.files.n + 1);
    return ERR_OK;
}
