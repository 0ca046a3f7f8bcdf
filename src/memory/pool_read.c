/* Reading what is in a pool; see pool_data.h. */
#include <string.h>

#include "db.h"
#include "node.h"
#include "pool_data.h"
#include "pool_entry_store.h"
#include "pool_path.h"
#include "pool_store.h"
#include "tags.h"

/* ---- by path */

static void touch(struct ctx *c, const struct pool_entry *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);

    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].node_id;
    node_touch(c, ids, n);
}

static void of_one(const struct pool_entry *e, const struct json *value, struct pool_value *out)
{
    out->found = true;
    out->value = value;
    out->version = e->version;
    out->updated_at = e->updated_at;
    out->writer_kind = e->writer_kind;
    out->writer_id = e->writer_id;
    out->node_id = e->node_id;
}

/* The object that rows make which are below a path of `base` segments. */
static void of_many(struct ctx *c, const struct pool_entry *rows, size_t n, size_t base, struct pool_value *out)
{
    struct json *root = json_obj(c->arena);

    for (size_t i = 0; i < n; i++) {
        pool_path_graft(c->arena, root, base, rows[i].key, rows[i].value);
        out->version = rows[i].version > out->version ? rows[i].version : out->version;
        out->updated_at = rows[i].updated_at.us > out->updated_at.us ? rows[i].updated_at : out->updated_at;
    }
    out->found = true;
    out->value = root;
}

static err pool_read_check_size(struct ctx *c, const struct space *s, const char *root)
{
    int64_t bytes;

    TRY(pool_entry_store_size(c, s->id, root, &bytes));
    if (bytes > POOL_DOCUMENT)
        return fail(c, ERR_TOO_LARGE, "the document has %lld bytes, which is too large; read parts of it or list its entries",
                    (long long)bytes);
    return ERR_OK;
}

static err read_path(struct ctx *c, const struct space *s, const struct pool_path *p, bool peek, struct pool_value *out)
{
    struct strs names = {ARENA_ARRAY(c->arena, const char *, POOL_SEGMENTS), p->n};
    struct pool_entry *rows;
    const struct json *value;
    size_t n;

    for (size_t i = 0; i < p->n; i++)
        names.v[i] = pool_path_prefix(c->arena, p, i + 1);
    TRY(pool_read_check_size(c, s, p->key));
    TRY(pool_entry_store_read(c, s->id, names, p->key, &rows, &n));
    if (!n)
        return ERR_OK;
    if (!peek)
        touch(c, rows, n);
    if (strlen(rows[0].key) > strlen(p->key)) {
        of_many(c, rows, n, p->n, out);
        return ERR_OK;
    }
    value = pool_path_get(rows[0].value, p, pool_path_depth(rows[0].key));
    if (value)
        of_one(&rows[0], value, out);
    return ERR_OK;
}

static err pool_read_all(struct ctx *c, const struct space *s, bool peek, struct pool_value *out)
{
    struct pool_entry *rows;
    struct pool_row row = {0};
    bool found;
    size_t n;

    TRY(pool_store_get(c, s->id, &found, &row));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such pool");
    TRY(pool_read_check_size(c, s, ""));
    TRY(pool_entry_store_read(c, s->id, (struct strs){0}, "", &rows, &n));
    if (!peek)
        touch(c, rows, n);
    of_many(c, rows, n, 0, out);
    out->version = row.version;
    return ERR_OK;
}

/* Nobody has written to the default pool yet: reading makes nothing. */
static err pool_read_find(struct ctx *c, const char *ref, bool *empty, struct space *s)
{
    err e = pool_find(c, ref, s);

    *empty = e == ERR_NOT_FOUND && str_eq(ref, POOL_DEFAULT);
    if (!*empty)
        return e;
    ctx_forgive(c);
    return ERR_OK;
}

err pool_read(struct ctx *c, const char *ref, const char *key, bool peek, struct pool_value *out)
{
    struct pool_path p;
    struct space s;
    bool empty;

    *out = (struct pool_value){.success = true, .key = key, .value = json_new(c->arena, JSON_NULL)};
    if (key)
        TRY(pool_path_parse(c, "/key", key, &p));
    TRY(pool_read_find(c, ref, &empty, &s));
    if (empty)
        return ERR_OK;
    return key ? read_path(c, &s, &p, peek, out) : pool_read_all(c, &s, peek, out);
}

