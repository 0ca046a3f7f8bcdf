/* ContentLinkService of the seed, over nodes, edges and recall's index; see content_links.h. */
#include "content_links.h"

#include <math.h>
#include <string.h>

#include "access.h"
#include "app.h"
#include "index.h"
#include "inert.h"
#include "nearest.h"
#include "node.h"
#include "node_vectors.h"
#include "page_link.h"
#include "page_link_store.h"
#include "stopwords.h"
#include "str.h"
#include "vector.h"
#include "wiki_page_impl.h"
#include "wiki_space.h"
#include "wiki_text.h"

ENUMX_DEFINE(embedding_done, EMBEDDING_DONE);

#define TITLE_MIN 3 /* characters of a title that is looked for; of scripts without spaces one is enough */
#define SNIPPET_AROUND 60

static struct content_item content_item_of(const struct wiki_page *p)
{
    return (struct content_item){.id = p->id, .title = p->title, .slug = p->slug, .type = p->type, .excerpt = p->excerpt, .similarity = NAN,
                                 .version = p->version};
}

/* ---- backlinks */

err backlinks_for(struct ctx *c, const struct wiki_page *p, int64_t from, int64_t limit, struct list *out, int64_t *next)
{
    struct content_item *items = ARENA_ARRAY(c->arena, struct content_item, (size_t)limit + 1);
    const struct wiki_page *rows;
    struct list found;
    size_t n;

    TRY(page_link_store_backlinks(c, p->id, wiki_spaces_readable(c), from, limit + 1, &found));
    rows = found.v;
    n = found.n > (size_t)limit ? (size_t)limit : found.n;
    for (size_t i = 0; i < n; i++)
        items[i] = content_item_of(&rows[i]);
    *out = (struct list){items, n};
    *next = found.n > n ? from + limit : 0;
    return ERR_OK;
}

/* ---- mentions */

static bool has_only_stopwords(const char *key)
{
    for (const char *p = key; *p;) {
        size_t n = strcspn(p, " ");

        if (!stopwords_has(p, n))
            return false;
        p += n;
        p += *p == ' ';
    }
    return true;
}

/* The keys that are looked for: title and aliases, without those that every text has. */
static size_t names_to_look_for(struct ctx *c, const struct wiki_page *p, const char **keys)
{
    size_t n = 0;

    for (size_t i = 0; i <= p->aliases.n && i <= PAGE_ALIASES; i++) {
        const char *key = wiki_name_key(c->arena, i ? p->aliases.v[i - 1] : p->title);
        bool is_plain = (unsigned char)*key < 0x80;

        if (!is_plain || (str_code_points(key, strlen(key)) >= TITLE_MIN && !has_only_stopwords(key)))
            keys[n++] = key;
    }
    return n;
}

static const char *snippet_of(struct ctx *c, const char *text, const struct wiki_mention *m)
{
    size_t from = m->start > SNIPPET_AROUND ? m->start - SNIPPET_AROUND : 0, n = strlen(text);
    size_t to = n - m->end > SNIPPET_AROUND ? m->end + SNIPPET_AROUND : n;

    while (from && ((unsigned char)text[from] & 0xc0) == 0x80)
        from--;
    while (to < n && ((unsigned char)text[to] & 0xc0) == 0x80)
        to++;
    return text_cut(c->arena, arena_strndup(c->arena, text + from, to - from), 2 * SNIPPET_AROUND + WIKI_NAME, true);
}

static void item_add_mentions(struct ctx *c, struct content_item *item, const char *text, const struct wiki_mention *found, size_t n)
{
    struct mention_place *m = ARENA_ARRAY(c->arena, struct mention_place, n + 1);

    for (size_t i = 0; i < n; i++)
        m[i] = (struct mention_place){(int64_t)found[i].start, (int64_t)found[i].end, snippet_of(c, text, &found[i])};
    item->mentions = (struct list){m, n};
}

/* Does the text name it? Its memory goes back, but for what is answered. */
static size_t mentions_in(struct ctx *c, const char *text, const char *const *keys, size_t n_keys, struct wiki_mention *out)
{
    struct arena_mark mark = arena_mark(c->arena);
    struct link_scan scan;
    size_t n = 0;

    link_scan(c->arena, text, strlen(text), &scan);
    for (size_t i = 0; i < n_keys && n < MENTIONS_OF_TEXT; i++)
        n += wiki_mentions(c->arena, text, &scan, keys[i], out + n, MENTIONS_OF_TEXT - n);
    arena_rewind(c->arena, mark);
    return n;
}

