/* Taking and restoring snapshots of pools; see pool_snapshot.h. */
#include "pool_snapshot.h"

#include <string.h>

#include "access.h"
#include "audit.h"
#include "db.h"
#include "pool_change.h"
#include "pool_snapshot_store.h"
#include "principal.h"

#define AT_ONCE 100                 /* keys of one statement … */
#define BYTES_AT_ONCE (1024 * 1024) /* … or as many as hold these bytes of values */

static err pool_snapshot_missing(struct ctx *c)
{
    return fail(c, ERR_NOT_FOUND, "no such snapshot");
}

static err pool_snapshot_record(struct ctx *c, const char *verb, struct uuid pool, struct uuid id, int64_t keys)
{
    struct json *payload = json_obj(c->arena);

    json_set_str(c->arena, payload, "snapshot_id", arena_strdup(c->arena, UUID_STR(id)));
    json_set_int(c->arena, payload, "keys", keys);
    return audit_add(c, &(struct audit){.kind = verb, .subject_kind = "pool", .subject_id = pool, .space_id = pool, .payload = payload});
}

struct work {
    const char *ref, *name;
    struct uuid id;
    struct pool_snapshot taken;
    struct pool_restored restored;
};

/* The pool, locked: nobody writes to it meanwhile. */
static err pool_snapshot_lock(struct ctx *c, const struct work *w, struct pool_change *h)
{
    *h = (struct pool_change){.ref = w->ref, .if_version = -1, .restores = true};
    TRY(pool_change_lock(c, h));
    return access_require(c, h->space.id, ACCESS_MANAGE);
}

/* ---- taking */

static err pool_snapshot_take(struct ctx *c, const struct pool_change *h, const char *name, bool is_automatic, struct pool_snapshot *out)
{
    struct bytes hash;
    char hex[65];

    *out = (struct pool_snapshot){ .id = uuid_new(c->now.us), .pool_id = h->space.id, .name = name, .is_automatic = is_automatic,
                                   .pool_version = h->row.version, .author_id = c->who->id, .created_at = c->now,
                                   .author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind) };
    TRY(pool_snapshot_store_hash(c, h->space.id, &hash, &out->key_count, &out->data_size_bytes));
    hex_encode(hash.p, hash.n, hex);
    out->data_hash = arena_strdup(c->arena, hex);
    TRY(pool_snapshot_store_take(c, out, hash));
    return pool_snapshot_record(c, "pool.snapshot", h->space.id, out->id, out->key_count);
}

static err pool_snapshot_create_body(struct ctx *c, void *arg)
{
    struct work *w = arg;
    struct pool_change h;
    int64_t n;

    TRY(pool_snapshot_lock(c, w, &h));
    TRY(pool_snapshot_store_count(c, h.space.id, &n));
    if (n >= POOL_SNAPSHOTS)
        return fail(c, ERR_CONFLICT, "a pool can have at most %d snapshots; delete one", POOL_SNAPSHOTS);
    return pool_snapshot_take(c, &h, w->name, false, &w->taken);
}

err pool_snapshot_create(struct ctx *c, const char *ref, const char *name, struct pool_snapshot *out)
{
    struct work w = {.ref = ref, .name = name};

    TRY(db_tx(c, pool_snapshot_create_body, &w));
    *out = w.taken;
    return ERR_OK;
}

err pool_snapshot_list(struct ctx *c, const char *ref, int64_t limit, const char *cursor, struct page *out)
{
    struct pool_snapshot *rows;
    struct uuid before;
    struct space s;
    size_t n;

    TRY(pool_find(c, ref, &s));
    TRY(access_require(c, s.id, ACCESS_MANAGE));
    TRY(page_begin(c, cursor, &before));
    TRY(pool_snapshot_store_list(c, s.id, limit, before, &rows, &n));
    PAGE_END(c, out, rows, n, limit, struct pool_snapshot, id);
    return ERR_OK;
}

err pool_snapshot_compare(struct ctx *c, const char *ref, struct uuid id, int64_t limit, const char *cursor, struct pool_snapshot *out,
                          struct restore_counts *counts, struct page *rows)
{
    struct restore_change *v;
    const char *after;
    struct space s;
    bool found;
    size_t n;

    TRY(pool_find(c, ref, &s));
    TRY(access_require(c, s.id, ACCESS_MANAGE));
    TRY(page_begin_name(c, cursor, &after));
    TRY(pool_snapshot_store_get(c, s.id, id, &found, out));
    if (!found)
        return pool_snapshot_missing(c);
    TRY(pool_snapshot_store_counts(c, s.id, id, counts));
    TRY(pool_snapshot_store_changes(c, s.id, id, after, limit, &v, &n));
    PAGE_END_NAME(c, rows, v, n, limit, struct restore_change, key);
    return ERR_OK;
}

