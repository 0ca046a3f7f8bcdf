/* SQL of snapshots. */
#include "context_snapshot_store.h"

#include <sodium.h>
#include <string.h>

#include "db.h"

#define COLUMNS "id, space_id, name, is_automatic, entry_count, LOWER(HEX(data_hash)), author_kind, author_id, created_at"
#define LIVE \
    "FROM entry e JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id WHERE e.account_id = ? AND e.space_id = ? " \
    "AND e.live = 1 AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)"

static err context_snapshot_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct context_snapshot *s)
{
    return db_row(q, c, found, OUT(&s->id), OUT(&s->context_id), OUT(&s->name), OUT(&s->is_automatic), OUT(&s->entry_count),
                  OUT(&s->data_hash), OUT(&s->author_kind), OUT(&s->author_id), OUT(&s->created_at));
}

err context_snapshot_store_take(struct ctx *c, const struct context_snapshot *s, const struct json *context_data, struct bytes hash)
{
    TRY(db_exec(c, NULL,
                "INSERT INTO snapshot (account_id, id, space_id, name, is_automatic, entry_count, context_data, data_hash, author_kind, "
                "author_id, created_at) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                IN(c->account_id), IN(s->id), IN(s->context_id), IN(s->name), IN(s->is_automatic), IN(s->entry_count),
                IN(json_text(c->arena, context_data)), IN(hash), IN(s->author_kind), IN(s->author_id), IN(s->created_at)));
    return db_exec(c, NULL,
                   "INSERT INTO snapshot_item (account_id, snapshot_id, entry_key, node_id, version, content_hash) "
                   "SELECT e.account_id, ?, e.entry_key, e.node_id, e.version, e.content_hash " LIVE,
                   IN(s->id), IN(c->account_id), IN(s->context_id), IN(c->now));
}

err context_snapshot_store_hash(struct ctx *c, struct uuid space_id, struct bytes *hash, int64_t *n)
{
    uint8_t *out = arena_alloc(c->arena, crypto_hash_sha256_BYTES);
    crypto_hash_sha256_state h;
    scoped_cursor q = {0};

    *n = 0;
    crypto_hash_sha256_init(&h);
    TRY(db_query(c, &q, "SELECT e.entry_key, e.content_hash " LIVE " ORDER BY e.entry_key", IN(c->account_id), IN(space_id), IN(c->now)));
    for (bool found;; (*n)++) {
        const char *key = NULL;
        struct bytes of_content = {0};

        TRY(db_row(&q, c, &found, OUT(&key), OUT(&of_content)));
        if (!found)
            break;
        crypto_hash_sha256_update(&h, (const uint8_t *)key, strlen(key) + 1);
        crypto_hash_sha256_update(&h, of_content.p, of_content.n);
    }
    crypto_hash_sha256_final(&h, out);
    *hash = (struct bytes){out, crypto_hash_sha256_BYTES};
    return ERR_OK;
}

err context_snapshot_store_count(struct ctx *c, struct uuid space_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM snapshot WHERE account_id = ? AND space_id = ? AND is_automatic = 0", IN(c->account_id),
                 IN(space_id)));
    return db_row(&q, c, &found, OUT(n));
}

err context_snapshot_store_get(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct context_snapshot *out,
                               const struct json **context_data)
{
    const char *data = NULL;
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS ", context_data FROM snapshot WHERE account_id = ? AND space_id = ? AND id = ?",
                 IN(c->account_id), IN(space_id), IN(id)));
    TRY(db_row(&q, c, found, OUT(&out->id), OUT(&out->context_id), OUT(&out->name), OUT(&out->is_automatic), OUT(&out->entry_count),
               OUT(&out->data_hash), OUT(&out->author_kind), OUT(&out->author_id), OUT(&out->created_at), OUT(&data)));
    *context_data = *found ? json_raw(c->arena, data) : NULL;
    return ERR_OK;
}

static err context_snapshot_store_read_rows(struct ctx *c, struct db_cursor *q, int64_t most, struct context_snapshot **rows, size_t *n)
{
    struct context_snapshot *out = ARENA_ARRAY(c->arena, struct context_snapshot, (size_t)most + 1);
    size_t k = 0;

    for (bool found;; k++) {
        TRY(context_snapshot_store_read_row(c, q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err context_snapshot_store_list(struct ctx *c, struct uuid space_id, int64_t limit, struct uuid before, struct context_snapshot **rows,
                                size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM snapshot WHERE account_id = ? AND space_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
                 IN(c->account_id), IN(space_id), IN(before), IN(limit + 1)));
    return context_snapshot_store_read_rows(c, &q, limit + 1, rows, n);
}

err context_snapshot_store_with(struct ctx *c, struct uuid space_id, struct uuid node_id, int64_t limit, struct context_snapshot **rows,
                                size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT " COLUMNS " FROM snapshot WHERE account_id = ? AND space_id = ? AND id IN "
                 "(SELECT snapshot_id FROM snapshot_item WHERE account_id = ? AND node_id = ?) ORDER BY id DESC LIMIT ?",
                 IN(c->account_id), IN(space_id), IN(c->account_id), IN(node_id), IN(limit)));
    return context_snapshot_store_read_rows(c, &q, limit, rows, n);
}