err unlinked_mentions_for(struct ctx *c, const struct wiki_page *p, const struct mention_wish *w, struct list *out)
{
    struct content_item *items = ARENA_ARRAY(c->arena, struct content_item, (size_t)w->limit + 1);
    const char *keys[PAGE_ALIASES + 1];
    size_t n_keys = names_to_look_for(c, p, keys), n = 0;
    int64_t bytes = 0;

    *out = (struct list){items, 0};
    for (int64_t from = 0; n_keys && from < MENTION_TEXTS && n < (size_t)w->limit && bytes < MENTION_BYTES; from += MENTION_PORTION) {
        const struct wiki_page *rows;
        struct list found;

        TRY(page_link_store_texts(c, p->id, wiki_spaces_readable(c), w->pages, w->articles, from, &found));
        rows = found.v;
        for (size_t i = 0; i < found.n && n < (size_t)w->limit; i++) {
            struct wiki_mention m[MENTIONS_OF_TEXT];
            size_t k = mentions_in(c, rows[i].content, keys, n_keys, m);

            bytes += (int64_t)strlen(rows[i].content);
            if (!k)
                continue;
            items[n] = content_item_of(&rows[i]);
            items[n].excerpt = rows[i].excerpt ? rows[i].excerpt : rows[i].first_words;
            if (w->detail)
                item_add_mentions(c, &items[n], rows[i].content, m, k);
            n++;
        }
        if (found.n < MENTION_PORTION)
            break;
        TRY(ctx_check_deadline(c));
    }
    out->n = n;
    return ERR_OK;
}

err link_mention(struct ctx *c, const struct wiki_page *p, const struct page_ref *source, int64_t start, int64_t end, struct wiki_page *out)
{
    struct wiki_page_change ch = {.change.if_version = source->if_version, .to.ref = source->id};
    struct wiki_page s;
    const char *written;
    size_t n;

    TRY(wiki_page_find(c, WIKI_PAGE, source->id, &s));
    n = strlen(s.content);
    if (start < 0 || end <= start || (size_t)end > n || ((unsigned char)s.content[start] & 0xc0) == 0x80 ||
        ((unsigned char)s.content[end] & 0xc0) == 0x80)
        return fail_field(c, "/start", "start and end are not those of a mention");
    written = arena_strndup(c->arena, s.content + start, (size_t)(end - start));
    if (strcmp(wiki_name_key(c->arena, written), wiki_name_key(c->arena, p->title)) != 0)
        return fail_field(c, "/start", "the text does not name the page there");
    change_to(&ch, content, arena_printf(c->arena, "%.*s[[%s%s%s]]%s", (int)start, s.content, p->title, strcmp(written,
        p->title) ? "|" : "",
                                         strcmp(written, p->title) ? written : "", s.content + end));
    return wiki_page_update(c, WIKI_PAGE, &ch, out);
}

/* ---- a new title */

/* The bytes of a wikilink that name a page: behind the brackets, before a heading or other words. */
static struct wiki_mention named_part(const struct link_scan *scan, const struct wiki_link *l)
{
    const char *text = scan->text;
    struct wiki_mention m = {l->at + (l->is_embed ? 3 : 2), 0};

    while (text[m.start] == ' ' || text[m.start] == '\t')
        m.start++;
    m.end = m.start + strcspn(text + m.start, "#|]");
    while (m.end > m.start && (text[m.end - 1] == ' ' || text[m.end - 1] == '\t' || text[m.end - 1] == '\\'))
        m.end--;
    return m;
}

static bool rewrite_text(struct ctx *c, const char *text, const char *old_key, const char *title, const char **out)
{
    struct link_scan scan;
    struct buf b;
    size_t at = 0;

    link_scan(c->arena, text, strlen(text), &scan);
    buf_init(&b, c->arena, scan.n + 64);
    for (size_t i = 0; i < scan.n_links; i++) {
        struct wiki_mention m;

        if (scan.links[i].is_markdown)
            continue;
        m = named_part(&scan, &scan.links[i]);
        if (strcmp(wiki_name_key(c->arena, arena_strndup(c->arena, text + m.start, m.end - m.start)), old_key) != 0)
            continue;
        buf_add(&b, text + at, m.start - at);
        buf_puts(&b, title);
        at = m.end;
    }
    if (!at)
        return false;
    buf_puts(&b, text + at);
    *out = buf_str(&b);
    return true;
}

/* One text; who changed it meanwhile is not overwritten. */
static err rewrite_one(struct ctx *c, const struct content_item *at, const char *old_key, const char *title, int64_t *n)
{
    struct wiki_page_change ch = {.to.ref = arena_strdup(c->arena, UUID_STR(at->id))};
    struct wiki_page source, out;
    const char *text;
    err e;

    TRY(wiki_page_by_id(c, at->id, &source));
    if (source.status == WIKI_ARCHIVED || !access_may_write(c, source.space_id) || !rewrite_text(c, source.content, old_key, title, &text))
        return ERR_OK;
    ch.change.if_version = source.version;
    change_to(&ch, content, text);
    e = wiki_page_update(c, source.type, &ch, &out);
    if (e != ERR_OK && e != ERR_PRECONDITION && e != ERR_CONFLICT && e != ERR_NOT_FOUND && e != ERR_INVALID)
        return e;
    if (e != ERR_OK)
        ctx_forgive(c);
    *n += e == ERR_OK;
    return ERR_OK;
}

