/* Changes of what is in a pool: under its lock, checked, counted, bounded, and told; see pool_data.h. */
#include <math.h>
#include <string.h>

#include "app.h"
#include "audit.h"
#include "db.h"
#include "limit.h"
#include "node_many.h"
#include "pool_data.h"
#include "pool_entry_store.h"
#include "pool_store.h"
#include "pool_work.h"

ENUMX_DEFINE(pool_op, POOL_OP);

#define EVICT_AT_ONCE   200
#define EXPIRE_AT_ONCE  1000
#define BURY_AT_ONCE    5000         /* rows of one statement */
#define CACHE_TTL       3600         /* seconds that a key of a cache lives, unless somebody says otherwise */

struct change {
    const char *ref;
    const struct pool_write *write;      /* what is asked: one of the four */
    const struct json *merge;
    int64_t limit;                       /* of a tidying up */
    const struct pool_path *path;        /* of a write or a cut */
    int64_t if_version, ttl_seconds;
    err (*edit)(struct ctx *c, struct change *h);
    bool idle;                           /* there is nothing to do */
    struct space space;
    struct pool_row row;
    struct pool_policy policy;
    struct pool_work work;
    struct json *evicted;                /* keys */
    struct pool_written out;
};

/* ---- what a path is now */

static err check_match(struct ctx *c, const struct change *h, const struct pool_seen *seen)
{
    err e;

    if (h->if_version < 0 || h->if_version == seen->version)
        return ERR_OK;
    e = seen->exists ? fail(c, ERR_PRECONDITION, "'%s' has version %lld now, not %lld", h->path->key, (long long)seen->version,
                            (long long)h->if_version)
                     : fail(c, ERR_PRECONDITION, "there is nothing at '%s' now", h->path->key);
    c->fault.current_version = seen->version;
    c->fault.current_value = seen->exists ? seen->value : json_new(c->arena, JSON_NULL);
    return e;
}

/* ---- values */

static int depth_of(const struct json *j)
{
    int deepest = 0;

    for (const struct json *m = j->first; m; m = m->next) {
        int d = depth_of(m);

        deepest = d > deepest ? d : deepest;
    }
    return deepest + 1;
}

static err increased(struct ctx *c, const struct pool_seen *seen, double by, const struct json **out)
{
    bool is_int = !seen->exists || json_is(seen->value, JSON_INT);
    int64_t sum;

    if (seen->exists && !is_int && !json_is(seen->value, JSON_NUM))
        return fail_reason(c, ERR_CONFLICT, "not_a_number", "what is there is not a number");
    if (is_int && by == floor(by) && fabs(by) < 9e15 &&
        !__builtin_add_overflow(seen->exists ? seen->value->i : 0, (int64_t)by, &sum)) {
        *out = json_int(c->arena, sum);
        return ERR_OK;
    }
    *out = json_num(c->arena, (seen->exists ? seen->value->d : 0) + by);
    return (*out)->type == JSON_NULL ? fail_reason(c, ERR_CONFLICT, "not_a_number", "the sum is too large") : ERR_OK;
}

