/* What changes of a pool are asked: values, writes, cuts and merges by path; see pool_data.h. How they are done: pool_change.h. */
#include <math.h>
#include <string.h>

#include "db.h"
#include "node.h"
#include "pool_change.h"
#include "pool_entry_store.h"

ENUMX_DEFINE(pool_op, POOL_OP);

/* ---- what a path is now */

static err check_match(struct ctx *c, const struct pool_change *h, const struct pool_seen *seen)
{
    err e;

    if (h->if_version < 0 || h->if_version == seen->version)
        return ERR_OK;
    e = seen->exists ? fail(c, ERR_PRECONDITION, "version conflict at '%s': the current version is %lld, not %lld", h->path->key, (long long)seen->version,
                            (long long)h->if_version)
                     : fail(c, ERR_PRECONDITION, "there is no value at '%s' now", h->path->key);
    c->fault.current_version = seen->version;
    c->fault.current_value = seen->exists ? seen->value : json_new(c->arena, JSON_NULL);
    return e;
}

/* ---- values */

static err increased(struct ctx *c, const struct pool_seen *seen, double by, const struct json **out)
{
    bool is_int = !seen->exists || json_is(seen->value, JSON_INT);
    int64_t sum;

    if (seen->exists && !is_int && !json_is(seen->value, JSON_NUM))
        return fail_reason(c, ERR_CONFLICT, "not_a_number", "the current value is not a number");
    if (is_int && by == floor(by) && fabs(by) < 9e15 &&
        !__builtin_add_overflow(seen->exists ? seen->value->i : 0, (int64_t)by, &sum)) {
        *out = json_int(c->arena, sum);
        return ERR_OK;
    }
    *out = json_num(c->arena, (seen->exists ? json_number(seen->value) : 0) + by);
    return (*out)->type == JSON_NULL ? fail_reason(c, ERR_CONFLICT, "not_a_number", "the sum is too large") : ERR_OK;
}

static err appended(struct ctx *c, const struct pool_seen *seen, const struct pool_write *w, const struct json **out)
{
    struct json *list = json_arr(c->arena);
    size_t skip = 0, i = 0;

    if (seen->exists && !json_is(seen->value, JSON_ARR))
        return fail_reason(c, ERR_CONFLICT, "not_an_array", "the current value is not an array");
    if (seen->exists && w->max_len > 0 && seen->value->len + 1 > (size_t)w->max_len)
        skip = seen->value->len + 1 - (size_t)w->max_len;
    for (const struct json *m = seen->exists ? seen->value->first : NULL; m; m = m->next)
        if (i++ >= skip)
            json_push(list, arena_memdup(c->arena, m, sizeof *m));
    json_push(list, arena_memdup(c->arena, w->value, sizeof *w->value));
    *out = list;
    return ERR_OK;
}

static err new_value(struct ctx *c, const struct pool_seen *seen, const struct pool_write *w, const struct json **out)
{
    if (w->op == POOL_OP_INCREMENT)
        return increased(c, seen, w->by, out);
    if (w->op == POOL_OP_APPEND)
        return appended(c, seen, w, out);
    *out = w->value;
    return ERR_OK;
}

/* ---- edits */

static err pool_write_around(struct ctx *c, struct pool_change *h, struct strs names, struct strs roots, size_t room)
{
    struct pool_entry *rows;
    size_t n;

    TRY(pool_entry_store_around(c, h->space.id, names, roots, &rows, &n));
    pool_work_begin(&h->work, c->arena, rows, n, room);
    return ERR_OK;
}

static err around_path(struct ctx *c, struct pool_change *h)
{
    struct strs names = {ARENA_ARRAY(c->arena, const char *, POOL_SEGMENTS), h->path->n};
    struct strs roots = {ARENA_ARRAY(c->arena, const char *, 1), 1};

    for (size_t i = 0; i < h->path->n; i++)
        names.v[i] = pool_path_prefix(c->arena, h->path, i + 1);
    roots.v[0] = h->path->key;
    return pool_write_around(c, h, names, roots, 1);
}

