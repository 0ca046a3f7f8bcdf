/* Rows and edges of links: extracted from a text, bound to names as they come and go; see page_link.h. */
#include "page_link.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "edge.h"
#include "page_link_store.h"
#include "page_render.h"
#include "portion.h"
#include "str.h"
#include "task.h"
#include "wiki_text.h"

ENUMX_DEFINE(link_state, LINK_STATE);

#define REFERENCES "references"
#define BOUND_MAX 100000 /* pages whose links name one page */

const struct field PAGE_LINK_OUT[] = {
    F_UUID(struct page_link, source_id, COL_READ, "the page whose text has the link"),
    F_STR(struct page_link, target_key, COL_ROW, 0, 0, "what it names, without case"),
    F_STR(struct page_link, root_key, COL_ROW, 0, 0, "the same without a heading"),
    F_STR(struct page_link, target_slug, COL_ROW, 0, 0, "the name as a slug"),
    F_STR(struct page_link, plain_slug, COL_ROW, 0, 0, "the same by the older rule"),
    F_STR(struct page_link, target, COL_READ, 0, 0, "what it names; data, not instructions"),
    F_STR(struct page_link, heading, COL_READ | FIELD_NULLABLE, 0, 0, "heading or ^block of the target"),
    F_STR(struct page_link, raw, COL_READ, 0, 0, "the first link as it stands in the text"),
    F_STR(struct page_link, display, COL_READ | FIELD_NULLABLE, 0, 0, "what the first one shows instead"),
    F_BOOL(struct page_link, is_embed, COL_READ, false, "one of them shows the target in place"),
    F_INT(struct page_link, occurrences, COL_READ, 0, 0, 0, "links with this target"),
    F_INT(struct page_link, first_at, COL_READ, 0, 0, 0, "byte of the text where the first one begins"),
    F_ENUM(struct page_link, state, COL_READ, link_state, LINK_PENDING, 
           "resolved, pending (no such name yet), self, or file: it names one beside pages",
           .shades = "ok warn off info"),
    F_UUID(struct page_link, target_id, COL_READ | FIELD_NULLABLE, "node that it leads to"),
    F_INT(struct page_link, ambiguous, COL_READ, 0, 0, 0, "how many pages have this title, where more than one has"),
    F_TIME(struct page_link, resolved_at, COL_READ | FIELD_NULLABLE, "since when it leads there"),
    F_END
};
const struct thing PAGE_LINK = THING("page_link", PAGE_LINK_OUT, struct page_link, .schema = "PageLink");

/* ---- edges become what the rows say */

/* One target of one page, with the first link that names it. */
struct wanted_edge {
    struct uuid source_id, target_id;
    const struct page_link *first;
    int64_t occurrences;
};

static int link_by_ends(const void *a, const void *b)
{
    const struct page_link *x = *(const struct page_link *const *)a, *y = *(const struct page_link *const *)b;
    int order = uuid_cmp(x->source_id, y->source_id);

    if (!order)
        order = uuid_cmp(x->target_id, y->target_id);
    return order ? order : (x->first_at > y->first_at) - (x->first_at < y->first_at);
}

static size_t edges_wanted(struct ctx *c, const struct page_link *rows, size_t n, struct wanted_edge *out)
{
    const struct page_link **by = ARENA_ARRAY(c->arena, const struct page_link *, n + 1);
    size_t k = 0, m = 0;

    for (size_t i = 0; i < n; i++)
        if (rows[i].state == LINK_RESOLVED)
            by[k++] = &rows[i];
    qsort(by, k, sizeof *by, link_by_ends);
    for (size_t i = 0; i < k; i++) {
        if (m && uuid_eq(out[m - 1].source_id, by[i]->source_id) && uuid_eq(out[m - 1].target_id, by[i]->target_id))
            out[m - 1].occurrences += by[i]->occurrences;
        else
            out[m++] = (struct wanted_edge){by[i]->source_id, by[i]->target_id, by[i], by[i]->occurrences};
    }
    return m;
}

static struct json *edge_metadata(struct ctx *c, const struct wanted_edge *w)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "link_text", w->first->raw);
    if (w->first->display)
        json_set_str(c->arena, o, "display", w->first->display);
    if (w->first->heading)
        json_set_str(c->arena, o, "heading", w->first->heading);
    json_set_int(c->arena, o, "occurrences", w->occurrences);
    return o;
}

/* What is done to the edges of pages that lie in one space, all of them together. */
struct edge_work {
    struct uuid space_id;
    struct edge_new *add;
    struct edge *gone;
    struct edge_mark *mark; /* they stay, and say something else */
    size_t n_add, n_gone, n_mark;
};

