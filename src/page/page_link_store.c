/* SQL of links. */
#include "page_link_store.h"

#include "access.h"
#include "row.h"

#define ROWS_AT_ONCE 500

err page_link_store_of(struct ctx *c, const struct uuid *sources, size_t n, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_LINK, "SELECT {*} FROM {from} WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", sources, n);
    sql_add(&s, " ORDER BY source_id, first_at");
    return row_all(c, &PAGE_LINK, &s, n * PAGE_LINKS + 1, out);
}

static err page_link_put_some(struct ctx *c, const struct page_link *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO page_link (account_id, source_id, target_key, root_key, target_slug, plain_slug, target, heading, raw, "
        "display, "
                "is_embed, occurrences, first_at, state, target_id, ambiguous, resolved_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct page_link *l = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(l->source_id), IN(l->target_key), IN(l->root_key),
                IN(l->target_slug), IN(l->plain_slug), IN(l->target), IN_OPT(l->heading), IN(l->raw), IN_OPT(l->display), IN(l->is_embed),
                IN(l->occurrences), IN(l->first_at), IN(enumx_name(&link_state_enumx, (int)l->state)), IN_OPT(l->target_id),
                    IN(l->ambiguous),
                IN_OPT(l->resolved_at));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE target = VALUES(target), heading = VALUES(heading), raw = VALUES(raw), display = "
        "VALUES(display), "
                "is_embed = VALUES(is_embed), occurrences = VALUES(occurrences), first_at = VALUES(first_at), state = VALUES(state), "
                "target_id = VALUES(target_id), ambiguous = VALUES(ambiguous), resolved_at = VALUES(resolved_at)");
    return sql_exec(c, NULL, &s);
}

err page_link_store_put(struct ctx *c, const struct page_link *rows, size_t n)
{
    for (size_t i = 0; i < n; i += ROWS_AT_ONCE)
        TRY(page_link_put_some(c, rows + i, n - i < ROWS_AT_ONCE ? n - i : ROWS_AT_ONCE));
    return ERR_OK;
}

static void add_texts(struct sql *s, struct strs texts)
{
    sql_add(s, "(''");
    for (size_t i = 0; i < texts.n; i++)
        sql_add(s, ", ?", IN(texts.v[i]));
    sql_add(s, ")");
}

err page_link_store_drop(struct ctx *c, struct uuid source, const struct page_link *rows, size_t n)
{
    struct strs keys = {ARENA_ARRAY(c->arena, const char *, n + 1), n};
    struct sql s;

    if (!n)
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        keys.v[i] = rows[i].target_key;
    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM page_link WHERE account_id = ? AND source_id = ? AND target_key IN ", IN(c->account_id), IN(source));
    add_texts(&s, keys);
    return sql_exec(c, NULL, &s);
}

err page_link_store_naming(struct ctx *c, struct uuid id, struct strs roots, struct strs slugs, struct uuid *sources, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT source_id FROM page_link WHERE account_id = ? AND target_id = ? UNION SELECT source_id FROM page_link WHERE "
        "account_id = ? "
                "AND root_key IN ",
            IN(c->account_id), IN(id), IN(c->account_id));
    add_texts(&s, roots);
    if (slugs.n) {
        sql_add(&s, " UNION SELECT source_id FROM page_link WHERE account_id = ? AND target_slug IN ", IN(c->account_id));
        add_texts(&s, slugs);
        sql_add(&s, " UNION SELECT source_id FROM page_link WHERE account_id = ? AND plain_slug IN ", IN(c->account_id));
        add_texts(&s, slugs);
    }
    sql_add(&s, " LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, sources, max, n);
}

err page_link_store_waiting(struct ctx *c, struct uuid *sources, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT source_id FROM page_link WHERE account_id = ? AND state = 'pending' LIMIT ?", IN(c->account_id),
                 IN((int64_t)max)));
    return db_ids(c, &q, sources, max, n);
}