/* A part with an end of its own becomes a key of its own: its neighbours do not end with it. */
static err make_part(struct ctx *c, struct pool_change *h)
{
    const struct pool_entry *row;
    size_t parts;
    const char *bad = pool_work_split(&h->work, h->path, &row, &parts);
    struct node n;

    if (bad)
        return fail_reason(c, ERR_CONFLICT, "not_a_key", "'%s' cannot have its own ttl: '%.40s' beside it is not a valid key",
                           h->path->key, bad);
    if (parts && h->row.key_count + (int64_t)parts > h->policy.max_entries)
        return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "'%s' cannot have its own ttl: with the %zu parts beside it the pool would "
                                                              "have %lld keys (limit: %lld)", h->path->key, parts, (long long)(h->row.key_count + (int64_t)parts),
                           (long long)h->policy.max_entries);
    if (!row)
        return ERR_OK;
    TRY(node_get(c, row->node_id, &n));
    for (size_t i = 0; i < parts; i++)
        h->work.made[i].e.is_pinned = n.is_pinned;
    return ERR_OK;
}

static err edit_put(struct ctx *c, struct pool_change *h)
{
    const struct pool_write *w = h->write;
    bool if_absent = w->if_absent < 0 ? pool_is_cache(h->row.pool_type) && w->if_version < 0 : w->if_absent;
    const struct json *value = NULL;
    struct pool_seen seen;

    if (!w->value && w->op != POOL_OP_INCREMENT)
        return fail_field(c, "/value", "value is required");
    TRY(around_path(c, h));
    pool_work_see(&h->work, h->path, &seen);
    TRY(check_match(c, h, &seen));
    if (if_absent && w->op == POOL_OP_SET && seen.exists) {
        h->idle = true;
        h->out = (struct pool_written){.key = h->path->key, .value = seen.value, .version = seen.version};
        return ERR_OK;
    }
    TRY(new_value(c, &seen, w, &value));
    if (seen.is_below && w->op != POOL_OP_SET)
        return fail_reason(c, ERR_CONFLICT, w->op == POOL_OP_APPEND ? "not_an_array" : "not_a_number", "there are keys below '%s'",
                           h->path->key);
    if (w->ttl_seconds)
        TRY(make_part(c, h));
    if (!pool_work_set(&h->work, h->path, value))
        return fail_reason(c, ERR_CONFLICT, "not_an_object", "something above '%s' is not an object", h->path->key);
    h->out = (struct pool_written){.key = h->path->key, .value = value, .written = true};
    return ERR_OK;
}

static err edit_cut(struct ctx *c, struct pool_change *h)
{
    struct pool_seen seen;

    TRY(around_path(c, h));
    pool_work_see(&h->work, h->path, &seen);
    TRY(check_match(c, h, &seen));
    h->idle = !pool_work_cut(&h->work, h->path);
    h->out = (struct pool_written){.key = h->path->key, .written = !h->idle, .version = h->row.version};
    return ERR_OK;
}

/* The paths of a merge: their prefixes, and where rows below them may be. */
struct leaves {
    struct strs names, roots;
    size_t n, max_names;
};

static err add_leaves(struct ctx *c, struct leaves *l, const struct pool_path *p, const struct json *value)
{
    if (p->n && p->n <= 2 && (p->n == 2 || !json_is(value, JSON_OBJ) || !value->first))
        l->roots.v[l->roots.n++] = p->key;
    if (p->n)
        l->names.v[l->names.n++] = p->key;
    if (p->n == POOL_SEGMENTS || !json_is(value, JSON_OBJ) || !value->first)
        return ++l->n > POOL_LEAVES ? fail_field(c, "/data", "data must have at most %d values", POOL_LEAVES) : ERR_OK;
    for (const struct json *m = value->first; m; m = m->next) {
        struct pool_path q = *p;

        q.segments[q.n++] = m->key;
        q.key = pool_path_prefix(c->arena, &q, q.n);
        TRY(add_leaves(c, l, &q, m));
    }
    return ERR_OK;
}

static err merge_into(struct ctx *c, struct pool_work *w, const struct json *data)
{
    struct pool_path root = {.key = ""};
    const char *bad = pool_work_merge(w, &root, data);

    return bad ? fail_field(c, "/data", "'%.40s' cannot be a segment of a key: 1 to %d bytes, no dot, no control characters, and the "
                            "whole key at most %d bytes", bad, POOL_SEGMENT, POOL_KEY) : ERR_OK;
}

