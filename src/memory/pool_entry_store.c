/* SQL of the keys of pools. */
#include "pool_entry_store.h"

#include <string.h>

#include "db.h"
#include "pool_path.h"

#define HEAD "e.entry_key, e.node_id, "
#define TAIL \
    ", e.size, e.version, e.writer_kind, e.writer_id, e.created_at, e.updated_at, e.expires_at, e.deleted_at, " \
    "e.deleted_at IS NOT NULL OR COALESCE(e.expires_at <= ?, 0)"
#define COLUMNS HEAD "e.value" TAIL
#define OF_POOL " FROM pool_entry e WHERE e.account_id = ? AND e.space_id = ?"
#define LIVE " AND e.deleted_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > ?)"

static err pool_entry_store_parsed(struct ctx *c, const char *text, const struct pool_entry *e, const struct json **out)
{
    struct json *j = NULL;
    const char *why;

    if (text && json_parse(c->arena, text, strlen(text), &j, &why) != JSON_OK)
        return fail(c, ERR_INTERNAL, "the value of a pool's key (node %s) cannot be read: %s", UUID_STR(e->node_id), why);
    *out = j;
    return ERR_OK;
}

static err pool_entry_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct pool_entry *e)
{
    const char *value = NULL;

    TRY(db_row(q, c, found, OUT(&e->key), OUT(&e->node_id), OUT_OPT(&value), OUT(&e->size), OUT(&e->version),
               OUT(&e->writer_kind), OUT(&e->writer_id), OUT(&e->created_at), OUT(&e->updated_at), OUT_OPT(&e->expires_at),
               OUT_OPT(&e->deleted_at), OUT(&e->deleted)));
    return *found ? pool_entry_store_parsed(c, value, e, &e->value) : ERR_OK;
}

/* Rows of a statement of unknown length. */
static err pool_entry_store_read_all(struct ctx *c, struct sql *s, struct pool_entry **rows, size_t *n)
{
    size_t cap = 16, k = 0;
    struct pool_entry *out = ARENA_ARRAY(c->arena, struct pool_entry, cap);
    scoped_cursor q = {0};
    bool found;

    TRY(sql_query(c, &q, s));
    for (;; k++) {
        if (k == cap) {
            struct pool_entry *more = ARENA_ARRAY(c->arena, struct pool_entry, cap * 4);

            memcpy(more, out, k * sizeof *out);
            out = more;
            cap *= 4;
        }
        TRY(pool_entry_store_read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

/* Filled up to a power of two with the last one, so that few statements are prepared; n == 0: none. */
static void pool_entry_store_add_names(struct sql *s, struct strs names)
{
    size_t room = 1;

    while (room < names.n)
        room *= 2;
    sql_add(s, "e.entry_key IN (");
    for (size_t i = 0; names.n && i < room; i++) {
        if (i)
            sql_add(s, ",");
        sql_add(s, "?", IN(names.v[i < names.n ? i : names.n - 1]));
    }
    if (!names.n)
        sql_add(s, "NULL");
    sql_add(s, ")");
}

static void add_below(struct sql *s, const char *root)
{
    sql_add(s, "(e.entry_key > ? AND e.entry_key < ?)", IN(pool_path_from(s->arena, root)), IN(pool_path_to(s->arena, root)));
}

/* ---- for changes */

err pool_entry_store_around(struct ctx *c, struct uuid pool, struct strs names, struct strs roots, struct pool_entry **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " HEAD "CASE WHEN ");
    pool_entry_store_add_names(&s, names);
    sql_add(&s, " THEN e.value END" TAIL OF_POOL " AND e.deleted_at IS NULL AND (", IN(c->now), IN(c->account_id), IN(pool));
    pool_entry_store_add_names(&s, names);
    for (size_t i = 0; i < roots.n; i++) {
        sql_add(&s, " OR ");
        if (*roots.v[i])
            add_below(&s, roots.v[i]);
        else
            sql_add(&s, "1");
    }
    sql_add(&s, ") ORDER BY e.entry_key");
    return pool_entry_store_read_all(c, &s, rows, n);
}

#define PUT \
    "INSERT INTO pool_entry (account_id, space_id, entry_key, node_id, value, size, version, writer_kind, writer_id, created_at, " \
    "updated_at, expires_at) VALUES "
#define PUT_AGAIN \
    " ON DUPLICATE KEY UPDATE node_id = VALUE(node_id), value = VALUE(value), size = VALUE(size), version = VALUE(version), " \
    "writer_kind = VALUE(writer_kind), writer_id = VALUE(writer_id), created_at = VALUE(created_at), " \
    "updated_at = VALUE(updated_at), expires_at = VALUE(expires_at), deleted_at = NULL"

err pool_entry_store_put(struct ctx *c, struct uuid pool, const struct pool_entry *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, PUT);
    for (size_t i = 0; i < n; i++) {
        const struct pool_entry *e = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(pool), IN(e->key), IN(e->node_id),
                IN(json_text(c->arena, e->value)), IN(e->size), IN(e->version), IN(e->writer_kind), IN(e->writer_id),
                IN(e->created_at), IN(e->updated_at), IN_OPT(e->expires_at));
    }
    sql_add(&s, PUT_AGAIN);
    return sql_exec(c, NULL, &s);
}

err pool_entry_store_bury(struct ctx *c, struct uuid pool, const struct uuid *nodes, size_t n, int64_t version)
{
    const char *kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE pool_entry SET value = 'null', size = 0, version = ?, writer_kind = ?, writer_id = ?, updated_at = ?, "
                "expires_at = NULL, deleted_at = ? WHERE account_id = ? AND space_id = ?",
            IN(version), IN(kind), IN(c->who->id), IN(c->now), IN(c->now), IN(c->account_id), IN(pool));
    sql_add_in_uuids(&s, "node_id", nodes, n);
    return sql_exec(c, NULL, &s);
}

