/* SQL of pages, their names and their versions. */
#include "wiki_page_store.h"

#include "like.h"
#include "row.h"

#define TAKEN_MAX 200
#define HITS_MAX 20000

err wiki_page_store_get(struct ctx *c, struct uuid id, bool is_deleted, bool *found, struct wiki_page *out)
{
    return row_one(c, &PAGE_ROW, found, out,
        "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id = ? AND (p.deleted_at IS NOT NULL) = ?",
                   IN(c->account_id), IN(id), IN(is_deleted));
}

err wiki_page_store_lock(struct ctx *c, struct uuid id, bool is_deleted, bool *found, struct wiki_page *out)
{
    return row_one(c, &PAGE_ROW, found, out,
                   "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id = ? AND (p.deleted_at IS NOT NULL) = ? FOR UPDATE",
                   IN(c->account_id), IN(id), IN(is_deleted));
}

err wiki_page_store_by_slug(struct ctx *c, enum wiki_type type, const char *slug, bool *found, struct wiki_page *out)
{
    return row_one(c, &PAGE_ROW, found, out, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.type = ? AND p.live_slug = ?",
                   IN(c->account_id), IN(enumx_name(&wiki_type_enumx, (int)type)), IN(slug));
}

err wiki_page_store_by_path(struct ctx *c, const char *path, bool *found, struct wiki_page *out)
{
    return row_one(c, &PAGE_ROW, found, out,
        "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.path = ? AND p.deleted_at IS NULL LIMIT 1",
                   IN(c->account_id), IN(path));
}

err wiki_page_store_by_alias(struct ctx *c, enum wiki_type type, const char *key, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    *id = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT node_id FROM page_name WHERE account_id = ? AND name_key = ? AND kind = 'alias' AND type = ? "
                        "ORDER BY created_at LIMIT 1",
                 IN(c->account_id), IN(key), IN(enumx_name(&wiki_type_enumx, (int)type))));
    return db_row(&q, c, &found, OUT(id));
}

err wiki_page_store_list(struct ctx *c, const struct wiki_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_ITEM,
        "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.type = ? AND p.deleted_at IS NULL AND p.id < ?",
               IN(c->account_id), IN(enumx_name(&wiki_type_enumx, (int)f->type)), IN(before));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    if (f->status >= 0)
        sql_add(&s, " AND p.status = ?", IN(enumx_name(&wiki_status_enumx, f->status)));
    else
        sql_add(&s, " AND p.status <> 'archived'");
    if (f->is_public >= 0)
        sql_add(&s, " AND p.is_public = ?", IN((int64_t)f->is_public));
    if (!uuid_is_nil(f->author_id))
        sql_add(&s, " AND n.author_id = ?", IN(f->author_id));
    if (f->category_slug)
        sql_add(&s, " AND p.category_slug = ?", IN(f->category_slug));
    if (f->query)
        sql_add(&s, " AND n.title COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, f->query)));
    sql_add(&s, " ORDER BY p.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &PAGE_ITEM, &s, f->limit, out);
}

static err wiki_page_read_slug(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((const char **)row));
}

err wiki_page_store_taken(struct ctx *c, enum wiki_type type, const char *slug, struct strs *out)
{
    struct sql s;
    void *rows;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT live_slug FROM page WHERE account_id = ? AND type = ? AND (live_slug = ? OR live_slug LIKE ?) LIMIT ?",
            IN(c->account_id), IN(enumx_name(&wiki_type_enumx, (int)type)), IN(slug),
            IN(like_prefix(c->arena, arena_printf(c->arena, "%s-", slug))), IN((int64_t)TAKEN_MAX));
    TRY(sql_rows(c, &s, TAKEN_MAX, sizeof(const char *), wiki_page_read_slug, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err wiki_page_store_items(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_ITEM, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.deleted_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "p.id", ids, n);
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY n.updated_at DESC, p.id");
    return row_all(c, &PAGE_ITEM, &s, n + 1, out);
}

err wiki_page_store_seen(struct ctx *c, const struct uuid *ids, size_t n, struct uuids spaces, bool is_public, struct list *out)
{
    struct sql s;

    *out = (struct list){0};
    if (!n)
        return ERR_OK;
    row_select(&s, c->arena, &PAGE_ITEM, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.deleted_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "p.id", ids, n);
    if (is_public)
        sql_add(&s, " AND p.status = 'published' AND p.is_public = 1");
    else
        sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    return row_all(c, &PAGE_ITEM, &s, n + 1, out);
}

err wiki_page_store_public(struct ctx *c, enum wiki_type type, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &PAGE_ITEM,
               "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.type = ? AND p.status = 'published' AND p.is_public = 1 AND "
               "p.deleted_at IS NULL ORDER BY p.published_at DESC LIMIT ?",
               IN(c->account_id), IN(enumx_name(&wiki_type_enumx, (int)type)), IN(limit));
    return row_all(c, &PAGE_ITEM, &s, (size_t)limit, out);
}

err wiki_page_store_has_category(struct ctx *c, const char *slug, bool *found)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM article_category WHERE account_id = ? AND slug = ?", IN(c->account_id), IN(slug)));
    return db_row(&q, c, found, OUT(&one));
}

