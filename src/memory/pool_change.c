/* Writing a change of a pool down, within its limits, with news of it; see pool_change.h. */
#include "pool_change.h"

#include <string.h>

#include "app.h"
#include "audit.h"
#include "db.h"
#include "limit.h"
#include "node_many.h"
#include "pool_entry_store.h"
#include "pool_store.h"

#define EVICT_AT_ONCE 200
#define EXPIRE_AT_ONCE 1000
#define BURY_AT_ONCE 5000 /* rows of one statement */
#define CACHE_TTL 3600    /* seconds that a key of a cache lives, unless somebody says otherwise */

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

static struct node_new pool_change_node_of(struct ctx *c, const struct pool_change *h, const struct pool_entry *e)
{
    const char *text = json_is(e->value, JSON_STR) ? e->value->s : json_text(c->arena, e->value);
    struct json *attrs = json_obj(c->arena);

    if (!wants_vector(e->value, text))
        json_set_bool(c->arena, attrs, "no_vector", true);
    return (struct node_new){ NODE_NEW_DEFAULTS, .id = e->node_id, .space_id = h->space.id, .kind = "pool_entry", .attrs = attrs,
                              .title = arena_strndup(c->arena, e->key, str_first_bytes(e->key, LIMIT_TITLE)),
                              .body = arena_printf(c->arena, "%s: %s", e->key, text),
                              .source_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .is_pinned = e->is_pinned,
                              .expires_at = e->expires_at };
}

/* When a key ends that is written now. An end that was asked for stays until the key is written anew or another one is asked for; one
 * that came from the pool counts from the last write. */
static struct instant pool_change_end_of(const struct ctx *c, const struct pool_change *h, const struct pool_entry *e)
{
    const struct pool_write *w = h->write && str_eq(e->key, h->path->key) ? h->write : NULL;
    struct instant by_pool = {h->ttl_seconds ? c->now.us + h->ttl_seconds * SECOND_US : 0};
    bool asked_for = e->expires_at.us && e->expires_at.us != e->updated_at.us + h->ttl_seconds * SECOND_US;

    if (h->restores)
        return e->expires_at;
    if (w && w->ttl_seconds)
        return (struct instant){c->now.us + w->ttl_seconds * SECOND_US};
    return asked_for && !h->replaces && !(w && w->op == POOL_OP_SET) ? e->expires_at : by_pool;
}

static err fill_row(struct ctx *c, const struct pool_change *h, struct pool_entry *e)
{
    size_t bytes = strlen(json_text(c->arena, e->value));

    if (bytes > POOL_VALUE)
        return fail_field(c, h->merge ? "/data" : "/value", "the value of '%s' is %zu bytes of JSON; the limit per key is %d",
                          e->key, bytes, POOL_VALUE);
    if (json_depth(e->value) > JSON_DEPTH_MAX)
        return fail_field(c, h->merge ? "/data" : "/value", "the value of '%s' is nested deeper than %d levels", e->key, JSON_DEPTH_MAX);
    if (uuid_is_nil(e->node_id))
        e->node_id = uuid_new(c->now.us);
    if (!e->created_at.us)
        e->created_at = c->now;
    e->expires_at = pool_change_end_of(c, h, e);
    e->size = (int64_t)(strlen(e->key) + bytes);
    if (!e->keeps_value)
        e->version = h->row.version;
    e->writer_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind);
    e->writer_id = c->who->id;
    e->updated_at = c->now;
    return ERR_OK;
}

/* Their names stay a day, as tombstones; what they were used for is not forgotten in the figures. */
static err bury(struct ctx *c, struct pool_change *h, const struct pool_entry *rows, size_t n)
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

/* What has the same value and end as before is not written. */
static void gather_put(const struct ctx *c, const struct pool_change *h, const struct pool_slot *s, struct pool_news *w)
{
    struct pool_entry e = s->e;

    e.keeps_value = s->was && json_equal(s->was, e.value);
    if (e.keeps_value && pool_change_end_of(c, h, &e).us == e.expires_at.us)
        return;
    w->n_same += e.keeps_value;
    w->were_there++;
    w->bytes_before += e.size;
    w->puts[w->n_puts++] = e;
}

static void pool_change_gather(struct ctx *c, const struct pool_change *h, struct pool_news *w)
{
    const struct pool_work *k = &h->work;

    w->puts = ARENA_ARRAY(c->arena, struct pool_entry, k->n + k->n_made + 1);
    w->drops = ARENA_ARRAY(c->arena, struct pool_entry, k->n + 1);
    for (size_t i = 0; i < k->n; i++) {
        if (k->rows[i].fate == POOL_DROPPED)
            w->drops[w->n_drops++] = k->rows[i].e;
        if (k->rows[i].fate == POOL_PUT)
            gather_put(c, h, &k->rows[i], w);
    }
    for (size_t i = 0; i < k->n_made; i++)
        if (k->made[i].fate == POOL_PUT)
            w->puts[w->n_puts++] = k->made[i].e;
}

