/* SQL of snapshots of pools; see pool_snapshot_store.h. */
#include "pool_snapshot_store.h"

#include <sodium.h>
#include <string.h>

#include "db.h"

#define COLUMNS \
    "id, space_id, name, is_automatic, pool_version, key_count, data_size_bytes, LOWER(HEX(data_hash)), author_kind, author_id, created_at"
#define OF_POOL " WHERE account_id = ? AND space_id = ?"
#define LIVE " AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)"

static err pool_snapshot_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct pool_snapshot *s)
{
    return db_row(q, c, found, OUT(&s->id), OUT(&s->pool_id), OUT(&s->name), OUT(&s->is_automatic), OUT(&s->pool_version),
                  OUT(&s->key_count), OUT(&s->data_size_bytes), OUT(&s->data_hash), OUT(&s->author_kind), OUT(&s->author_id),
                  OUT(&s->created_at));
}

/* ---- taking */

err pool_snapshot_store_hash(struct ctx *c, struct uuid pool, struct bytes *hash, int64_t *keys, int64_t *bytes)
{
    uint8_t *out = arena_alloc(c->arena, crypto_hash_sha256_BYTES);
    crypto_hash_sha256_state h;
    scoped_cursor q = {0};

    *keys = *bytes = 0;
    crypto_hash_sha256_init(&h);
    TRY(db_query(c, &q, "SELECT entry_key, UNHEX(SHA2(value, 256)), size FROM pool_entry" OF_POOL LIVE " ORDER BY entry_key",
                 IN(c->account_id), IN(pool), IN(c->now)));
    for (bool found;; ++*keys) {
        struct bytes of_value = {0};
        const char *key = NULL;
        int64_t size = 0;

        TRY(db_row(&q, c, &found, OUT(&key), OUT(&of_value), OUT(&size)));
        if (!found)
            break;
        *bytes += size;
        crypto_hash_sha256_update(&h, (const uint8_t *)key, strlen(key) + 1);
        crypto_hash_sha256_update(&h, of_value.p, of_value.n);
    }
    crypto_hash_sha256_final(&h, out);
    *hash = (struct bytes){out, crypto_hash_sha256_BYTES};
    return ERR_OK;
}

err pool_snapshot_store_take(struct ctx *c, const struct pool_snapshot *s, struct bytes hash)
{
    TRY(db_exec(c, NULL,
                "INSERT INTO pool_snapshot (account_id, id, space_id, name, is_automatic, pool_version, key_count, data_size_bytes, data_hash,"
                " author_kind, author_id, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                IN(c->account_id), IN(s->id), IN(s->pool_id), IN(s->name), IN(s->is_automatic), IN(s->pool_version), IN(s->key_count),
                IN(s->data_size_bytes), IN(hash), IN(s->author_kind), IN(s->author_id), IN(s->created_at)));
    return db_exec(c, NULL,
                   "INSERT INTO pool_snapshot_item (account_id, snapshot_id, entry_key, value, expires_at)"
                   " SELECT account_id, ?, entry_key, value, expires_at FROM pool_entry" OF_POOL LIVE,
                   IN(s->id), IN(c->account_id), IN(s->pool_id), IN(c->now));
}

/* ---- which there are */

err pool_snapshot_store_count(struct ctx *c, struct uuid pool, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM pool_snapshot" OF_POOL " AND is_automatic = 0", IN(c->account_id), IN(pool)));
    return db_row(&q, c, &found, OUT(n));
}

err pool_snapshot_store_get(struct ctx *c, struct uuid pool, struct uuid id, bool *found, struct pool_snapshot *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM pool_snapshot" OF_POOL " AND id = ?", IN(c->account_id), IN(pool), IN(id)));
    return pool_snapshot_store_read_row(c, &q, found, out);
}