static err appended(struct ctx *c, const struct pool_seen *seen, const struct pool_write *w, const struct json **out)
{
    struct json *list = json_arr(c->arena);
    size_t skip = 0, i = 0;

    if (seen->exists && !json_is(seen->value, JSON_ARR))
        return fail_reason(c, ERR_CONFLICT, "not_an_array", "what is there is not an array");
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

static bool is_cache(enum pool_type t)
{
    return t == POOL_TOOL_CACHE || t == POOL_RESULT_CACHE;
}

static err around(struct ctx *c, struct change *h, struct strs names, struct strs roots, size_t room)
{
    struct pool_entry *rows;
    size_t n;

    TRY(pool_entry_store_around(c, h->space.id, names, roots, &rows, &n));
    pool_work_begin(&h->work, c->arena, rows, n, room);
    return ERR_OK;
}

static err around_path(struct ctx *c, struct change *h)
{
    struct strs names = { ARENA_ARRAY(c->arena, const char *, POOL_SEGMENTS), h->path->n };
    struct strs roots = { ARENA_ARRAY(c->arena, const char *, 1), 1 };

    for (size_t i = 0; i < h->path->n; i++)
        names.v[i] = pool_path_prefix(c->arena, h->path, i + 1);
    roots.v[0] = h->path->key;
    return around(c, h, names, roots, 1);
}

static err edit_put(struct ctx *c, struct change *h)
{
    const struct pool_write *w = h->write;
    bool if_absent = w->if_absent < 0 ? is_cache(h->row.pool_type) && w->if_version < 0 : w->if_absent;
    const struct json *value = NULL;
    struct pool_seen seen;

    if (!w->value && w->op != POOL_OP_INCREMENT)
        return fail_field(c, "/value", "value is required");
    TRY(around_path(c, h));
    pool_work_see(&h->work, h->path, &seen);
    TRY(check_match(c, h, &seen));
    if (if_absent && w->op == POOL_OP_SET && seen.exists) {
        h->idle = true;
        h->out = (struct pool_written){ .key = h->path->key, .value = seen.value, .version = seen.version };
        return ERR_OK;
    }
    TRY(new_value(c, &seen, w, &value));
    if (seen.is_below && w->op != POOL_OP_SET)
        return fail_reason(c, ERR_CONFLICT, w->op == POOL_OP_APPEND ? "not_an_array" : "not_a_number", "there are keys below '%s'",
                           h->path->key);
    if (!pool_work_set(&h->work, h->path, value))
        return fail_reason(c, ERR_CONFLICT, "not_an_object", "something above '%s' is not an object", h->path->key);
    h->out = (struct pool_written){ .key = h->path->key, .value = value, .written = true };
    return ERR_OK;
}

static err edit_cut(struct ctx *c, struct change *h)
{
    struct pool_seen seen;

    TRY(around_path(c, h));
    pool_work_see(&h->work, h->path, &seen);
    TRY(check_match(c, h, &seen));
    h->idle = !pool_work_cut(&h->work, h->path);
    h->out = (struct pool_written){ .key = h->path->key, .written = !h->idle, .version = h->row.version };
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

static err edit_merge(struct ctx *c, struct change *h)
{
    struct pool_path root = { .key = "" };
    struct leaves l = { 0 };
    const char *bad;

    l.names.v = ARENA_ARRAY(c->arena, const char *, POOL_LEAVES * POOL_SEGMENTS + POOL_SEGMENTS + 1);
    l.roots.v = ARENA_ARRAY(c->arena, const char *, POOL_LEAVES + 2);
    TRY(add_leaves(c, &l, &root, h->merge));
    TRY(around(c, h, l.names, l.roots, POOL_LEAVES));
    bad = pool_work_merge(&h->work, &root, h->merge);
    if (bad)
        return fail_field(c, "/data", "'%.40s' cannot be a segment of a key: 1 to %d bytes, no dot, no control characters, and the "
                          "whole key at most %d bytes", bad, POOL_SEGMENT, POOL_KEY);
    h->idle = !h->merge->first;
    h->out = (struct pool_written){ .written = !h->idle, .version = h->row.version };
    return ERR_OK;
}

/* All rows are ones whose time is over: they go when the work begins. */
static err edit_tidy(struct ctx *c, struct change *h)
{
    struct pool_entry *rows = ARENA_ARRAY(c->arena, struct pool_entry, (size_t)h->limit + 1);
    size_t n;

    TRY(pool_entry_store_expired(c, h->space.id, (size_t)h->limit, rows, &n));
    pool_work_begin(&h->work, c->arena, rows, n, 0);
    h->idle = n == 0;
    return ERR_OK;
}

/* ---- writing it down */

/* Numbers, switches and labels have no meaning of their own: words find them. */
#define WORDS_OF_VECTOR 3

static bool wants_vector(const struct json *value, const char *text)
{
    size_t words = 0;
    bool inside = false;

    if (value->type != JSON_STR && value->type != JSON_OBJ && value->type != JSON_ARR)
        return false;
    for (const char *p = text; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (unsigned char)*p >= 0x80;

        words += letter && !inside;
        inside = letter;
    }
    return words >= WORDS_OF_VECTOR;
}

static struct node_new node_of(struct ctx *c, const struct change *h, const struct pool_entry *e)
{
    const char *text = json_is(e->value, JSON_STR) ? e->value->s : json_text(c->arena, e->value);
    struct json *attrs = json_obj(c->arena);

    if (!wants_vector(e->value, text))
        json_set_bool(c->arena, attrs, "no_vector", true);
    return (struct node_new){ NODE_NEW_DEFAULTS, .id = e->node_id, .space_id = h->space.id, .kind = "pool_entry", .attrs = attrs,
                              .title = arena_strndup(c->arena, e->key, str_first_bytes(e->key, LIMIT_TITLE)),
                              .body = arena_printf(c->arena, "%s: %s", e->key, text),
                              .source_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .expires_at = e->expires_at };
}

static err fill_row(struct ctx *c, const struct change *h, struct pool_entry *e)
{
    size_t bytes = strlen(json_text(c->arena, e->value));

    if (bytes > POOL_VALUE)
        return fail_field(c, h->merge ? "/data" : "/value", "the value of '%s' is %zu bytes of JSON now; at most %d can be kept under one key",
                          e->key, bytes, POOL_VALUE);
    if (depth_of(e->value) > JSON_DEPTH_MAX)
        return fail_field(c, h->merge ? "/data" : "/value", "the value of '%s' is nested too deep", e->key);
    if (uuid_is_nil(e->node_id)) {
        e->node_id = uuid_new(c->now.us);
        e->created_at = c->now;
    }
    e->size = (int64_t)(strlen(e->key) + bytes);
    e->version = h->row.version;
    e->writer_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    e->writer_id = c->who->id;
    e->updated_at = c->now;
    e->expires_at = (struct instant){ h->ttl_seconds ? c->now.us + h->ttl_seconds * SECOND_US : 0 };
    return ERR_OK;
}

/* Their names stay a day, as tombstones; what they were used for is not forgotten in the figures. */
static err bury(struct ctx *c, struct change *h, const struct pool_entry *rows, size_t n)
{
    struct uuid *nodes = ARENA_ARRAY(c->arena, struct uuid, BURY_AT_ONCE);
    int64_t uses;

    for (size_t i = 0, k; i < n; i += k) {
        for (k = 0; k < BURY_AT_ONCE && i + k < n; k++) {
            nodes[k] = rows[i + k].node_id;
            h->row.key_count--;
            h->row.data_size_bytes -= rows[i + k].size;
            h->row.expired_count += rows[i + k].deleted;
        }
        TRY(pool_entry_store_uses(c, nodes, k, &uses));
        h->row.access_count += uses;
        TRY(pool_entry_store_bury(c, h->space.id, nodes, k, h->row.version));
        TRY(node_drop_many(c, h->space.id, nodes, k));
    }
    return ERR_OK;
}

struct news {
    struct pool_entry *puts, *drops;
    size_t n_puts, n_drops;
    int64_t bytes_before;            /* of the puts that were there */
    int64_t were_there;
};

static err gather(struct ctx *c, struct change *h, struct news *w)
{
    struct pool_work *k = &h->work;

    w->puts = ARENA_ARRAY(c->arena, struct pool_entry, k->n + k->n_made + 1);
    w->drops = ARENA_ARRAY(c->arena, struct pool_entry, k->n + 1);
    for (size_t i = 0; i < k->n; i++) {
        if (k->rows[i].fate == POOL_DROPPED)
            w->drops[w->n_drops++] = k->rows[i].e;
        if (k->rows[i].fate != POOL_PUT)
            continue;
        w->were_there++;
        w->bytes_before += k->rows[i].e.size;
        w->puts[w->n_puts++] = k->rows[i].e;
    }
    for (size_t i = 0; i < k->n_made; i++)
        if (k->made[i].fate == POOL_PUT)
            w->puts[w->n_puts++] = k->made[i].e;
    for (size_t i = 0; i < w->n_puts; i++)
        TRY(fill_row(c, h, &w->puts[i]));
    return ERR_OK;
}

static err write_puts(struct ctx *c, struct change *h, const struct news *w)
{
    struct node_new *nodes = ARENA_ARRAY(c->arena, struct node_new, w->n_puts + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->n_puts + 1);
    size_t n = 0;

    for (size_t i = 0; i < w->n_puts; i++) {
        nodes[i] = node_of(c, h, &w->puts[i]);
        ids[n] = nodes[i].id;
        n += !nodes[i].attrs->first;
        h->row.data_size_bytes += w->puts[i].size;
    }
    h->row.data_size_bytes -= w->bytes_before;
    h->row.key_count += (int64_t)w->n_puts - w->were_there;
    if (!w->n_puts)
        return ERR_OK;
    TRY(node_put_many(c, nodes, w->n_puts));
    if (n && c->app->embed_later)
        TRY(c->app->embed_later(c, ids, n));
    return pool_entry_store_put(c, h->space.id, w->puts, w->n_puts);
}

/* ---- limits */

static bool is_over(const struct change *h)
{
    return h->row.key_count > h->policy.max_entries || h->row.data_size_bytes > h->policy.max_size_bytes;
}

static err make_room(struct ctx *c, struct change *h)
{
    struct pool_entry *rows = ARENA_ARRAY(c->arena, struct pool_entry, EXPIRE_AT_ONCE);
    int64_t keys, bytes;
    size_t n, k = 0;

    TRY(pool_entry_store_expired(c, h->space.id, EXPIRE_AT_ONCE, rows, &n));
    TRY(bury(c, h, rows, n));
    if (!is_over(h) || h->policy.eviction == POOL_EVICT_REJECT)
        return ERR_OK;
    TRY(pool_entry_store_victims(c, h->space.id, h->policy.eviction, h->row.version, EVICT_AT_ONCE, rows, &n));
    keys = h->row.key_count - h->policy.max_entries;
    bytes = h->row.data_size_bytes - h->policy.max_size_bytes;
    for (; k < n && (keys > 0 || bytes > 0); k++, keys--) {
        bytes -= rows[k].size;
        json_push(h->evicted, json_str(c->arena, rows[k].key));
    }
    h->row.evicted_count += (int64_t)k;
    return bury(c, h, rows, k);
}

static err keep_limits(struct ctx *c, struct change *h)
{
    if (!is_over(h))
        return ERR_OK;
    TRY(make_room(c, h));
    if (!is_over(h))
        return ERR_OK;
    return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "the pool would hold %lld keys and %lld bytes; it is to hold at most %lld and %lld",
                       (long long)h->row.key_count, (long long)h->row.data_size_bytes, (long long)h->policy.max_entries,
                       (long long)h->policy.max_size_bytes);
}

/* ---- news */

static struct audit key_written(struct ctx *c, const struct change *h, const char *key, bool deleted)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "pool_id", h->space.slug);
    json_set_str(c->arena, said, "key", key);
    json_set_int(c->arena, said, "version", h->row.version);
    json_set_str(c->arena, said, "writer_agent_id",
                 c->who->kind == PRINCIPAL_AGENT ? arena_strdup(c->arena, UUID_STR(c->who->id)) : NULL);
    json_set_bool(c->arena, said, "is_bulletin", str_starts(key, POOL_BULLETIN));
    json_set_bool(c->arena, said, "deleted", deleted);
    json_set_str(c->arena, said, "timestamp", arena_strdup(c->arena, instant_text(c->now, (char[INSTANT_TEXT]){ 0 })));
    return (struct audit){ .kind = "memory_pool_key_write", .subject_kind = "pool", .subject_id = h->space.id,
                           .space_id = h->space.id, .payload = said, .is_news = true };
}