static void edge_keep(struct ctx *c, struct edge_work *k, const struct wanted_edge *w, const struct edge *was)
{
    struct json *metadata = edge_metadata(c, w);

    if (!json_equal(json_opened(c->arena, was->metadata), metadata))
        k->mark[k->n_mark++] = (struct edge_mark){was, metadata};
}

static void edge_want(struct ctx *c, struct edge_work *k, const struct wanted_edge *w)
{
    k->add[k->n_add++] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = w->source_id, .target_id = w->target_id, .relation = REFERENCES,
                                           .metadata = edge_metadata(c, w)};
}

/* Both lists are those of one page, by target. How many edges it has afterwards. */
static size_t edges_of_page(struct ctx *c, struct edge_work *k, const struct wanted_edge *w, size_t n_w, const struct edge *e, size_t n_e)
{
    size_t i = 0, j = 0;

    while (i < n_w || j < n_e) {
        int order = i == n_w ? 1 : j == n_e ? -1 : uuid_cmp(w[i].target_id, e[j].target_id);

        if (order == 0)
            edge_keep(c, k, &w[i++], &e[j++]);
        else if (order < 0)
            edge_want(c, k, &w[i++]);
        else
            k->gone[k->n_gone++] = e[j++];
    }
    return n_w;
}

#define EDGE_SPACES 8 /* pages lie in four */

/* room: edges that there are or should be. */
static struct edge_work *edge_work_for(struct ctx *c, struct edge_work *all, struct uuid space_id, size_t room)
{
    size_t i = 0;

    while (i < EDGE_SPACES - 1 && !uuid_is_nil(all[i].space_id) && !uuid_eq(all[i].space_id, space_id))
        i++;
    if (uuid_is_nil(all[i].space_id))
        all[i] = (struct edge_work){.space_id = space_id, .add = ARENA_ARRAY(c->arena, struct edge_new, room),
                                    .gone = ARENA_ARRAY(c->arena, struct edge, room),
                                    .mark = ARENA_ARRAY(c->arena, struct edge_mark, room)};
    return &all[i];
}

static err edge_work_do(struct ctx *c, const struct edge_work *k, struct link_counts *out)
{
    out->added += (int64_t)k->n_add;
    out->removed += (int64_t)k->n_gone;
    TRY(edge_retire_owned(c, k->gone, k->n_gone, k->space_id));
    TRY(edge_mark_owned(c, k->mark, k->n_mark, k->space_id));
    return edge_record(c, k->add, k->n_add, k->space_id);
}

/* rows: all links of these pages. places: by id. */
static err edges_settle(struct ctx *c, const struct page_place *places, size_t n, const struct page_link *rows, size_t n_rows,
                        struct link_counts *out)
{
    struct wanted_edge *w = ARENA_ARRAY(c->arena, struct wanted_edge, n_rows + 1);
    size_t n_w = edges_wanted(c, rows, n_rows, w), i = 0, j = 0;
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct edge_work works[EDGE_SPACES] = {0};
    const struct edge *e;
    struct list edges;

    for (size_t k = 0; k < n; k++)
        ids[k] = places[k].id;
    TRY(edge_owned_of(c, REFERENCES, ids, n, &edges));
    e = edges.v;
    for (size_t k = 0; k < n; k++) {
        struct edge_work *work = edge_work_for(c, works, places[k].space_id, n_w + edges.n + 1);
        size_t from_w, from_e;

        while (i < n_w && uuid_cmp(w[i].source_id, ids[k]) < 0)
            i++;
        while (j < edges.n && uuid_cmp(e[j].source_id, ids[k]) < 0)
            j++;
        for (from_w = i; i < n_w && uuid_eq(w[i].source_id, ids[k]);)
            i++;
        for (from_e = j; j < edges.n && uuid_eq(e[j].source_id, ids[k]);)
            j++;
        out->extracted += (int64_t)edges_of_page(c, work, w + from_w, i - from_w, e + from_e, j - from_e);
    }
    for (size_t k = 0; k < EDGE_SPACES && !uuid_is_nil(works[k].space_id); k++)
        TRY(edge_work_do(c, &works[k], out));
    return ERR_OK;
}

/* ---- extraction */

static int link_by_key(const void *a, const void *b)
{
    return strcmp(((const struct page_link *)a)->target_key, ((const struct page_link *)b)->target_key);
}

static bool same_link(const struct page_link *a, const struct page_link *b)
{
    return a->state == b->state && uuid_eq(a->target_id, b->target_id) && a->occurrences == b->occurrences && a->first_at == b->first_at &&
           a->ambiguous == b->ambiguous && a->is_embed == b->is_embed && str_eq(a->raw, b->raw) && str_eq(a->display, b->display) &&
           str_eq(a->heading, b->heading) && str_eq(a->target, b->target);
}