err pool_snapshot_store_list(struct ctx *c, struct uuid pool, int64_t limit, struct uuid before, struct pool_snapshot **rows, size_t *n)
{
    struct pool_snapshot *out = ARENA_ARRAY(c->arena, struct pool_snapshot, (size_t)limit + 2);
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM pool_snapshot" OF_POOL " AND id < ? ORDER BY id DESC LIMIT ?", IN(c->account_id),
                 IN(pool), IN(before), IN(limit + 1)));
    for (bool found;; k++) {
        TRY(pool_snapshot_store_read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err pool_snapshot_store_delete(struct ctx *c, struct uuid pool, struct uuid id, bool *done)
{
    int64_t n;

    TRY(db_exec(c, &n, "DELETE FROM pool_snapshot" OF_POOL " AND id = ?", IN(c->account_id), IN(pool), IN(id)));
    *done = n > 0;
    return ERR_OK;
}

err pool_snapshot_store_trim(struct ctx *c, struct uuid pool, int64_t kept)
{
    struct uuid ids[POOL_SNAPSHOTS_AUTOMATIC + 1];
    scoped_cursor q = {0};
    bool done;
    size_t n;

    TRY(db_query(c, &q, "SELECT id FROM pool_snapshot" OF_POOL " AND is_automatic = 1 ORDER BY id DESC LIMIT ?, ?", IN(c->account_id),
                 IN(pool), IN(kept), IN((int64_t)POOL_SNAPSHOTS_AUTOMATIC)));
    TRY(db_ids(c, &q, ids, POOL_SNAPSHOTS_AUTOMATIC, &n));
    for (size_t i = 0; i < n; i++)
        TRY(pool_snapshot_store_delete(c, pool, ids[i], &done));
    return ERR_OK;
}

/* ---- restoring */

err pool_snapshot_store_expired(struct ctx *c, struct uuid id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM pool_snapshot_item WHERE account_id = ? AND snapshot_id = ? AND expires_at <= ?",
                 IN(c->account_id), IN(id), IN(c->now)));
    return db_row(&q, c, &found, OUT(n));
}

err pool_snapshot_store_extra(struct ctx *c, struct uuid pool, struct uuid id, struct pool_entry *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT e.entry_key, e.node_id, e.size, COALESCE(e.expires_at <= ?, 0) FROM pool_entry e LEFT JOIN pool_snapshot_item i"
                 " ON i.account_id = e.account_id AND i.snapshot_id = ? AND i.entry_key = e.entry_key AND (i.expires_at IS NULL OR i.expires_at > ?)"
                 " WHERE e.account_id = ? AND e.space_id = ? AND e.deleted_at IS NULL AND i.entry_key IS NULL ORDER BY e.entry_key LIMIT ?",
                 IN(c->now), IN(id), IN(c->now), IN(c->account_id), IN(pool), IN((int64_t)max)));
    for (*n = 0; *n < max; ++*n) {
        struct pool_entry *e = &rows[*n];
        bool found;

        *e = (struct pool_entry){0};
        TRY(db_row(&q, c, &found, OUT(&e->key), OUT(&e->node_id), OUT(&e->size), OUT(&e->deleted)));
        if (!found)
            break;
    }
    return ERR_OK;
}

err pool_snapshot_store_differences(struct ctx *c, struct uuid pool, struct uuid id, const char *after_key, size_t bytes,
                                    struct pool_entry *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    size_t taken = 0;

    TRY(db_query(c, &q,
                 "SELECT i.entry_key, i.value, i.expires_at, e.node_id, e.size, e.created_at FROM pool_snapshot_item i LEFT JOIN pool_entry e"
                 " ON e.account_id = i.account_id AND e.space_id = ? AND e.entry_key = i.entry_key AND e.deleted_at IS NULL"
                 " WHERE i.account_id = ? AND i.snapshot_id = ? AND i.entry_key > ? AND (i.expires_at IS NULL OR i.expires_at > ?)"
                 " AND (e.value IS NULL OR e.value <> i.value OR e.expires_at <= ?) ORDER BY i.entry_key LIMIT ?",
                 IN(pool), IN(c->account_id), IN(id), IN(after_key), IN(c->now), IN(c->now), IN((int64_t)max)));
    for (*n = 0; *n < max && taken < bytes; ++*n) {
        struct pool_entry *e = &rows[*n];
        const char *value = NULL;
        bool found;

        *e = (struct pool_entry){0};
        TRY(db_row(&q, c, &found, OUT(&e->key), OUT(&value), OUT_OPT(&e->expires_at), OUT_OPT(&e->node_id), OUT_OPT(&e->size),
                   OUT_OPT(&e->created_at)));
        if (!found)
            break;
        e->value = json_opened(c->arena, json_raw(c->arena, value));
        taken += strlen(value);
    }
    return ERR_OK;
}

/* ---- comparing */

#define HELD_NOW \
    " pool_entry e ON e.account_id = i.account_id AND e.space_id = ? AND e.entry_key = i.entry_key AND e.deleted_at IS NULL" \
    " AND (e.expires_at IS NULL OR e.expires_at > ?) WHERE i.account_id = ? AND i.snapshot_id = ?"