static err write_puts(struct ctx *c, struct pool_change *h, const struct pool_news *w)
{
    struct node_new *nodes = ARENA_ARRAY(c->arena, struct node_new, w->n_puts + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, w->n_puts + 1);
    size_t n = 0;

    for (size_t i = 0; i < w->n_puts; i++) {
        nodes[i] = pool_change_node_of(c, h, &w->puts[i]);
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

static bool pool_change_is_over(const struct pool_change *h)
{
    return h->row.key_count > h->policy.max_entries || h->row.data_size_bytes > h->policy.max_size_bytes;
}

/* What was read a moment ago has been used, although nobody has written so yet: lru and lfu heed it. */
static void heed_uses(struct ctx *c, enum pool_eviction by, struct pool_entry *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    int64_t *uses = ARENA_ARRAY(c->arena, int64_t, n + 1);

    for (size_t i = 0; i < n; i++)
        ids[i] = rows[i].node_id;
    if ((by != POOL_EVICT_LRU && by != POOL_EVICT_LFU) || !node_waiting_uses(c, ids, n, uses))
        return;
    for (size_t i = 0; i < n; i++)
        uses[i] = by == POOL_EVICT_LRU ? uses[i] > 0 : uses[i] + rows[i].value->i;
    for (size_t i = 1; i < n; i++) {
        struct pool_entry row = rows[i];
        int64_t rank = uses[i];
        size_t k = i;

        for (; k && uses[k - 1] > rank; k--) {
            uses[k] = uses[k - 1];
            rows[k] = rows[k - 1];
        }
        uses[k] = rank;
        rows[k] = row;
    }
}

static err pool_change_make_room(struct ctx *c, struct pool_change *h)
{
    struct pool_entry *rows = ARENA_ARRAY(c->arena, struct pool_entry, EXPIRE_AT_ONCE);
    int64_t keys, bytes, flushes;
    size_t n, k = 0;

    TRY(pool_entry_store_expired(c, h->space.id, EXPIRE_AT_ONCE, rows, &n));
    TRY(bury(c, h, rows, n));
    if (!pool_change_is_over(h) || h->policy.eviction == POOL_EVICT_REJECT)
        return ERR_OK;
    do {
        flushes = node_flushes(c);
        TRY(pool_entry_store_victims(c, h->space.id, h->policy.eviction, h->row.version, EVICT_AT_ONCE, rows, &n));
        heed_uses(c, h->policy.eviction, rows, n);
    } while (flushes != node_flushes(c));
    keys = h->row.key_count - h->policy.max_entries;
    bytes = h->row.data_size_bytes - h->policy.max_size_bytes;
    for (; k < n && (keys > 0 || bytes > 0); k++, keys--) {
        bytes -= rows[k].size;
        json_push(h->evicted, json_str(c->arena, rows[k].key));
    }
    h->row.evicted_count += (int64_t)k;
    return bury(c, h, rows, k);
}

static err keep_limits(struct ctx *c, struct pool_change *h)
{
    if (!pool_change_is_over(h))
        return ERR_OK;
    TRY(pool_change_make_room(c, h));
    if (!pool_change_is_over(h))
        return ERR_OK;
    return fail_reason(c, ERR_CONFLICT, "quota_exceeded", "pool limit exceeded: %lld keys, %lld bytes (limits: %lld, %lld)",
                       (long long)h->row.key_count, (long long)h->row.data_size_bytes, (long long)h->policy.max_entries,
                       (long long)h->policy.max_size_bytes);
}

/* ---- news */

bool pool_is_bulletin(const char *key)
{
    return str_starts(key, POOL_BULLETINS ".") || str_eq(key, POOL_BULLETINS);
}

static struct audit key_written(struct ctx *c, const struct pool_change *h, const char *key, bool deleted)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "pool_id", h->space.slug);
    json_set_str(c->arena, said, "key", key);
    json_set_int(c->arena, said, "version", h->row.version);
    json_set_str(c->arena, said, "writer_agent_id",
                 c->who->kind == PRINCIPAL_AGENT ? arena_strdup(c->arena, UUID_STR(c->who->id)) : NULL);
    json_set_bool(c->arena, said, "is_bulletin", pool_is_bulletin(key));
    json_set_bool(c->arena, said, "deleted", deleted);
    json_set_str(c->arena, said, "timestamp", arena_strdup(c->arena, instant_text(c->now, (char[INSTANT_TEXT]){0})));
    return (struct audit){ .kind = "memory_pool_key_write", .subject_kind = "pool", .subject_id = h->space.id,
                           .space_id = h->space.id, .payload = said, .is_news = true };
}