static err count_leaves(struct ctx *c, const struct json *data, struct leaves *l)
{
    struct pool_path root = {.key = ""};

    l->names.v = ARENA_ARRAY(c->arena, const char *, POOL_LEAVES *POOL_SEGMENTS + POOL_SEGMENTS + 1);
    l->roots.v = ARENA_ARRAY(c->arena, const char *, POOL_LEAVES + 2);
    return add_leaves(c, l, &root, data);
}

static err edit_replace(struct ctx *c, struct pool_change *h)
{
    struct leaves l = {0};
    struct strs all = {ARENA_ARRAY(c->arena, const char *, 1), 1};
    struct pool_work whole;

    if (h->if_version >= 0 && h->if_version != h->row.version) {
        err e = fail(c, ERR_PRECONDITION, "version conflict: the current version of the pool is %lld, not %lld", (long long)h->row.version,
                     (long long)h->if_version);

        c->fault.current_version = h->row.version;
        return e;
    }
    TRY(count_leaves(c, h->merge, &l));
    pool_work_begin(&whole, c->arena, NULL, 0, POOL_LEAVES);
    TRY(merge_into(c, &whole, h->merge));
    for (l.names.n = 0; l.names.n < whole.n_made; l.names.n++)
        l.names.v[l.names.n] = whole.made[l.names.n].e.key;
    all.v[0] = "";
    TRY(pool_write_around(c, h, l.names, all, POOL_LEAVES));
    pool_work_replace(&h->work, &whole);
    h->out = (struct pool_written){.written = true, .version = h->row.version};
    return ERR_OK;
}

static err edit_merge(struct ctx *c, struct pool_change *h)
{
    struct leaves l = {0};

    TRY(count_leaves(c, h->merge, &l));
    TRY(pool_write_around(c, h, l.names, l.roots, POOL_LEAVES));
    TRY(merge_into(c, &h->work, h->merge));
    h->idle = !h->merge->first;
    h->out = (struct pool_written){.written = !h->idle, .version = h->row.version};
    return ERR_OK;
}

/* All rows are ones whose time is over: they go when the work begins. */
static err edit_tidy(struct ctx *c, struct pool_change *h)
{
    struct pool_entry *rows = ARENA_ARRAY(c->arena, struct pool_entry, (size_t)h->limit + 1);
    size_t n;

    TRY(pool_entry_store_expired(c, h->space.id, (size_t)h->limit, rows, &n));
    pool_work_begin(&h->work, c->arena, rows, n, 0);
    h->idle = n == 0;
    return ERR_OK;
}

/* ---- calls */

err pool_put(struct ctx *c, const char *ref, const struct pool_write *in, struct pool_written *out)
{
    struct pool_path path;
    struct pool_change h = {.ref = ref, .write = in, .path = &path, .if_version = in->if_version, .edit = edit_put};

    TRY(pool_path_parse(c, "/key", in->key, &path));
    return pool_change_run(c, &h, out);
}

err pool_cut(struct ctx *c, const char *ref, const char *key, int64_t if_version, struct pool_written *out)
{
    struct pool_path path;
    struct pool_change h = {.ref = ref, .path = &path, .if_version = if_version, .edit = edit_cut};

    TRY(pool_path_parse(c, "/key", key, &path));
    return pool_change_run(c, &h, out);
}

err pool_merge(struct ctx *c, const char *ref, const struct json *data, struct pool_written *out)
{
    struct pool_change h = {.ref = ref, .merge = data, .if_version = -1, .edit = edit_merge};

    return pool_change_run(c, &h, out);
}

err pool_replace(struct ctx *c, const char *ref, const struct json *data, int64_t if_version, struct pool_written *out)
{
    struct pool_change h = {.ref = ref, .merge = data, .if_version = if_version, .replaces = true, .edit = edit_replace};

    return pool_change_run(c, &h, out);
}

err pool_tidy(struct ctx *c, struct uuid pool, int64_t limit, int64_t *n)
{
    const char *ref = arena_strdup(c->arena, UUID_STR(pool));
    struct pool_change h = {.ref = ref, .limit = limit, .if_version = -1, .edit = edit_tidy};
    struct pool_written out;

    TRY(pool_change_run(c, &h, &out));
    *n = (int64_t)h.work.n;
    return ERR_OK;
}