#define LATER \
    " FROM pool_entry e WHERE e.account_id = ? AND e.space_id = ?" LIVE " AND NOT EXISTS (SELECT 1 FROM pool_snapshot_item i" \
    " WHERE i.account_id = e.account_id AND i.snapshot_id = ? AND i.entry_key = e.entry_key)"

#define COUNT(condition) "CAST(COALESCE(SUM(" condition "), 0) AS INTEGER)"

err pool_snapshot_store_counts(struct ctx *c, struct uuid pool, struct uuid id, struct restore_counts *out)
{
    scoped_cursor q = {0}, later = {0};
    bool found;

    *out = (struct restore_counts){0};
    TRY(db_query(c, &q,
                 "SELECT " COUNT("NOT gone_by AND says <> said") ", " COUNT("NOT gone_by AND says IS NULL") ", "
                 COUNT("gone_by AND NOT COALESCE(says = said, 0)") ", " COUNT("says = said")
                 " FROM (SELECT i.value AS said, e.value AS says, COALESCE(i.expires_at <= ?, 0) AS gone_by FROM pool_snapshot_item i"
                 " LEFT JOIN" HELD_NOW ") AS both_of",
                 IN(c->now), IN(pool), IN(c->now), IN(c->account_id), IN(id)));
    TRY(db_row(&q, c, &found, OUT(&out->changed), OUT(&out->missing), OUT(&out->lost), OUT(&out->same)));
    TRY(db_query(c, &later, "SELECT COUNT(*)" LATER, IN(c->account_id), IN(pool), IN(c->now), IN(id)));
    return db_row(&later, c, &found, OUT(&out->later));
}

static const struct json *opened(struct ctx *c, const char *value)
{
    return value ? json_opened(c->arena, json_raw(c->arena, value)) : NULL;
}

err pool_snapshot_store_changes(struct ctx *c, struct uuid pool, struct uuid id, const char *after_key, int64_t limit,
                                struct restore_change **rows, size_t *n)
{
    struct restore_change *out = ARENA_ARRAY(c->arena, struct restore_change, (size_t)limit + 2);
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT i.entry_key AS k, e.node_id, LEFT(i.value, " RESTORE_READ "), LEFT(e.value, " RESTORE_READ "), COALESCE(i.expires_at <= ?, 0) FROM pool_snapshot_item i LEFT JOIN" HELD_NOW
                 " AND i.entry_key > ? AND (e.value IS NULL OR e.value <> i.value)"
                 " UNION ALL SELECT e.entry_key AS k, e.node_id, NULL, LEFT(e.value, " RESTORE_READ "), 0" LATER " AND e.entry_key > ? ORDER BY k LIMIT ?",
                 IN(c->now), IN(pool), IN(c->now), IN(c->account_id), IN(id), IN(after_key), IN(c->account_id), IN(pool), IN(c->now), IN(id),
                 IN(after_key), IN(limit + 1)));
    for (bool found;; k++) {
        const char *then = NULL, *now = NULL;

        TRY(db_row(&q, c, &found, OUT(&out[k].key), OUT_OPT(&out[k].node_id), OUT_OPT(&then), OUT_OPT(&now), OUT(&out[k].is_lost)));
        if (!found)
            break;
        out[k].then = restore_shown(c, then, &out[k]);
        out[k].now = restore_shown(c, now, &out[k]);
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err pool_snapshot_store_values(struct ctx *c, struct uuid pool, const char *key, struct pool_kept **rows, size_t *n)
{
    struct pool_kept *out = ARENA_ARRAY(c->arena, struct pool_kept, POOL_SNAPSHOTS + POOL_SNAPSHOTS_AUTOMATIC + 1);
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT s.id, s.name, i.value, s.created_at FROM pool_snapshot s JOIN pool_snapshot_item i ON i.account_id = s.account_id"
                 " AND i.snapshot_id = s.id AND i.entry_key = ? WHERE s.account_id = ? AND s.space_id = ? ORDER BY s.id DESC LIMIT ?",
                 IN(key), IN(c->account_id), IN(pool), IN((int64_t)(POOL_SNAPSHOTS + POOL_SNAPSHOTS_AUTOMATIC))));
    for (bool found;; k++) {
        const char *value = NULL;

        TRY(db_row(&q, c, &found, OUT(&out[k].snapshot_id), OUT(&out[k].snapshot), OUT(&value), OUT(&out[k].created_at)));
        if (!found)
            break;
        out[k].value = opened(c, value);
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}