err page_link_store_backlinks(struct ctx *c, struct uuid target, struct uuids spaces, int64_t from, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_ITEM,
               "SELECT {*} FROM edge e JOIN {from} WHERE e.account_id = ? AND e.target_id = ? AND e.relation = 'references' AND e.live = 1 "
               "AND p.account_id = e.account_id AND p.id = e.source_id AND p.deleted_at IS NULL",
               IN(c->account_id), IN(target));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY n.updated_at DESC, p.id LIMIT ? OFFSET ?", IN(limit), IN(from));
    return row_all(c, &PAGE_ITEM, &s, (size_t)limit, out);
}

err page_link_store_texts(struct ctx *c, struct uuid target, struct uuids spaces, bool pages, bool articles, int64_t from, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_ROW,
               "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id <> ? AND p.deleted_at IS NULL AND p.status <> 'archived' AND "
               "((? AND p.type = 'page') OR (? AND p.type = 'article')) AND NOT EXISTS (SELECT 1 FROM page_link l WHERE "
               "l.account_id = p.account_id AND l.source_id = p.id AND l.target_id = ?)",
               IN(c->account_id), IN(target), IN(pages), IN(articles), IN(target));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY n.updated_at DESC, p.id LIMIT ? OFFSET ?", IN((int64_t)MENTION_PORTION), IN(from));
    return row_all(c, &PAGE_ROW, &s, MENTION_PORTION, out);
}

err page_link_store_places(struct ctx *c, const struct uuid *ids, size_t n, struct page_place *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;
    bool is_there;

    *found = 0;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT p.id, n.space_id FROM page p JOIN node n ON n.account_id = p.account_id AND n.id = p.id WHERE p.account_id = ? "
                "AND p.deleted_at IS NULL",
            IN(c->account_id));
    sql_add_in_uuids(&s, "p.id", ids, n);
    sql_add(&s, " ORDER BY p.id");
    TRY(sql_query(c, &q, &s));
    for (; *found < n; ++*found) {
        TRY(db_row(&q, c, &is_there, OUT(&rows[*found].id), OUT(&rows[*found].space_id)));
        if (!is_there)
            break;
    }
    return ERR_OK;
}

/* ---- nodes of other kinds */

static void link_add_readable(struct ctx *c, struct sql *s)
{
    struct uuid *spaces = ARENA_ARRAY(c->arena, struct uuid, c->access->n + 1);

    for (size_t i = 0; i < c->access->n; i++)
        spaces[i] = c->access->spaces[i].space_id;
    sql_add_in_uuids(s, "space_id", spaces, c->access->n);
    sql_add(s, " AND forgotten_at IS NULL AND status <> 'version'");
}

static err kind_hit_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct kind_hit *h = row;

    return db_row(q, c, found, OUT(&h->id), OUT(&h->kind), OUT(&h->title));
}

err page_link_store_kinds(struct ctx *c, const struct strs *titles, struct kind_hit **hits, size_t *n)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, kind, title FROM node WHERE account_id = ? AND kind IN ('agent','skill','goal','entity','tag')",
            IN(c->account_id));
    link_add_readable(c, &s);
    sql_add(&s, " AND title IN ");
    add_texts(&s, *titles);
    sql_add(&s, " ORDER BY id LIMIT ?", IN((int64_t)ROWS_AT_ONCE));
    TRY(sql_rows(c, &s, ROWS_AT_ONCE, sizeof(struct kind_hit), kind_hit_read, &rows, n));
    *hits = rows;
    return ERR_OK;
}

err page_link_store_readable(struct ctx *c, const struct uuid *ids, size_t n, struct uuids *out)
{
    scoped_cursor q = {0};
    struct sql s;

    *out = (struct uuids){ARENA_ARRAY(c->arena, struct uuid, n + 1), 0};
    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    link_add_readable(c, &s);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, out->v, n, &out->n);
}

/* ---- about all pages */