err links_rewrite(struct ctx *c, const struct wiki_page *was, const struct wiki_page *now, int64_t *n)
{
    const char *old_key = wiki_name_key(c->arena, was->title), *title = strpbrk(now->title, "[]|#") ? now->slug : now->title;
    const struct content_item *v;
    struct list backlinks;
    int64_t next;

    *n = 0;
    TRY(backlinks_for(c, now, 0, BACKLINKS_MAX, &backlinks, &next));
    v = backlinks.v;
    for (size_t i = 0; i < backlinks.n; i++)
        TRY(rewrite_one(c, &v[i], old_key, title, n));
    return ERR_OK;
}

/* ---- vectors */

err find_or_create_page_node(struct ctx *c, const struct wiki_page *p, struct node *out)
{
    return node_get(c, p->id, out);
}

err generate_page_embedding(struct ctx *c, const struct wiki_page *p, bool force, enum embedding_done *out)
{
    struct vectors_work work = {.ids = &p->id, .n = 1};
    struct vectors_done done;

    TRY(access_require(c, p->space_id, ACCESS_WRITE));
    if (force)
        TRY(vector_drop_computed(c, p->id));
    if (vectors_embed(c, &work, &done) != ERR_OK) {
        ctx_forgive(c);
        *out = EMBEDDING_QUEUED;
        if (c->app->vectors_later)
            return c->app->vectors_later(c, &p->id, 1);
        if (c->app->nodes_written)
            c->app->nodes_written(c, &p->id, 1);
        return ERR_OK;
    }
    *out = done.written || done.empty ? EMBEDDING_GENERATED : done.no_model ? EMBEDDING_QUEUED : EMBEDDING_UNCHANGED;
    return ERR_OK;
}

static err related_rows(struct ctx *c, const struct snapshot *in, const struct nearest_hits *hits, struct uuid self, int64_t limit,
    struct list *out)
{
    struct content_item *items = ARENA_ARRAY(c->arena, struct content_item, (size_t)limit + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, hits->n + 1);
    const struct wiki_page *rows;
    struct list found;
    size_t n = 0;

    for (size_t i = 0; i < hits->n; i++)
        ids[i] = snapshot_id(in, hits->at[i].row);
    TRY(wiki_page_store_items(c, ids, hits->n, wiki_spaces_readable(c), &found));
    rows = found.v;
    for (size_t i = 0; i < hits->n && n < (size_t)limit; i++) {
        if (uuid_eq(ids[i], self))
            continue;
        for (size_t k = 0; k < found.n; k++)
            if (uuid_eq(rows[k].id, ids[i])) {
                items[n] = content_item_of(&rows[k]);
                items[n++].similarity = round(fmin(1, fmax(0, (double)hits->at[i].score)) * 10000) / 10000;
            }
    }
    *out = (struct list){items, n};
    return ERR_OK;
}

static err related_in(struct ctx *c, const struct snapshot *in, const struct wiki_page *p, const float *vector, int64_t limit,
    struct list *out)
{
    struct filter_in wanted = {.readable = c->access->readable, .n_readable = c->access->n,
                               .kinds = 1ull << segment_kind("page") | 1ull << segment_kind("article"), .now = c->now.us};
    struct nearest_hits hits;
    struct nearest nearest;
    struct filter f;

    filter_make(c->arena, in, &wanted, &f);
    TRY(nearest_begin(c, in, in->model_id, vector, in->codec ? codec_dim(in->codec) : 0, &nearest));
    if (!nearest.usable)
        return ERR_OK;
    TRY(nearest_find(c, &nearest, &f, (size_t)limit + 1, 0, true, &hits));
    return related_rows(c, in, &hits, p->id, limit, out);
}

static err vector_in(struct ctx *c, const struct snapshot *in, struct uuid id, const float **vector)
{
    uint32_t row = snapshot_find(in, id);

    *vector = NULL;
    return row == NO_ROW || !nearest_has(in, row) ? ERR_OK : nearest_vector_of(c, in, row, vector);
}

err related_pages_for(struct ctx *c, const struct wiki_page *p, int64_t limit, struct list *out)
{
    struct vectors_done done;
    const struct snapshot *in;
    const char *degraded;
    const float *vector;

    *out = (struct list){0};
    TRY(index_snapshot(c, &in, &degraded));
    TRY(vector_in(c, in, p->id, &vector));
    if (!vector) {
        if (vectors_embed(c, &(struct vectors_work){.ids = &p->id, .n = 1}, &done) != ERR_OK) {
            ctx_forgive(c);
            return ERR_OK;
        }
        TRY(index_snapshot(c, &in, &degraded));
        TRY(vector_in(c, in, p->id, &vector));
    }
    return vector ? related_in(c, in, p, vector, limit, out) : ERR_OK;
}