err pool_entry_store_uses(struct ctx *c, const struct uuid *nodes, size_t n, int64_t *uses)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT CAST(COALESCE(SUM(access_count), 0) AS INTEGER) FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", nodes, n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(uses));
}

err pool_entry_store_expired(struct ctx *c, struct uuid pool, size_t max, struct pool_entry *rows, size_t *n)
{
    struct pool_entry *all;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " HEAD "NULL" TAIL OF_POOL " AND e.deleted_at IS NULL AND e.expires_at <= ? LIMIT ?", IN(c->now),
            IN(c->account_id), IN(pool), IN(c->now), IN((int64_t)max));
    TRY(pool_entry_store_read_all(c, &s, &all, n));
    memcpy(rows, all, *n * sizeof *rows);
    return ERR_OK;
}

/* A key is as recent as its last use or write. */
#define LAST_USE "GREATEST(COALESCE(n.last_access_at, e.updated_at), e.updated_at)"
/* max(floor, importance · e^(−rate · days)), as lifecycle_now has it; the floor of the kind is so low that the order is kept. */
#define IMPORTANCE_NOW \
    "IF(n.is_pinned, n.importance, n.importance * EXP(-n.decay_rate * GREATEST(TIMESTAMPDIFF(SECOND, n.decayed_at, ?), 0) / 86400))"

static void add_order(struct ctx *c, struct sql *s, enum pool_eviction by)
{
    if (by == POOL_EVICT_LFU)
        sql_add(s, " ORDER BY n.access_count, " LAST_USE ", e.version");
    else if (by == POOL_EVICT_OLDEST)
        sql_add(s, " ORDER BY e.created_at, e.version");
    else if (by == POOL_EVICT_IMPORTANCE)
        sql_add(s, " ORDER BY " IMPORTANCE_NOW ", " LAST_USE ", e.version", IN(c->now));
    else
        sql_add(s, " ORDER BY " LAST_USE ", e.version");
}

err pool_entry_store_victims(struct ctx *c, struct uuid pool, enum pool_eviction by, int64_t version, size_t max,
                             struct pool_entry *rows, size_t *n)
{
    struct instant young = {c->now.us - 60 * SECOND_US};
    struct pool_entry *all;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " HEAD "CAST(n.access_count AS CHAR)" TAIL " FROM pool_entry e JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id "
                "WHERE e.account_id = ? AND e.space_id = ? AND e.deleted_at IS NULL AND e.version < ? AND n.is_pinned = 0 "
                "AND NOT ((e.entry_key = ? OR (e.entry_key > ? AND e.entry_key < ?)) AND e.updated_at > ?)",
            IN(c->now), IN(c->account_id), IN(pool), IN(version), IN(POOL_BULLETINS),
            IN(pool_path_from(c->arena, POOL_BULLETINS)), IN(pool_path_to(c->arena, POOL_BULLETINS)), IN(young));
    add_order(c, &s, by);
    sql_add(&s, " LIMIT ?", IN((int64_t)max));
    TRY(pool_entry_store_read_all(c, &s, &all, n));
    memcpy(rows, all, *n * sizeof *rows);
    return ERR_OK;
}

/* ---- for reads */