/* ---- lists */

/* A place in a list: behind the key of that node, or among what that version wrote. */
struct position {
    int64_t version;
    struct uuid node_id;
};

static err position_of(struct ctx *c, const struct space *s, const struct pool_entry_filter *f, int64_t *version, const char **key)
{
    struct position at;
    struct bytes raw;
    bool found;

    *version = f->newest_first ? INT64_MAX : f->since_version + 1;
    *key = "";
    if (str_empty(f->cursor))
        return ERR_OK;
    if (!b64url_decode(c->arena, f->cursor, &raw) || raw.n != sizeof at)
        return fail_field(c, "/cursor", "invalid cursor: send the next_cursor of the page before, unchanged");
    memcpy(&at, raw.p, sizeof at);
    *version = at.version;
    TRY(pool_entry_store_key_of(c, s->id, at.node_id, &found, key));
    if (!found && f->since_version < 0 && !f->newest_first)
        return fail_field(c, "/cursor", "the list has changed too much; start again without a cursor");
    return ERR_OK;
}

/* As tags are stored. */
static err fold_tag(struct ctx *c, struct pool_entry_filter *f)
{
    struct strs folded = {0};

    if (str_empty(f->tag))
        return ERR_OK;
    TRY(tags_clean(c, "/tag", (struct strs){&f->tag, 1}, &folded));
    f->tag = folded.v[0];
    return ERR_OK;
}

err pool_entries(struct ctx *c, const char *ref, const struct pool_entry_filter *filter, struct page *out)
{
    struct pool_entry_filter asked = *filter, *f = &asked;
    struct pool_entry *rows = NULL;
    struct position last;
    const char *key;
    struct space s;
    int64_t version;
    bool empty;
    size_t n = 0;

    *out = (struct page){0};
    TRY(pool_read_find(c, ref, &empty, &s));
    if (empty)
        return ERR_OK;
    TRY(fold_tag(c, f));
    TRY(position_of(c, &s, f, &version, &key));
    TRY(pool_entry_store_list(c, s.id, f, version, key, &rows, &n));
    for (size_t i = 0; i < n; i++)
        if (rows[i].deleted)
            rows[i].value = json_new(c->arena, JSON_NULL);
    *out = (struct page){.items = rows, .n = n};
    if ((int64_t)n <= f->limit)
        return ERR_OK;
    out->n = (size_t)f->limit;
    out->has_more = true;
    last = (struct position){rows[out->n - 1].version, rows[out->n - 1].node_id};
    out->next_cursor = b64url_encode(c->arena, &last, sizeof last);
    return ERR_OK;
}

/* ---- figures */

static double fill_of(const struct pool_statistics *s)
{
    double keys = (double)s->total_keys / (double)s->max_entries;
    double bytes = (double)s->data_size_bytes / (double)s->max_size_bytes;

    return keys > bytes ? keys : bytes;
}

err pool_statistics(struct ctx *c, const char *ref, struct pool_statistics *out)
{
    struct pool_statistics s = {.last_access_ago = -1};
    struct pool_writer *writers = ARENA_ARRAY(c->arena, struct pool_writer, POOL_WRITERS);
    struct pool_row row = {0};
    struct pool_policy policy;
    struct space space;
    bool found;

    TRY(pool_find(c, ref, &space));
    TRY(pool_store_get(c, space.id, &found, &row));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such pool");
    TRY(pool_policy_read(c, row.retention_policy, &policy));
    TRY(pool_entry_store_statistics(c, space.id, &s));
    TRY(pool_entry_store_writers(c, space.id, writers, POOL_WRITERS, &s.writers.n));
    s.writers.v = writers;
    s.total_keys = row.key_count;
    s.data_size_bytes = row.data_size_bytes;
    s.max_size_bytes = policy.max_size_bytes;
    s.max_entries = policy.max_entries;
    s.fill = fill_of(&s);
    s.version = row.version;
    s.access_count += row.access_count;
    s.write_count = row.write_count;
    s.evicted_count = row.evicted_count;
    s.expired_count = row.expired_count;
    s.age_seconds = (c->now.us - space.created_at.us) / SECOND_US;
    if (s.last_accessed_at.us)
        s.last_access_ago = (c->now.us - s.last_accessed_at.us) / SECOND_US;
    *out = s;
    return ERR_OK;
}