/* Of a write or a cut one event, whatever it takes; else one for each key. */
static err pool_change_tell(struct ctx *c, const struct pool_change *h, const struct pool_news *w)
{
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, w->n_puts + w->n_drops + 1);
    size_t n = 0;

    if (h->path)
        events[n++] = key_written(c, h, h->path->key, !h->write);
    for (size_t i = 0; i < w->n_puts && !h->path; i++)
        if (!w->puts[i].keeps_value)
            events[n++] = key_written(c, h, w->puts[i].key, false);
    for (size_t i = 0; i < w->n_drops && (h->restores || (h->replaces && w->n_drops <= POOL_LEAVES)); i++)
        events[n++] = key_written(c, h, w->drops[i].key, true);
    return n ? audit_add_many(c, events, n) : ERR_OK;
}

/* ---- the transaction */

static int64_t ttl_of(const struct pool_change *h)
{
    if (h->policy.ttl_seconds)
        return h->policy.ttl_seconds;
    return pool_is_cache(h->row.pool_type) ? CACHE_TTL : 0;
}

err pool_change_lock(struct ctx *c, struct pool_change *h)
{
    bool found;

    h->idle = false;
    h->evicted = json_arr(c->arena);
    TRY(pool_find_to_write(c, h->ref, &h->space));
    h->row = (struct pool_row){0};
    TRY(pool_store_lock(c, h->space.id, &found, &h->row));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such pool");
    TRY(pool_policy_read(c, h->row.retention_policy, &h->policy));
    h->ttl_seconds = ttl_of(h);
    return ERR_OK;
}

static void note_write(struct ctx *c, struct pool_change *h)
{
    if (h->limit)
        return;
    h->row.write_count++;
    h->row.last_write_at = c->now;
}

void pool_change_begin(struct ctx *c, struct pool_change *h)
{
    h->row.version++;
    note_write(c, h);
}

err pool_change_write(struct ctx *c, struct pool_change *h, const struct pool_news *w)
{
    for (size_t i = 0; i < w->n_puts; i++)
        TRY(fill_row(c, h, &w->puts[i]));
    TRY(bury(c, h, w->drops, w->n_drops));
    TRY(write_puts(c, h, w));
    return pool_change_tell(c, h, w);
}

err pool_change_end(struct ctx *c, struct pool_change *h)
{
    TRY(keep_limits(c, h));
    TRY(pool_store_update(c, &h->row));
    return pool_tell_update(c, &h->space, &h->row, h->evicted);
}

/* The row that was asked for, or the one above it: as it is now. */
static const struct pool_entry *pool_change_row_of(const struct pool_change *h, const struct pool_news *w)
{
    const struct pool_work *k = &h->work;

    for (size_t i = 0; i < w->n_puts; i++)
        if (w->n_puts == 1 || str_eq(w->puts[i].key, h->path->key))
            return &w->puts[i];
    for (size_t i = 0; i < k->n; i++)
        if (k->rows[i].fate == POOL_PUT)
            return &k->rows[i].e;
    return NULL;
}

static void answer_row(struct pool_change *h, const struct pool_entry *e)
{
    h->out.node_id = e->node_id;
    h->out.expires_at = e->expires_at;
    h->out.version = e->version;
}

/* Equal values are a write that changes nothing: no version, no event. */
static err write_ends(struct ctx *c, struct pool_change *h, const struct pool_news *w)
{
    note_write(c, h);
    for (size_t i = 0; i < w->n_puts; i++)
        TRY(fill_row(c, h, &w->puts[i]));
    TRY(write_puts(c, h, w));
    h->out.written = w->n_puts > 0;
    return pool_store_update(c, &h->row);
}

static err write_values(struct ctx *c, struct pool_change *h, const struct pool_news *w)
{
    pool_change_begin(c, h);
    TRY(pool_change_write(c, h, w));
    TRY(pool_change_end(c, h));
    h->out.version = h->row.version;
    return ERR_OK;
}

static err pool_change_write_down(struct ctx *c, struct pool_change *h)
{
    struct pool_news w = {0};

    pool_change_gather(c, h, &w);
    TRY(w.n_puts > w.n_same || w.n_drops ? write_values(c, h, &w) : write_ends(c, h, &w));
    if (h->out.written)
        h->out.updated_at = c->now;
    if (h->write && pool_change_row_of(h, &w))
        answer_row(h, pool_change_row_of(h, &w));
    return ERR_OK;
}

static err pool_change_body(struct ctx *c, void *arg)
{
    struct pool_change *h = arg;

    TRY(pool_change_lock(c, h));
    TRY(h->edit(c, h));
    return h->idle ? ERR_OK : pool_change_write_down(c, h);
}

err pool_change_run(struct ctx *c, struct pool_change *h, struct pool_written *out)
{
    TRY(db_tx(c, pool_change_body, h));
    *out = h->out;
    out->success = true;
    out->evicted.v = ARENA_ARRAY(c->arena, const char *, h->evicted->len + 1);
    for (const struct json *j = h->evicted->first; j; j = j->next)
        out->evicted.v[out->evicted.n++] = j->s;
    return ERR_OK;
}