err context_snapshot_store_delete(struct ctx *c, struct uuid space_id, struct uuid id, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed, "DELETE FROM snapshot WHERE account_id = ? AND space_id = ? AND id = ?", IN(c->account_id),
                IN(space_id), IN(id)));
    *done = changed != 0;
    return ERR_OK;
}

err context_snapshot_store_trim(struct ctx *c, struct uuid space_id, int64_t kept)
{
    struct uuid ids[SNAPSHOTS_AUTOMATIC + 1];
    scoped_cursor q = {0};
    bool done;
    size_t n;

    TRY(db_query(c, &q, "SELECT id FROM snapshot WHERE account_id = ? AND space_id = ? AND is_automatic = 1 ORDER BY id DESC LIMIT ?, ?",
                 IN(c->account_id), IN(space_id), IN(kept), IN((int64_t)SNAPSHOTS_AUTOMATIC)));
    TRY(db_ids(c, &q, ids, SNAPSHOTS_AUTOMATIC, &n));
    for (size_t i = 0; i < n; i++)
        TRY(context_snapshot_store_delete(c, space_id, ids[i], &done));
    return ERR_OK;
}

err context_snapshot_store_later(struct ctx *c, struct uuid space_id, struct uuid id, struct uuid **ids, size_t *n)
{
    scoped_cursor q = {0};

    *ids = ARENA_ARRAY(c->arena, struct uuid, CONTEXT_ENTRIES);
    TRY(db_query(c, &q,
                 "SELECT e.node_id " LIVE " AND NOT EXISTS (SELECT 1 FROM snapshot_item i WHERE i.account_id = e.account_id "
                 "AND i.snapshot_id = ? AND i.entry_key = e.entry_key)",
                 IN(c->account_id), IN(space_id), IN(c->now), IN(id)));
    return db_ids(c, &q, *ids, CONTEXT_ENTRIES, n);
}

/* ---- comparing */

/* What a key said then: on the node itself, or on the state that was kept of it; and what the context holds under it now. With few
 * accounts MariaDB would rather walk all entries of the account, contents and all, for each item than use the index of states. */
#define BOTH \
    " FROM snapshot_item i LEFT JOIN entry same ON same.account_id = i.account_id AND same.node_id = i.node_id AND same.version = i.version" \
    " LEFT JOIN entry old FORCE INDEX (entry_states) ON old.account_id = i.account_id AND old.head_id = i.node_id AND old.version = i.version" \
    " LEFT JOIN (SELECT e.entry_key, e.node_id, e.content, e.content_hash " LIVE ") AS held ON held.entry_key = i.entry_key" \
    " WHERE i.account_id = ? AND i.snapshot_id = ?"
#define LATER LIVE " AND NOT EXISTS (SELECT 1 FROM snapshot_item i WHERE i.account_id = e.account_id AND i.snapshot_id = ? AND i.entry_key = e.entry_key)"
#define COUNT(condition) "CAST(COALESCE(SUM(" condition "), 0) AS INTEGER)"
#define GONE "same.content IS NULL AND old.content IS NULL"
#define SAME "COALESCE(held.content_hash = i.content_hash, 0)"

err context_snapshot_store_counts(struct ctx *c, struct uuid space_id, struct uuid id, struct restore_counts *out)
{
    scoped_cursor q = {0}, later = {0};
    bool found;

    *out = (struct restore_counts){0};
    TRY(db_query(c, &q,
                 "SELECT " COUNT("NOT (" GONE ") AND held.content_hash <> i.content_hash") ", " COUNT("NOT (" GONE ") AND held.content_hash IS NULL") ", "
                 COUNT("(" GONE ") AND NOT " SAME) ", " COUNT(SAME) BOTH,
                 IN(c->account_id), IN(space_id), IN(c->now), IN(c->account_id), IN(id)));
    TRY(db_row(&q, c, &found, OUT(&out->changed), OUT(&out->missing), OUT(&out->lost), OUT(&out->same)));
    TRY(db_query(c, &later, "SELECT COUNT(*) " LATER, IN(c->account_id), IN(space_id), IN(c->now), IN(id)));
    return db_row(&later, c, &found, OUT(&out->later));
}

