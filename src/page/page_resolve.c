/* From what a link names to the node that has the name: pages before articles, titles before slugs before aliases. */
#include <stdlib.h>
#include <string.h>

#include "attachment.h"
#include "page_link.h"
#include "page_link_store.h"
#include "str.h"
#include "wiki_text.h"

#define CANDIDATES 3 /* the whole target; without what stands behind its last #; … behind its first # */

/* ---- rows of a text */

static const char *cut_at(struct arena *a, const char *text, const char *at)
{
    return at ? arena_strndup(a, text, (size_t)(at - text)) : text;
}

static const char *page_part(struct arena *a, const char *target)
{
    return cut_at(a, target, strchr(target, '#'));
}

static struct page_link row_of(struct ctx *c, struct uuid source, const struct link_scan *scan, const struct wiki_link *l)
{
    const char *root = page_part(c->arena, l->target), *hash = strchr(l->target, '#');
    struct page_link row = {.source_id = source, .target = l->target, .heading = hash && hash[1] ? hash + 1 : NULL, .display = l->display,
                            .is_embed = l->is_embed, .occurrences = 1, .first_at = (int64_t)l->at, .state = LINK_PENDING};
    size_t n = l->end - l->at;

    row.target_key = wiki_name_key(c->arena, l->target);
    row.root_key = wiki_name_key(c->arena, root);
    row.target_slug = wiki_slugify(c->arena, root);
    row.plain_slug = wiki_slug_of_target(c->arena, root);
    row.raw = arena_strndup(c->arena, scan->text + l->at, n);
    row.raw = arena_strndup(c->arena, row.raw, str_first_bytes(row.raw, 1000));
    if (row.display)
        row.display = arena_strndup(c->arena, row.display, str_first_bytes(row.display, 900));
    return row;
}

static int page_resolve_by_key(const void *a, const void *b)
{
    const struct page_link *x = a, *y = b;
    int order = strcmp(x->target_key, y->target_key);

    return order ? order : (x->first_at > y->first_at) - (x->first_at < y->first_at);
}

static int page_resolve_by_place(const void *a, const void *b)
{
    const struct page_link *x = a, *y = b;

    return (x->first_at > y->first_at) - (x->first_at < y->first_at);
}

void page_links_of_scan(struct ctx *c, struct uuid source, const struct link_scan *scan, struct list *out, int64_t *ignored)
{
    struct page_link *rows = ARENA_ARRAY(c->arena, struct page_link, scan->n_links + 1);
    size_t n = 0, k = 0;

    *ignored = 0;
    for (size_t i = 0; i < scan->n_links; i++)
        rows[n++] = row_of(c, source, scan, &scan->links[i]);
    qsort(rows, n, sizeof *rows, page_resolve_by_key);
    for (size_t i = 0; i < n; i++) {
        if (k && strcmp(rows[k - 1].target_key, rows[i].target_key) == 0) {
            rows[k - 1].occurrences++;
            rows[k - 1].is_embed |= rows[i].is_embed;
        } else {
            rows[k++] = rows[i];
        }
    }
    qsort(rows, k, sizeof *rows, page_resolve_by_place);
    if (k > PAGE_LINKS) {
        *ignored = (int64_t)(k - PAGE_LINKS);
        k = PAGE_LINKS;
    }
    *out = (struct list){rows, k};
}

/* ---- names */

struct key_set {
    struct ctx *c;
    struct strs keys;
};

static void page_resolve_key_add(struct key_set *s, const char *key)
{
    if (*key)
        s->keys.v[s->keys.n++] = key;
}

static int key_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void keys_unique(struct strs *keys)
{
    size_t n = 0;

    qsort(keys->v, keys->n, sizeof *keys->v, key_by_text);
    for (size_t i = 0; i < keys->n; i++)
        if (!n || strcmp(keys->v[n - 1], keys->v[i]) != 0)
            keys->v[n++] = keys->v[i];
    keys->n = n;
}

/* The names that a target may mean, the longest first; how many. */
static size_t candidates_of(struct arena *a, const struct page_link *l, const char *texts[CANDIDATES])
{
    const char *first = strchr(l->target, '#'), *last = strrchr(l->target, '#');
    size_t n = 0;

    texts[n++] = l->target;
    if (last && last != first && last > l->target)
        texts[n++] = cut_at(a, l->target, last);
    if (first && first > l->target)
        texts[n++] = cut_at(a, l->target, first);
    return n;
}

static int hit_by_key(const void *a, const void *b)
{
    return strcmp(((const struct name_hit *)a)->key, ((const struct name_hit *)b)->key);
}

/* The lower, the sooner a name is taken. */
static int page_resolve_rank_of(const struct name_hit *h)
{
    bool is_article = h->type == WIKI_ARTICLE;

    if (strcmp(h->kind, "title") == 0)
        return is_article ? 3 : 1;
    if (strcmp(h->kind, "slug") == 0)
        return is_article ? 4 : 2;
    if (strcmp(h->kind, "path") == 0)
        return is_article ? 6 : 5;
    return is_article ? 8 : 7;
}

/* Is a the better one for this spelling? A path: the shortest; else the same spelling, then the oldest. */
static bool is_better(const struct name_hit *a, const struct name_hit *b, const char *spelling)
{
    bool same_a = strcmp(a->name, spelling) == 0, same_b = strcmp(b->name, spelling) == 0;

    if (page_resolve_rank_of(a) != page_resolve_rank_of(b))
        return page_resolve_rank_of(a) < page_resolve_rank_of(b);
    if (same_a != same_b)
        return same_a;
    if (a->created_at.us != b->created_at.us)
        return a->created_at.us < b->created_at.us;
    return uuid_cmp(a->node_id, b->node_id) < 0;
}