err pool_snapshot_values(struct ctx *c, const char *ref, const char *key, struct pool_kept **rows, size_t *n)
{
    struct space s;

    TRY(pool_find(c, ref, &s));
    TRY(access_require(c, s.id, ACCESS_MANAGE));
    return pool_snapshot_store_values(c, s.id, key, rows, n);
}

static err pool_snapshot_delete_body(struct ctx *c, void *arg)
{
    const struct work *w = arg;
    struct pool_change h;
    bool done;

    TRY(pool_snapshot_lock(c, w, &h));
    TRY(pool_snapshot_store_delete(c, h.space.id, w->id, &done));
    return done ? pool_snapshot_record(c, "pool.snapshot_delete", h.space.id, w->id, 0) : pool_snapshot_missing(c);
}

err pool_snapshot_delete(struct ctx *c, const char *ref, struct uuid id)
{
    struct work w = {.ref = ref, .id = id};

    return db_tx(c, pool_snapshot_delete_body, &w);
}

/* ---- restoring */

/* First what came later goes: it may stand where a path of the snapshot leads through. */
static err remove_later(struct ctx *c, struct pool_change *h, struct work *w)
{
    struct pool_entry rows[AT_ONCE];
    struct pool_news news = {.drops = rows};

    do {
        TRY(pool_snapshot_store_extra(c, h->space.id, w->id, rows, AT_ONCE, &news.n_drops));
        TRY(pool_change_write(c, h, &news));
        w->restored.removed += (int64_t)news.n_drops;
    } while (news.n_drops == AT_ONCE);
    return ERR_OK;
}

/* The next keys behind that one, which becomes the last of them; *n: how many there were. */
static err write_portion(struct ctx *c, struct pool_change *h, const struct work *w, char after[POOL_KEY + 1], size_t *n)
{
    struct pool_entry *rows = ARENA_ARRAY(c->arena, struct pool_entry, AT_ONCE);
    struct pool_news news = {.puts = rows};

    TRY(pool_snapshot_store_differences(c, h->space.id, w->id, arena_strdup(c->arena, after), BYTES_AT_ONCE, rows, AT_ONCE, &news.n_puts));
    for (size_t i = 0; i < news.n_puts; i++)
        if (!uuid_is_nil(rows[i].node_id)) {
            news.were_there++;
            news.bytes_before += rows[i].size;
        }
    *n = news.n_puts;
    if (!*n)
        return ERR_OK;
    TRY(pool_change_write(c, h, &news));
    memcpy(after, rows[*n - 1].key, strlen(rows[*n - 1].key) + 1);
    return ERR_OK;
}

/* Each portion gives its memory back, unless it has left something there that waits for the commit, as the first one does. */
static err write_again(struct ctx *c, struct pool_change *h, struct work *w)
{
    char after[POOL_KEY + 1] = "";
    size_t n;

    do {
        struct arena_mark mark = arena_mark(c->arena);
        const struct tx_after *waiting = c->tx_after;

        TRY(write_portion(c, h, w, after, &n));
        w->restored.written += (int64_t)n;
        if (c->tx_after == waiting)
            arena_rewind(c->arena, mark);
    } while (n);
    return ERR_OK;
}

static err restore_body(struct ctx *c, void *arg)
{
    struct work *w = arg;
    struct pool_change h;
    struct pool_snapshot s;
    bool found;

    w->restored = (struct pool_restored){0};
    TRY(pool_snapshot_lock(c, w, &h));
    TRY(pool_snapshot_store_get(c, h.space.id, w->id, &found, &s));
    if (!found)
        return pool_snapshot_missing(c);
    TRY(pool_snapshot_store_trim(c, h.space.id, POOL_SNAPSHOTS_AUTOMATIC - 1));
    TRY(pool_snapshot_take(c, &h, "before-restore", true, &w->taken));
    pool_change_begin(c, &h);
    TRY(remove_later(c, &h, w));
    TRY(write_again(c, &h, w));
    TRY(pool_change_end(c, &h));
    TRY(pool_snapshot_store_expired(c, w->id, &w->restored.expired));
    w->restored.unchanged = s.key_count - w->restored.written - w->restored.expired;
    w->restored.version = h.row.version;
    w->restored.safety_snapshot_id = w->taken.id;
    return pool_snapshot_record(c, "pool.restore", h.space.id, w->id, w->restored.written + w->restored.removed);
}

err pool_snapshot_restore(struct ctx *c, const char *ref, struct uuid id, struct pool_restored *out)
{
    struct work w = {.ref = ref, .id = id};

    TRY(db_tx(c, restore_body, &w));
    *out = w.restored;
    return ERR_OK;
}
