/* SQL of packed indexes; see pack_store.h. */
#include "pack_store.h"

#include "db.h"

err pack_store_head(struct ctx *c, bool *found, struct pack_head *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT generation, model_id, fingerprint, languages, nodes, parts, watermark, meta FROM recall_pack_head "
                        "WHERE account_id = ?", IN(c->account_id)));
    return db_row(&q, c, found, OUT(&out->generation), OUT_OPT(&out->model_id), OUT(&out->fingerprint), OUT(&out->languages),
                  OUT(&out->nodes), OUT(&out->parts), OUT(&out->watermark), OUT(&out->meta));
}

err pack_store_part(struct ctx *c, struct uuid generation, int64_t part, bool *found, struct bytes *data, int64_t *checksum)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT data, checksum FROM recall_pack WHERE account_id = ? AND generation = ? AND part = ?",
                 IN(c->account_id), IN(generation), IN(part)));
    return db_row(&q, c, found, OUT(data), OUT(checksum));
}

err pack_store_put_part(struct ctx *c, struct uuid generation, int64_t part, struct bytes data, int64_t checksum)
{
    return db_exec(c, NULL, "INSERT INTO recall_pack (account_id, generation, part, checksum, data) VALUES (?, ?, ?, ?, ?)",
                   IN(c->account_id), IN(generation), IN(part), IN(checksum), IN(data));
}

err pack_store_claim(struct ctx *c, struct uuid generation)
{
    return db_exec(c, NULL,
                   "INSERT INTO recall_pack_head (account_id, generation, fingerprint, languages, nodes, parts, watermark, meta) "
                   "VALUES (?, ?, 0, 0, 0, 0, ?, '') ON DUPLICATE KEY UPDATE account_id = account_id",
                   IN(c->account_id), IN(generation), IN(c->now));
}

err pack_store_put_head(struct ctx *c, struct uuid before, const struct pack_head *h, bool *put)
{
    int64_t n;

    TRY(db_exec(c, &n,
                "UPDATE recall_pack_head SET generation = ?, model_id = ?, fingerprint = ?, languages = ?, nodes = ?, parts = ?, "
                "watermark = ?, meta = ? WHERE account_id = ? AND generation = ?",
                IN(h->generation), IN_OPT(h->model_id), IN(h->fingerprint), IN(h->languages), IN(h->nodes), IN(h->parts),
                IN(h->watermark), IN(h->meta), IN(c->account_id), IN(before)));
    *put = n == 1;
    return ERR_OK;
}

err pack_store_void(struct ctx *c, struct uuid generation)
{
    TRY(db_exec(c, NULL,
                "UPDATE recall_pack_head SET generation = ?, fingerprint = 0, nodes = 0, parts = 0, meta = '' WHERE account_id = ?",
                IN(generation), IN(c->account_id)));
    return db_exec(c, NULL, "DELETE FROM recall_pack WHERE account_id = ?", IN(c->account_id));
}

err pack_store_drop_others(struct ctx *c, struct uuid generation, int64_t *n)
{
    return db_exec(c, n, "DELETE FROM recall_pack WHERE account_id = ? AND generation <> ? LIMIT 100", IN(c->account_id),
                   IN(generation));
}

err pack_store_due(struct ctx *c, int64_t from, int64_t fingerprint, struct instant old, struct uuid above, struct uuid *ids,
                   size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;

    TRY(db_query(c, &q,
                 "SELECT a.id FROM account a LEFT JOIN recall_pack_head h ON h.account_id = a.id "
                 "WHERE a.id > ? AND a.status = 'active' AND (h.fingerprint <> ? OR h.watermark < ? OR "
                 "(SELECT COUNT(*) FROM node n WHERE n.account_id = a.id AND n.updated_at > COALESCE(h.watermark, '1970-01-02')) "
                 ">= COALESCE(h.nodes DIV 20 + 1, ?)) ORDER BY a.id LIMIT ?",
                 IN(above), IN(fingerprint), IN(old), IN(from), IN((int64_t)max)));
    for (*n = 0; *n < max; (*n)++) {
        TRY(db_row(&q, c, &found, OUT(&ids[*n])));
        if (!found)
            break;
    }
    return ERR_OK;
}