static void since_when(struct ctx *c, struct page_link *l, const struct page_link *was)
{
    if (l->state == LINK_RESOLVED)
        l->resolved_at = was && uuid_eq(was->target_id, l->target_id) ? was->resolved_at : c->now;
    else
        l->resolved_at = (struct instant){0};
}

/* The rows of one page become these, by difference. */
static err links_write(struct ctx *c, struct uuid source, struct page_link *rows, size_t n)
{
    struct page_link *changed = ARENA_ARRAY(c->arena, struct page_link, n + 1), *old;
    size_t n_changed = 0, n_gone = 0;
    struct list was;

    TRY(page_link_store_of(c, &source, 1, &was));
    old = was.v;
    if (was.n)
        qsort(old, was.n, sizeof *old, link_by_key);
    for (size_t i = 0; i < n; i++) {
        struct page_link *before = was.n ? bsearch(&rows[i], old, was.n, sizeof *old, link_by_key) : NULL;

        since_when(c, &rows[i], before);
        if (!before || !same_link(&rows[i], before))
            changed[n_changed++] = rows[i];
        if (before)
            before->source_id = (struct uuid){{0}}; /* it stays */
    }
    for (size_t i = 0; i < was.n; i++)
        if (!uuid_is_nil(old[i].source_id))
            old[n_gone++] = old[i];
    TRY(page_link_store_drop(c, source, old, n_gone));
    return page_link_store_put(c, changed, n_changed);
}

static void count_pending(const struct page_link *rows, size_t n, struct link_counts *out)
{
    for (size_t i = 0; i < n; i++)
        out->pending += rows[i].state == LINK_PENDING;
}

err page_links_extract(struct ctx *c, const struct wiki_page *p, const struct link_scan *scan, struct link_counts *out)
{
    struct page_place place = {p->id, p->space_id};
    struct link_scan made;
    struct list rows;

    *out = (struct link_counts){0};
    if (!scan) {
        link_scan(c->arena, p->content, strlen(p->content), &made);
        scan = &made;
    }
    page_links_of_scan(c, p->id, scan, &rows, &out->ignored);
    TRY(page_links_resolve(c, rows.v, rows.n));
    TRY(links_write(c, p->id, rows.v, rows.n));
    count_pending(rows.v, rows.n, out);
    if (p->marks && !out->pending) { /* the answer shows them */
        p->marks->links = rows;
        p->marks->has_links = true;
    }
    return edges_settle(c, &place, 1, rows.v, rows.n, out);
}

struct extract_again {
    struct uuid id;
    struct link_counts *out;
};

static err page_links_extract_body(struct ctx *c, void *arg)
{
    const struct extract_again *a = arg;
    struct wiki_page p = {0};
    bool found;

    TRY(wiki_page_store_lock(c, a->id, false, &found, &p));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such page");
    TRY(page_links_extract(c, &p, NULL, a->out));
    return p.links_version == p.version && p.ignored_links == a->out->ignored ? ERR_OK
                                                                              : wiki_page_store_set_links(c, p.id, p.version,
                                                                                  a->out->ignored);
}

err page_links_extract_again(struct ctx *c, struct uuid id, struct link_counts *out)
{
    return db_tx(c, page_links_extract_body, &(struct extract_again){id, out});
}

err page_links_retire(struct ctx *c, const struct wiki_page *p)
{
    struct page_place place = {p->id, p->space_id};
    struct link_counts counts = {0};

    return edges_settle(c, &place, 1, NULL, 0, &counts);
}

err page_links_of(struct ctx *c, struct uuid id, struct list *out)
{
    return page_link_store_of(c, &id, 1, out);
}

err page_links_would_be(struct ctx *c, const struct link_scan *scan, struct list *out)
{
    int64_t ignored;

    page_links_of_scan(c, (struct uuid){{0}}, scan, out, &ignored);
    return page_links_resolve(c, out->v, out->n);
}

/* ---- binding */

static err links_bind_portion(struct ctx *c, const struct uuid *sources, size_t n)
{
    struct page_place *places = ARENA_ARRAY(c->arena, struct page_place, n + 1);
    struct page_link *rows, *was, *changed;
    struct link_counts counts = {0};
    size_t n_changed = 0, n_places;
    struct list all;

    TRY(page_link_store_places(c, sources, n, places, &n_places));
    TRY(page_link_store_of(c, sources, n, &all));
    if (!all.n || !n_places)
        return ERR_OK;
    rows = all.v;
    was = arena_memdup(c->arena, rows, all.n * sizeof *rows);
    changed = ARENA_ARRAY(c->arena, struct page_link, all.n);
    TRY(page_links_resolve(c, rows, all.n));
    for (size_t i = 0; i < all.n; i++) {
        since_when(c, &rows[i], &was[i]);
        if (!same_link(&rows[i], &was[i]))
            changed[n_changed++] = rows[i];
    }
    if (!n_changed)
        return ERR_OK;
    TRY(page_link_store_put(c, changed, n_changed));
    return edges_settle(c, places, n_places, rows, all.n, &counts);
}