err pool_entry_store_read(struct ctx *c, struct uuid pool, struct strs names, const char *root, struct pool_entry **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS OF_POOL LIVE, IN(c->now), IN(c->account_id), IN(pool), IN(c->now));
    if (!root || *root) {
        sql_add(&s, " AND (");
        pool_entry_store_add_names(&s, names);
        if (root) {
            sql_add(&s, " OR ");
            add_below(&s, root);
        }
        sql_add(&s, ")");
    }
    sql_add(&s, " ORDER BY e.entry_key");
    return pool_entry_store_read_all(c, &s, rows, n);
}

err pool_entry_store_size(struct ctx *c, struct uuid pool, const char *root, int64_t *bytes)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT CAST(COALESCE(SUM(e.size), 0) AS INTEGER)" OF_POOL LIVE, IN(c->account_id), IN(pool), IN(c->now));
    if (*root) {
        sql_add(&s, " AND ");
        add_below(&s, root);
    }
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(bytes));
}

#define BEHIND_ALL "\xf4\x8f\xbf\xbf" /* the last code point */

err pool_entry_store_list(struct ctx *c, struct uuid pool, const struct pool_entry_filter *f, int64_t after_version,
                          const char *after_key, struct pool_entry **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS OF_POOL, IN(c->now), IN(c->account_id), IN(pool));
    if (!str_empty(f->prefix))
        sql_add(&s, " AND e.entry_key >= ? AND e.entry_key < ?", IN(f->prefix),
                IN(arena_printf(c->arena, "%s" BEHIND_ALL, f->prefix)));
    if (!str_empty(f->tag))
        sql_add(&s, " AND EXISTS (SELECT 1 FROM node n WHERE n.account_id = e.account_id AND n.id = e.node_id AND n.forgotten_at IS NULL"
                    " AND JSON_CONTAINS(n.attrs, ?, '$.tags'))", IN(json_text(c->arena, json_str(c->arena, f->tag))));
    if (f->newest_first)
        sql_add(&s, " AND e.version <= ? AND (e.version < ? OR e.entry_key < ?) ORDER BY e.version DESC, e.entry_key DESC LIMIT ?",
                IN(after_version), IN(after_version), IN(*after_key ? after_key : BEHIND_ALL), IN(f->limit + 1));
    else if (f->since_version >= 0)
        sql_add(&s, " AND e.version >= ? AND (e.version > ? OR e.entry_key > ?) ORDER BY e.version, e.entry_key LIMIT ?",
                IN(after_version), IN(after_version), IN(after_key), IN(f->limit + 1));
    else
        sql_add(&s, LIVE " AND e.entry_key > ? ORDER BY e.entry_key LIMIT ?", IN(c->now), IN(after_key), IN(f->limit + 1));
    return pool_entry_store_read_all(c, &s, rows, n);
}

err pool_entry_store_key_of(struct ctx *c, struct uuid pool, struct uuid node, bool *found, const char **key)
{
    scoped_cursor q = {0};
    const char *there = "";

    TRY(db_query(c, &q, "SELECT entry_key FROM pool_entry WHERE account_id = ? AND space_id = ? AND node_id = ?",
                 IN(c->account_id), IN(pool), IN(node)));
    TRY(db_row(&q, c, found, OUT(&there)));
    *key = *found ? there : "";
    return ERR_OK;
}

err pool_entry_store_of_nodes(struct ctx *c, const struct uuid *nodes, size_t n, struct pool_entry **rows,
                              size_t *found)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM pool_entry e WHERE e.account_id = ?" LIVE, IN(c->now), IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "e.node_id", nodes, n);
    return pool_entry_store_read_all(c, &s, rows, found);
}

/* ---- figures */

err pool_entry_store_statistics(struct ctx *c, struct uuid pool, struct pool_statistics *out)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q,
                 "SELECT COUNT(*), CAST(COALESCE(SUM(n.access_count), 0) AS INTEGER), MAX(n.last_access_at) FROM pool_entry e "
                 "JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id WHERE e.account_id = ? AND e.space_id = ?" LIVE,
                 IN(c->account_id), IN(pool), IN(c->now)));
    return db_row(&q, c, &found, OUT(&out->entry_count), OUT(&out->access_count), OUT_OPT(&out->last_accessed_at));
}

err pool_entry_store_writers(struct ctx *c, struct uuid pool, struct pool_writer *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q, "SELECT e.writer_kind, e.writer_id, COUNT(*)" OF_POOL LIVE
                        " GROUP BY e.writer_kind, e.writer_id ORDER BY COUNT(*) DESC, e.writer_id LIMIT ?",
                 IN(c->account_id), IN(pool), IN(c->now), IN((int64_t)max)));
    for (bool found; k < max; k++) {
        TRY(db_row(&q, c, &found, OUT(&rows[k].kind), OUT(&rows[k].id), OUT(&rows[k].keys)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}