err context_snapshot_store_differences(struct ctx *c, struct uuid space_id, struct uuid id, struct snapshot_difference **rows, size_t *n)
{
    struct snapshot_difference *out = ARENA_ARRAY(c->arena, struct snapshot_difference, SNAPSHOT_ENTRIES + 1);
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT i.node_id, i.version, i.entry_key, same.node_id IS NULL AND old.node_id IS NULL, COALESCE(same.size_bytes, old.size_bytes, 0)"
                 BOTH " AND NOT " SAME " ORDER BY i.entry_key",
                 IN(c->account_id), IN(space_id), IN(c->now), IN(c->account_id), IN(id)));
    for (bool found; k < SNAPSHOT_ENTRIES; k++) {
        struct snapshot_difference *d = &out[k];

        TRY(db_row(&q, c, &found, OUT(&d->node_id), OUT(&d->version), OUT(&d->entry_key), OUT(&d->is_erased), OUT(&d->size_bytes)));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

/* Of a version there is the node itself or a state that was kept of it, which two statements find by their keys. */
err context_snapshot_store_contents(struct ctx *c, struct uuid id, const struct snapshot_difference *of, size_t n, struct entry_row *rows,
                                    size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    for (int nth = 0; nth < 2; nth++) {
        if (nth)
            sql_add(&s, " UNION ALL SELECT i.entry_key, e.content, e.content_hash, e.size_bytes, n.body FROM snapshot_item i JOIN entry e "
                        "FORCE INDEX (entry_states) ON e.account_id = i.account_id AND e.head_id = i.node_id AND e.version = i.version");
        else
            sql_add(&s, "SELECT i.entry_key, e.content, e.content_hash, e.size_bytes, n.body FROM snapshot_item i JOIN entry e "
                        "ON e.account_id = i.account_id AND e.node_id = i.node_id AND e.version = i.version");
        sql_add(&s, " JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id WHERE i.account_id = ? AND i.snapshot_id = ? "
                    "AND i.entry_key IN (NULL", IN(c->account_id), IN(id));
        for (size_t i = 0; i < n; i++)
            sql_add(&s, ",?", IN(of[i].entry_key));
        sql_add(&s, ")");
    }
    TRY(sql_query(c, &q, &s));
    *found = 0;
    for (bool more; *found < n; ++*found) {
        struct entry_row *r = &rows[*found];
        const char *content = NULL;

        *r = (struct entry_row){0};
        TRY(db_row(&q, c, &more, OUT(&r->entry.entry_key), OUT(&content), OUT(&r->content_hash), OUT(&r->size_bytes),
                   OUT(&r->entry.content_text)));
        if (!more)
            break;
        r->entry.content = json_raw(c->arena, content);
    }
    return ERR_OK;
}

err context_snapshot_store_changes(struct ctx *c, struct uuid space_id, struct uuid id, const char *after_key, int64_t limit,
                                   struct restore_change **rows, size_t *n)
{
    struct restore_change *out = ARENA_ARRAY(c->arena, struct restore_change, (size_t)limit + 2);
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT i.entry_key AS k, COALESCE(held.node_id, i.node_id), LEFT(COALESCE(same.content, old.content), " RESTORE_READ "), "
                 "LEFT(held.content, " RESTORE_READ "), " GONE BOTH
                 " AND i.entry_key > ? AND NOT " SAME " UNION ALL SELECT e.entry_key AS k, e.node_id, NULL, LEFT(e.content, " RESTORE_READ "), 0 " LATER
                 " AND e.entry_key > ? ORDER BY k LIMIT ?",
                 IN(c->account_id), IN(space_id), IN(c->now), IN(c->account_id), IN(id), IN(after_key), IN(c->account_id), IN(space_id),
                 IN(c->now), IN(id), IN(after_key), IN(limit + 1)));
    for (bool found;; k++) {
        const char *then = NULL, *now = NULL;

        TRY(db_row(&q, c, &found, OUT(&out[k].key), OUT(&out[k].node_id), OUT_OPT(&then), OUT_OPT(&now), OUT(&out[k].is_lost)));
        if (!found)
            break;
        out[k].then = restore_shown(c, then, &out[k]);
        out[k].now = restore_shown(c, now, &out[k]);
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err context_snapshot_store_held(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *those, size_t *k)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT e.node_id FROM entry e JOIN snapshot_item i ON i.account_id = e.account_id AND i.node_id = e.head_id "
                "AND i.version = e.version WHERE e.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "e.node_id", ids, n);
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, those, n, k);
}