static err wanted_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct wanted_name *w = row;

    return db_row(q, c, found, OUT(&w->target), OUT(&w->sources), OUT(&w->occurrences));
}

err page_link_store_wanted(struct ctx *c, struct uuids spaces, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT MIN(l.target), COUNT(DISTINCT l.source_id), CAST(SUM(l.occurrences) AS SIGNED) FROM page_link l JOIN page p ON "
                "p.account_id = l.account_id AND p.id = l.source_id AND p.deleted_at IS NULL JOIN node n ON n.account_id = "
                    "p.account_id AND n.id = p.id "
                "WHERE l.account_id = ? AND l.state = 'pending'",
            IN(c->account_id));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY l.root_key ORDER BY 2 DESC, 1 LIMIT ?", IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct wanted_name), wanted_read, &out->v, &out->n);
}

static err hub_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct link_hub *h = row;

    return db_row(q, c, found, OUT(&h->id), OUT(&h->n));
}

err page_link_store_hubs(struct ctx *c, struct uuids spaces, int64_t limit, struct link_hub **rows, size_t *n)
{
    struct sql s;
    void *found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT l.target_id, COUNT(DISTINCT l.source_id) FROM page_link l JOIN page p ON p.account_id = l.account_id AND "
        "p.id = l.source_id "
                "AND p.deleted_at IS NULL JOIN node n ON n.account_id = p.account_id AND n.id = p.id WHERE l.account_id = ? AND "
                    "l.state = 'resolved'",
            IN(c->account_id));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY l.target_id ORDER BY 2 DESC, 1 LIMIT ?", IN(limit));
    TRY(sql_rows(c, &s, (size_t)limit, sizeof(struct link_hub), hub_read, &found, n));
    *rows = found;
    return ERR_OK;
}

err page_link_store_orphans(struct ctx *c, struct uuids spaces, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_ITEM,
               "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.deleted_at IS NULL AND p.status <> 'archived' AND NOT EXISTS "
                   "(SELECT 1 FROM "
               "page_link l WHERE l.account_id = p.account_id AND l.source_id = p.id AND l.state = 'resolved') AND NOT EXISTS "
                   "(SELECT 1 FROM page_link "
               "l JOIN page o ON o.account_id = l.account_id AND o.id = l.source_id AND o.deleted_at IS NULL JOIN node m ON "
                   "m.account_id = o.account_id "
               "AND m.id = o.id WHERE l.account_id = p.account_id AND l.target_id = p.id AND l.state = 'resolved'",
               IN(c->account_id));
    sql_add_in_uuids(&s, "m.space_id", spaces.v, spaces.n);
    sql_add(&s, ")");
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY n.updated_at DESC LIMIT ?", IN(limit));
    return row_all(c, &PAGE_ITEM, &s, (size_t)limit, out);
}

/* ---- the graph */

#define LIVE_EDGES "FROM edge WHERE account_id = ? AND relation = 'references' AND live = 1"

err page_link_store_around(struct ctx *c, const struct uuid *ids, size_t n, size_t max, struct uuid **out, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    *out = ARENA_ARRAY(c->arena, struct uuid, max + 1);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT target_id " LIVE_EDGES, IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    sql_add(&s, " UNION SELECT source_id " LIVE_EDGES, IN(c->account_id));
    sql_add_in_uuids(&s, "target_id", ids, n);
    sql_add(&s, " LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, *out, max, found);
}

static err graph_edge_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct page_graph_edge *e = row;

    return db_row(q, c, found, OUT(&e->source), OUT(&e->target));
}

err page_link_store_between(struct ctx *c, const struct uuid *ids, size_t n, size_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT source_id, target_id " LIVE_EDGES, IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    sql_add_in_uuids(&s, "target_id", ids, n);
    sql_add(&s, " LIMIT ?", IN((int64_t)max));
    return sql_rows(c, &s, max, sizeof(struct page_graph_edge), graph_edge_read, &out->v, &out->n);
}