static err tell(struct ctx *c, const struct change *h, const struct news *w)
{
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, w->n_puts + 1);
    size_t n = 0;

    if (h->path)
        events[n++] = key_written(c, h, h->path->key, !h->write);
    else
        for (; n < w->n_puts; n++)
            events[n] = key_written(c, h, w->puts[n].key, false);
    TRY(audit_add_many(c, events, n));
    return pool_tell_update(c, &h->space, &h->row, h->evicted);
}

/* ---- the transaction */

static int64_t ttl_of(const struct change *h)
{
    if (h->write && h->write->ttl_seconds)
        return h->write->ttl_seconds;
    if (h->policy.ttl_seconds)
        return h->policy.ttl_seconds;
    return is_cache(h->row.pool_type) ? CACHE_TTL : 0;
}

static err lock(struct ctx *c, struct change *h)
{
    bool found;

    TRY(pool_find_to_write(c, h->ref, &h->space));
    h->row = (struct pool_row){ 0 };
    TRY(pool_store_lock(c, h->space.id, &found, &h->row));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such pool");
    TRY(pool_policy_read(c, h->row.retention_policy, &h->policy));
    h->ttl_seconds = ttl_of(h);
    return ERR_OK;
}

static err write_down(struct ctx *c, struct change *h)
{
    struct news w = { 0 };

    h->row.version++;
    if (!h->limit) {
        h->row.write_count++;
        h->row.last_write_at = c->now;
    }
    TRY(gather(c, h, &w));
    TRY(bury(c, h, w.drops, w.n_drops));
    TRY(write_puts(c, h, &w));
    TRY(keep_limits(c, h));
    TRY(pool_store_update(c, &h->row));
    TRY(tell(c, h, &w));
    h->out.version = h->row.version;
    h->out.updated_at = c->now;
    if (w.n_puts == 1)
        h->out.node_id = w.puts[0].node_id;
    h->out.expires_at = (struct instant){ h->ttl_seconds && w.n_puts ? c->now.us + h->ttl_seconds * SECOND_US : 0 };
    return ERR_OK;
}

