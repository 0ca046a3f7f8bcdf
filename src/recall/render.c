/* Writing the bundle; see render.h. */
#include "render.h"

#include <stdlib.h>
#include <string.h>

#include "content.h"
#include "inert.h"
#include "node.h"

#define HEAD_BYTES 200 /* more than our own words ever are */

static void add_attribute(struct buf *b, const char *name, const char *value)
{
    if (str_empty(value))
        return;
    buf_printf(b, " %s=\"", name);
    inert_add(b, value, true);
    buf_putc(b, '"');
}

/* A title is inert already, but for its quotes and line ends. */
static void add_title(struct buf *b, const char *title)
{
    if (str_empty(title))
        return;
    buf_puts(b, " title=\"");
    for (const char *p = title; *p; p++)
        if (*p == '"')
            buf_puts(b, "&quot;");
        else
            buf_putc(b, *p == '\n' || *p == '\t' ? ' ' : *p);
    buf_putc(b, '"');
}

static void add_id(struct buf *b, const char *name, struct uuid id)
{
    char text[UUID_TEXT];

    uuid_text(id, text);
    if (!uuid_is_nil(id))
        buf_printf(b, " %s=\"%s\"", name, text);
}

/* What the room of its kind says of it. */
static void add_words_of_room(struct buf *b, const struct render_hit *h)
{
    add_attribute(b, "role", h->role);
    add_attribute(b, "predicate", h->predicate);
    add_attribute(b, "block_kind", h->block_kind);
    if (h->contested)
        buf_puts(b, " contested=\"true\"");
    add_id(b, "against", h->against);
    add_id(b, "superseded_by", h->superseded_by);
}

static void add_tag(struct buf *b, const struct render_hit *h, bool stable)
{
    char at[INSTANT_TEXT];

    buf_puts(b, "<memory");
    add_id(b, "id", h->id);
    add_attribute(b, "kind", h->kind);
    add_words_of_room(b, h);
    if (!str_eq(h->status, NODE_ACTIVE))
        add_attribute(b, "status", h->status);
    add_title(b, h->title);
    if (h->created_at.us)
        buf_printf(b, " at=\"%.10s\"", instant_text(h->created_at, at));
    if (!stable && !h->is_unscored) {
        buf_printf(b, " score=\"%.4f\" score_band=\"%s\"", h->score, h->band);
        if (h->similarity >= 0)
            buf_printf(b, " confidence=\"%.2f\"", h->similarity);
        if (h->is_graded)
            buf_printf(b, " grade=\"%.2f\"", h->grade);
    }
    buf_putc(b, '>');
}

static void render_add_hit(struct buf *b, const struct render_hit *h, bool stable)
{
    add_tag(b, h, stable);
    buf_puts(b, h->body);
    buf_puts(b, "</memory>\n");
}

static void add_external(struct buf *b, const struct render_external *e)
{
    buf_puts(b, "<external source=\"web\"");
    add_attribute(b, "title", e->title);
    add_attribute(b, "url", e->url);
    buf_putc(b, '>');
    inert_add(b, e->body, false);
    buf_puts(b, "</external>\n");
}

static void add_head(struct buf *b, const struct render_in *in)
{
    buf_printf(b, "hits: %zu of %lld considered | mode=%s", in->n, (long long)in->head.considered, in->head.mode);
    if (in->head.verdict)
        buf_printf(b, " | verdict=%s | action=%s", in->head.verdict, in->head.action);
    if (in->n_externals)
        buf_printf(b, " | external=%zu", in->n_externals);
    if (in->head.cut)
        buf_printf(b, " | %lld cut", (long long)in->head.cut);
    buf_printf(b, " | evidence=%s", in->head.evidence);
    if (str_eq(in->head.evidence, "none"))
        buf_puts(b, in->n ? " | nothing relevant found: these are only the nearest" : " | nothing relevant found");
    buf_putc(b, '\n');
}

static int render_by_id(const void *a, const void *b)
{
    const struct render_hit *x = a, *y = b;

    return memcmp(&x->id, &y->id, sizeof x->id);
}

const char *render_bundle(struct arena *a, const struct render_in *in)
{
    const struct render_hit *hits = in->hits;
    struct buf b;

    if (in->stable && in->n) {
        struct render_hit *sorted = arena_memdup(a, in->hits, in->n * sizeof *in->hits);

        qsort(sorted, in->n, sizeof *sorted, render_by_id);
        hits = sorted;
    }
    buf_init(&b, a, 4096);
    if (!in->stable)
        add_head(&b, in);
    buf_puts(&b, FENCE_OPEN "\n");
    for (size_t i = 0; i < in->n; i++)
        render_add_hit(&b, &hits[i], in->stable);
    for (size_t i = 0; i < in->n_externals; i++)
        add_external(&b, &in->externals[i]);
    buf_puts(&b, FENCE_CLOSE "\n");
    if (in->stable)
        add_head(&b, in);
    return buf_str(&b);
}

int64_t render_frame_tokens(void)
{
    return content_tokens(FENCE_OPEN FENCE_CLOSE) + HEAD_BYTES / 4;
}

int64_t render_tag_tokens(struct arena *a, const struct render_hit *hit)
{
    struct render_hit longest = *hit;
    struct buf b;

    longest.score = 1;
    longest.band = "medium";
    longest.similarity = 1;
    longest.grade = -1;
    longest.is_graded = true;
    longest.body = "";
    buf_init(&b, a, 512);
    render_add_hit(&b, &longest, false);
    return content_tokens(buf_str(&b));
}

int64_t render_external_tokens(struct arena *a, const struct render_external *e)
{
    struct buf b;

    buf_init(&b, a, 512);
    add_external(&b, e);
    return content_tokens(buf_str(&b));
}