err wiki_page_store_set_links(struct ctx *c, struct uuid id, int64_t version, int64_t ignored)
{
    return db_exec(c, NULL, "UPDATE page SET links_version = ?, ignored_links = ? WHERE account_id = ? AND id = ?", IN(version),
        IN(ignored),
                   IN(c->account_id), IN(id));
}

err wiki_space_store_id(struct ctx *c, const char *slug, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    *id = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT id FROM space WHERE account_id = ? AND kind = 'pages' AND slug = ? AND deleted_at IS NULL",
                 IN(c->account_id), IN(slug)));
    return db_row(&q, c, &found, OUT(id));
}

/* ---- names */

err wiki_name_store_replace(struct ctx *c, const struct wiki_page *p, const struct wiki_name *names, size_t n)
{
    struct sql s;

    TRY(db_exec(c, NULL, "DELETE FROM page_name WHERE account_id = ? AND node_id = ?", IN(c->account_id), IN(p->id)));
    if (!n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO page_name (account_id, node_id, kind, name_key, name, type, created_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?)", IN(c->account_id), IN(p->id), IN(names[i].kind), IN(names[i].key), IN(names[i].name),
                IN(enumx_name(&wiki_type_enumx, (int)p->type)), IN(p->created_at));
    }
    return sql_exec(c, NULL, &s);
}

err wiki_name_store_of(struct ctx *c, struct uuid id, struct wiki_name *names, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT kind, name_key, name FROM page_name WHERE account_id = ? AND node_id = ? LIMIT ?", IN(c->account_id),
        IN(id),
                 IN((int64_t)max)));
    for (*n = 0; *n < max; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&names[*n].kind), OUT(&names[*n].key), OUT(&names[*n].name)));
        if (!found)
            break;
    }
    return ERR_OK;
}

static err wiki_name_read_hit(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct name_hit *h = row;
    const char *type = NULL;
    int value = 0;

    TRY(db_row(q, c, found, OUT(&h->key), OUT(&h->kind), OUT(&h->name), OUT(&type), OUT(&h->node_id), OUT(&h->created_at)));
    if (*found && enumx_parse(&wiki_type_enumx, type, &value))
        h->type = (enum wiki_type)value;
    return ERR_OK;
}

err wiki_name_store_find(struct ctx *c, const struct strs *keys, struct name_hit **hits, size_t *n)
{
    struct sql s;
    void *rows = NULL;

    *n = 0;
    *hits = NULL;
    if (!keys->n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT name_key, kind, name, type, node_id, created_at FROM page_name WHERE account_id = ? AND name_key IN (''",
        IN(c->account_id));
    for (size_t i = 0; i < keys->n; i++)
        sql_add(&s, ", ?", IN(keys->v[i]));
    sql_add(&s, ")");
    TRY(sql_rows(c, &s, HITS_MAX, sizeof(struct name_hit), wiki_name_read_hit, &rows, n));
    *hits = rows;
    return ERR_OK;
}

/* ---- versions: the page itself, and its old states */

#define VERSION_COLUMNS "n.id, n.version, n.title, n.author_kind, n.author_id, n.updated_at"

static err wiki_version_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct wiki_version *v = row;

    return db_row(q, c, found, OUT(&v->id), OUT(&v->version), OUT(&v->title), OUT(&v->author_kind), OUT(&v->author_id),
        OUT(&v->updated_at));
}

err wiki_version_store_list(struct ctx *c, struct uuid id, int64_t before, int64_t limit, struct wiki_version **rows, size_t *n)
{
    struct sql s;
    void *found;

    sql_init(&s, c->arena);
    sql_add(&s, "WITH RECURSIVE chain (id, older, depth) AS (SELECT id, previous_id, 0 FROM node WHERE account_id = ? AND id = ? "
                "UNION ALL SELECT v.id, v.previous_id, chain.depth + 1 FROM chain JOIN node v ON v.account_id = ? AND v.id = chain.older "
                "WHERE chain.depth < 200) SELECT " VERSION_COLUMNS " FROM chain JOIN node n ON n.account_id = ? AND n.id = chain.id "
                "WHERE n.version < ? ORDER BY n.version DESC LIMIT ?",
            IN(c->account_id), IN(id), IN(c->account_id), IN(c->account_id), IN(before), IN(limit + 1));
    TRY(sql_rows(c, &s, (size_t)limit + 1, sizeof(struct wiki_version), wiki_version_read, &found, n));
    *rows = found;
    return ERR_OK;
}

err wiki_version_store_get(struct ctx *c, struct uuid id, int64_t version, bool *found, struct wiki_version *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "WITH RECURSIVE chain (id, older, depth) AS (SELECT id, previous_id, 0 FROM node WHERE account_id = ? AND id = ? "
                 "UNION ALL SELECT v.id, v.previous_id, chain.depth + 1 FROM chain JOIN node v ON v.account_id = ? AND v.id = chain.older "
                 "WHERE chain.depth < 200) SELECT " VERSION_COLUMNS ", n.body FROM chain JOIN node n ON n.account_id = ? AND n.id = "
                     "chain.id "
                 "WHERE n.version <= ? ORDER BY n.version DESC LIMIT 1",
                 IN(c->account_id), IN(id), IN(c->account_id), IN(c->account_id), IN(version)));
    return db_row(&q, c, found, OUT(&out->id), OUT(&out->version), OUT(&out->title), OUT(&out->author_kind), OUT(&out->author_id),
                  OUT(&out->updated_at), OUT(&out->content));
}