struct resolver {
    const struct name_hit *hits;
    size_t n;
};

/* The best hit under the key; as a slug only slugs count. n_titles: how many pages have it as their title. */
static const struct name_hit *page_resolve_hit_of(const struct resolver *r, const char *key, bool only_slugs, const char *spelling,
    const struct name_hit *best,
                                     int64_t *n_titles)
{
    const struct name_hit *at = *key ? bsearch(&(struct name_hit){.key = key}, r->hits, r->n, sizeof *r->hits, hit_by_key) : NULL;

    while (at && at > r->hits && strcmp(at[-1].key, key) == 0)
        at--;
    for (; at && at < r->hits + r->n && strcmp(at->key, key) == 0; at++) {
        if (only_slugs && strcmp(at->kind, "slug") != 0)
            continue;
        *n_titles += !only_slugs && strcmp(at->kind, "title") == 0;
        if (!best || is_better(at, best, spelling))
            best = at;
    }
    return best;
}

static void resolve_one(struct ctx *c, const struct resolver *r, struct page_link *l)
{
    const char *texts[CANDIDATES];
    size_t n = candidates_of(c->arena, l, texts);
    const struct name_hit *best = NULL;
    int64_t titles = 0;

    l->target_id = (struct uuid){{0}};
    for (size_t i = 0; i < n && !best && l->target[0] != '#'; i++) {
        titles = 0;
        best = page_resolve_hit_of(r, wiki_name_key(c->arena, texts[i]), false, texts[i], NULL, &titles);
        if (strchr(texts[i], '#'))
            continue;
        best = page_resolve_hit_of(r, wiki_slug_of_target(c->arena, texts[i]), true, texts[i], best, &titles);
        best = page_resolve_hit_of(r, wiki_slugify(c->arena, texts[i]), true, texts[i], best, &titles);
    }
    if (best)
        l->target_id = best->node_id;
    l->ambiguous = titles > 1 ? titles : 0;
    l->state = best ? LINK_RESOLVED : attachment_is_name(l->target) ? LINK_FILE : LINK_PENDING;
    if (l->target[0] == '#' || (best && uuid_eq(l->target_id, l->source_id)))
        l->state = LINK_SELF;
    if (l->state == LINK_SELF)
        l->target_id = l->source_id;
}

/* ---- [[kind:Name]]: other nodes of the graph, by their exact title, of those that the caller may read */

/* What stands before the colon, as a kind of node; NULL: none of these. */
static const char *kind_of_target(const char *target)
{
    static const struct {
        const char *word, *kind;
    } KINDS[] = {{"agent:", "agent"}, {"skill:", "skill"}, {"goal:", "goal"}, {"mission:", "goal"}, {"entity:", "entity"}, {"tag:", "tag"}};

    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (str_starts(target, KINDS[i].word))
            return KINDS[i].kind;
    return NULL;
}

static const char *name_in_kind(struct arena *a, const struct page_link *l)
{
    const char *name = strchr(l->target, ':') + 1;

    name += strspn(name, " ");
    return cut_at(a, name, strchr(name, '#'));
}

/* hits: the oldest first. */
static void resolve_kind(struct ctx *c, const struct kind_hit *hits, size_t n, struct page_link *l)
{
    const char *name = name_in_kind(c->arena, l), *kind = kind_of_target(l->target);

    for (size_t i = 0; i < n; i++)
        if (strcmp(hits[i].kind, kind) == 0 && strcmp(hits[i].title, name) == 0) {
            l->target_id = hits[i].id;
            l->state = LINK_RESOLVED;
            return;
        }
}

/* Of the links that no page's name resolves. */
static err resolve_kinds(struct ctx *c, struct page_link *links, size_t n)
{
    struct strs names = {ARENA_ARRAY(c->arena, const char *, n + 1), 0};
    struct kind_hit *hits;
    size_t n_hits;

    for (size_t i = 0; i < n; i++)
        if (links[i].state == LINK_PENDING && kind_of_target(links[i].target))
            names.v[names.n++] = name_in_kind(c->arena, &links[i]);
    if (!names.n)
        return ERR_OK;
    keys_unique(&names);
    TRY(page_link_store_kinds(c, &names, &hits, &n_hits));
    for (size_t i = 0; i < n; i++)
        if (links[i].state == LINK_PENDING && kind_of_target(links[i].target))
            resolve_kind(c, hits, n_hits, &links[i]);
    return ERR_OK;
}

err page_links_resolve(struct ctx *c, struct page_link *links, size_t n)
{
    struct key_set s = {.c = c, .keys = {ARENA_ARRAY(c->arena, const char *, n *(CANDIDATES + 2) + 1), 0}};
    struct name_hit *hits;
    struct resolver r;

    for (size_t i = 0; i < n; i++) {
        const char *texts[CANDIDATES];
        size_t k = candidates_of(c->arena, &links[i], texts);

        for (size_t j = 0; j < k; j++)
            page_resolve_key_add(&s, wiki_name_key(c->arena, texts[j]));
        page_resolve_key_add(&s, links[i].target_slug);
        page_resolve_key_add(&s, links[i].plain_slug);
    }
    keys_unique(&s.keys);
    TRY(wiki_name_store_find(c, &s.keys, &hits, &r.n));
    if (r.n)
        qsort(hits, r.n, sizeof *hits, hit_by_key);
    r.hits = hits;
    for (size_t i = 0; i < n; i++)
        resolve_one(c, &r, &links[i]);
    return resolve_kinds(c, links, n);
}