static err change_body(struct ctx *c, void *arg)
{
    struct change *h = arg;

    h->idle = false;
    h->evicted = json_arr(c->arena);
    TRY(lock(c, h));
    TRY(h->edit(c, h));
    return h->idle ? ERR_OK : write_down(c, h);
}

static err run(struct ctx *c, struct change *h, struct pool_written *out)
{
    TRY(db_tx(c, change_body, h));
    *out = h->out;
    out->success = true;
    out->evicted.v = ARENA_ARRAY(c->arena, const char *, h->evicted->len + 1);
    for (const struct json *j = h->evicted->first; j; j = j->next)
        out->evicted.v[out->evicted.n++] = j->s;
    return ERR_OK;
}

/* ---- calls */

err pool_put(struct ctx *c, const char *ref, const struct pool_write *in, struct pool_written *out)
{
    struct pool_path path;
    struct change h = { .ref = ref, .write = in, .path = &path, .if_version = in->if_version, .edit = edit_put };

    TRY(pool_path_parse(c, "/key", in->key, &path));
    return run(c, &h, out);
}

err pool_cut(struct ctx *c, const char *ref, const char *key, int64_t if_version, struct pool_written *out)
{
    struct pool_path path;
    struct change h = { .ref = ref, .path = &path, .if_version = if_version, .edit = edit_cut };

    TRY(pool_path_parse(c, "/key", key, &path));
    return run(c, &h, out);
}

err pool_merge(struct ctx *c, const char *ref, const struct json *data, struct pool_written *out)
{
    struct change h = { .ref = ref, .merge = data, .if_version = -1, .edit = edit_merge };

    return run(c, &h, out);
}

err pool_tidy(struct ctx *c, struct uuid pool, int64_t limit, int64_t *n)
{
    const char *ref = arena_strdup(c->arena, UUID_STR(pool));
    struct change h = { .ref = ref, .limit = limit, .if_version = -1, .edit = edit_tidy };

    TRY(db_tx(c, change_body, &h));
    *n = (int64_t)h.work.n;
    return ERR_OK;
}