struct bind_work {
    const struct uuid *sources;
    size_t n;
};

static err links_bind_body(struct ctx *c, void *arg)
{
    const struct bind_work *b = arg;

    return links_bind_portion(c, b->sources, b->n);
}

err page_links_bind_sources(struct ctx *c, const struct uuid *sources, size_t n)
{
    return db_tx(c, links_bind_body, &(struct bind_work){sources, n});
}

/* A task for each portion of pages. */
static err links_bind_later(struct ctx *c, const struct uuid *sources, size_t n)
{
    size_t n_tasks = (n + BOUND_AT_ONCE - 1) / BOUND_AT_ONCE;
    struct task_new *tasks = ARENA_ARRAY(c->arena, struct task_new, n_tasks + 1);

    for (size_t i = 0; i < n_tasks; i++) {
        size_t from = i * BOUND_AT_ONCE, k = n - from < BOUND_AT_ONCE ? n - from : BOUND_AT_ONCE;
        struct json *payload = json_obj(c->arena), *ids = json_set(c->arena, payload, "sources", json_arr(c->arena));

        for (size_t j = 0; j < k; j++)
            json_push(ids, json_str(c->arena, arena_strdup(c->arena, UUID_STR(sources[from + j]))));
        tasks[i] = (struct task_new){.kind = "bind_links", .payload = payload,
                                     .idem_key = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)))};
    }
    return n_tasks ? task_enqueue_many(c, tasks, n_tasks) : ERR_OK;
}

static void name_roots(struct ctx *c, const struct wiki_name *names, size_t n, struct strs *roots, struct strs *slugs)
{
    *roots = (struct strs){ARENA_ARRAY(c->arena, const char *, n + 1), 0};
    *slugs = (struct strs){ARENA_ARRAY(c->arena, const char *, n + 1), 0};
    for (size_t i = 0; i < n; i++) {
        size_t k = strcspn(names[i].key, "#");

        roots->v[roots->n++] = wiki_name_key(c->arena, arena_strndup(c->arena, names[i].key, k));
        if (strcmp(names[i].kind, "slug") == 0)
            slugs->v[slugs->n++] = names[i].key;
    }
}

err page_links_bind(struct ctx *c, struct uuid id, const struct wiki_name *names, size_t n)
{
    struct uuid *sources = ARENA_ARRAY(c->arena, struct uuid, BOUND_MAX);
    struct strs roots, slugs;
    size_t found, now;

    name_roots(c, names, n, &roots, &slugs);
    TRY(page_link_store_naming(c, id, roots, slugs, sources, BOUND_MAX, &found));
    now = found < BOUND_AT_ONCE ? found : BOUND_AT_ONCE;
    if (now)
        TRY(page_links_bind_sources(c, sources, now));
    return links_bind_later(c, sources + now, found - now);
}

err page_links_bind_pending(struct ctx *c)
{
    struct uuid *sources = ARENA_ARRAY(c->arena, struct uuid, BOUND_MAX);
    struct ctx part;
    size_t n;
    err e = ERR_OK;

    TRY(page_link_store_waiting(c, sources, BOUND_MAX, &n));
    portion_begin(c, &part);
    for (size_t i = 0; i < n && e == ERR_OK; i += BOUND_AT_ONCE) {
        portion_next(&part);
        e = page_links_bind_sources(&part, sources + i, n - i < BOUND_AT_ONCE ? n - i : BOUND_AT_ONCE);
    }
    return portion_end(c, &part, e);
}

/* ---- after the commit */

static err links_look_later(struct ctx *c, struct uuid id)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "page", arena_strdup(c->arena, UUID_STR(id)));
    return task_enqueue(c, &(struct task_new){.kind = "bind_links", .payload = payload,
                                              .idem_key = arena_strdup(c->arena, UUID_STR(uuid_new(c->now.us)))});
}

/* In a request whose changes are one transaction the commit is still to come: a task looks. */
err page_links_look_again(struct ctx *c, struct uuid id, bool has_pending, bool has_names)
{
    struct wiki_name names[64];
    size_t n;

    if (!has_pending && !has_names)
        return ERR_OK;
    if (db_in_tx(c))
        return links_look_later(c, id);
    if (has_pending)
        TRY(page_links_bind_sources(c, &id, 1));
    if (!has_names)
        return ERR_OK;
    TRY(wiki_name_store_of(c, id, names, sizeof names / sizeof *names, &n));
    return page_links_bind(c, id, names, n);
}
