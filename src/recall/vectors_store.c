/* SQL around vectors; see vectors_store.h. */
#include "vectors_store.h"

#include <string.h>

#include "db.h"

/* ---- models */

err vectors_store_models(struct ctx *c, struct model_settings *set, struct vector_model **rows, size_t *n)
{
    scoped_cursor q = {0};
    size_t cap = 8, k = 0;
    struct vector_model *out = ARENA_ARRAY(c->arena, struct vector_model, cap);

    *set = (struct model_settings){0};
    TRY(db_query(c, &q,
                 "SELECT JSON_VALUE(a.settings, '$.embed.provider'), JSON_VALUE(a.settings, '$.embed.model'), "
                 "JSON_QUERY(a.settings, '$.recall.profile'), m.id, m.provider, m.name, m.dim, m.state, m.created_at, "
                 "m.at_zero, m.at_half, m.tested_zero, m.tested_half, m.unrelated, m.answering, m.measured_at, m.retired_at "
                 "FROM account a LEFT JOIN embedding_model m "
                 "ON m.account_id = a.id AND m.provider <> 'client' WHERE a.id = ? ORDER BY m.id DESC LIMIT 8", IN(c->account_id)));
    for (bool found; k < cap; k++) {
        struct vector_model m = {0};

        TRY(db_row(&q, c, &found, OUT_OPT(&set->provider), OUT_OPT(&set->name), OUT_OPT(&set->profile), OUT_OPT(&m.row.id),
                   OUT_OPT(&m.row.provider), OUT_OPT(&m.row.name), OUT_OPT(&m.row.dim), OUT_OPT(&m.row.state),
                   OUT_OPT(&m.row.created_at), OUT_OPT(&m.at_zero), OUT_OPT(&m.at_half), OUT_OPT(&m.tested.at_zero),
                   OUT_OPT(&m.tested.at_half), OUT_OPT(&m.tested.unrelated), OUT_OPT(&m.tested.answering), OUT_OPT(&m.measured_at),
                   OUT_OPT(&m.retired_at)));
        if (!found || uuid_is_nil(m.row.id))
            break;
        out[k] = m;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err vectors_store_state(struct ctx *c, struct uuid model_id, const char *state)
{
    return db_exec(c, NULL, "UPDATE embedding_model SET state = ?, retired_at = IF(? = 'retired', ?, NULL) WHERE account_id = ? "
                            "AND id = ?", IN(state), IN(state), IN(c->now), IN(c->account_id), IN(model_id));
}

err vectors_store_announce(struct ctx *c, struct uuid model_id)
{
    return db_exec(c, NULL, "UPDATE `vector` SET updated_at = ? WHERE account_id = ? AND model_id = ? LIMIT 1", IN(c->now),
                   IN(c->account_id), IN(model_id));
}

err vectors_store_tested(struct ctx *c, struct uuid model_id, const struct embed_scale *s)
{
    return db_exec(c, NULL, "UPDATE embedding_model SET tested_zero = ?, tested_half = ?, unrelated = ?, answering = ? "
                            "WHERE account_id = ? AND id = ?",
                   IN(s->at_zero), IN(s->at_half), IN(s->unrelated), IN(s->answering), IN(c->account_id), IN(model_id));
}

err vectors_store_calibration(struct ctx *c, struct uuid model_id, double at_zero, double at_half)
{
    return db_exec(c, NULL, "UPDATE embedding_model SET at_zero = ?, at_half = ?, measured_at = ? WHERE account_id = ? AND id = ?",
                   IN(at_zero), IN(at_half), IN(c->now), IN(c->account_id), IN(model_id));
}

/* ---- nodes */

/* Old states and forgotten nodes are not searched by meaning, nor numbers and labels in pools. */
#define WITHOUT_VECTOR "(v.text_hash IS NULL OR v.text_hash <> n.content_hash)"
#define OF_NODES \
    " FROM node n LEFT JOIN `vector` v ON v.account_id = n.account_id AND v.node_id = n.id AND v.model_id = ? " \
    "WHERE n.account_id = ? AND n.status <> 'version' AND n.forgotten_at IS NULL " \
    "AND NOT (n.kind = 'pool_entry' AND JSON_VALUE(n.attrs, '$.no_vector') IS NOT NULL)"

/* A key that was made up for who gave none (memory/entry_change.c) means nothing: it would only blur what the entry says. */
#define TITLE "IF(n.kind = 'entry' AND n.title REGEXP '^entry_[0-9a-f]{16}$', '', n.title)"

err vectors_store_due(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, struct due_text **rows, size_t *found)
{
    struct due_text *out = ARENA_ARRAY(c->arena, struct due_text, n + 1);
    scoped_cursor q = {0};
    struct sql s;
    bool more;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, " TITLE ", n.body, JSON_VALUE(n.attrs, '$.speaker'), JSON_VALUE(n.attrs, '$.session') IS NOT NULL, "
               "n.content_hash" OF_NODES " AND " WITHOUT_VECTOR,
            IN(model_id), IN(c->account_id));
    sql_add_in_uuids(&s, "n.id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(db_row(&q, c, &more, OUT(&out[k].id), OUT(&out[k].title), OUT(&out[k].body), OUT_OPT(&out[k].speaker),
                   OUT(&out[k].is_turn), OUT(&out[k].content_hash)));
        if (!more)
            break;
    }
    *rows = out;
    *found = k;
    return ERR_OK;
}

#define SWEPT "SELECT n.id, n.updated_at, n.version, n.content_hash, " WITHOUT_VECTOR OF_NODES

static err read_swept(struct ctx *c, struct db_cursor *q, struct swept *rows, int64_t limit, size_t *n)
{
    size_t k = 0;

    for (bool found; k < (size_t)limit; k++) {
        TRY(db_row(q, c, &found, OUT(&rows[k].id), OUT(&rows[k].at), OUT(&rows[k].version), OUT(&rows[k].content_hash),
                   OUT(&rows[k].missing)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err vectors_store_changed(struct ctx *c, struct uuid model_id, struct instant since, const struct swept *last, int64_t limit,
                          struct swept *rows, size_t *n)
{
    scoped_cursor q = {0};

    if (!last->at.us) {
        TRY(db_query(c, &q, SWEPT " AND n.updated_at > ? ORDER BY n.updated_at DESC, n.version DESC, n.id DESC LIMIT ?",
                     IN(model_id), IN(c->account_id), IN(since), IN(limit)));
        return read_swept(c, &q, rows, limit, n);
    }
    TRY(db_query(c, &q,
                 SWEPT " AND n.updated_at > ? AND n.updated_at <= ? AND (n.updated_at < ? OR n.version < ? OR "
                       "(n.version = ? AND n.id < ?)) ORDER BY n.updated_at DESC, n.version DESC, n.id DESC LIMIT ?",
                 IN(model_id), IN(c->account_id), IN(since), IN(last->at), IN(last->at), IN(last->version), IN(last->version),
                 IN(last->id), IN(limit)));
    return read_swept(c, &q, rows, limit, n);
}

err vectors_store_all(struct ctx *c, struct uuid model_id, struct uuid last, int64_t limit, struct swept *rows, size_t *n)
{
    scoped_cursor q = {0};

    if (uuid_is_nil(last))
        memset(last.b, 0xff, sizeof last.b);
    TRY(db_query(c, &q, SWEPT " AND n.id < ? ORDER BY n.id DESC LIMIT ?", IN(model_id), IN(c->account_id), IN(last), IN(limit)));
    return read_swept(c, &q, rows, limit, n);
}

/* ---- accounts */

/* One entry of the index node_changed is looked at for each account. */
err vectors_store_changed_accounts(struct ctx *c, const char *job, const struct model_default *d, struct uuid above,
                                   struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT a.id FROM account a LEFT JOIN job_state s ON s.account_id = a.id AND s.job_name = ? WHERE a.id > ? "
                 "AND a.status = 'active' AND COALESCE(JSON_VALUE(a.settings, '$.embed.provider'), ?) <> 'none' AND "
                 "(s.position IS NOT NULL OR (SELECT MAX(n.updated_at) FROM node n WHERE n.account_id = a.id) > "
                 "COALESCE(s.watermark, '1970-01-02')) ORDER BY a.id LIMIT ?",
                 IN(job), IN(above), IN(d->provider), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err vectors_store_moving_accounts(struct ctx *c, const struct model_default *d, struct instant retired_before, struct uuid above,
                                  struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT DISTINCT a.id FROM account a JOIN embedding_model m ON m.account_id = a.id AND m.provider <> 'client' "
                 "WHERE a.id > ? AND a.status = 'active' AND (m.state = 'building' OR (m.state = 'retired' AND m.retired_at < ?) "
                 "OR (m.state = 'active' AND COALESCE(JSON_VALUE(a.settings, '$.embed.provider'), ?) NOT IN ('none', m.provider)) "
                 "OR (m.state = 'active' AND m.provider = 'http' AND "
                 "COALESCE(JSON_VALUE(a.settings, '$.embed.provider'), ?) = 'http' AND "
                 "COALESCE(JSON_VALUE(a.settings, '$.embed.model'), ?) <> m.name)) ORDER BY a.id LIMIT ?",
                 IN(above), IN(retired_before), IN(d->provider), IN(d->provider), IN(d->name), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* Since when the job has not looked: read first, so that only the nodes that changed later are looked at. */
static err backlog_since(struct ctx *c, struct instant *since)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COALESCE(MAX(watermark), TIMESTAMP'1970-01-02 00:00:00') FROM job_state WHERE account_id = ? AND job_name = 'embedding_backfill'",
                 IN(c->account_id)));
    return db_row(&q, c, &found, OUT(since));
}

err vectors_store_backlog(struct ctx *c, struct uuid model_id, int64_t max, int64_t *n)
{
    scoped_cursor q = {0};
    struct instant since;
    bool found;

    TRY(backlog_since(c, &since));
    TRY(db_query(c, &q, "SELECT COUNT(*) FROM (SELECT n.id" OF_NODES " AND " WITHOUT_VECTOR " AND n.updated_at > ? ORDER BY "
                        "n.updated_at DESC LIMIT ?) w", IN(model_id),
                 IN(c->account_id), IN(since), IN(max)));
    return db_row(&q, c, &found, OUT(n));
}

err vectors_store_tasks(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM task WHERE status IN ('ready', 'running') AND kind IN ('embed', 'reembed')"));
    return db_row(&q, c, &found, OUT(n));
}

/* ---- leaving */

#define OF_NO_BASE \
    " AND id NOT IN (SELECT model_id FROM knowledge_base_model WHERE account_id = ? AND model_id IS NOT NULL UNION ALL SELECT " \
    "building_model_id FROM knowledge_base_model WHERE account_id = ? AND building_model_id IS NOT NULL)"

err vectors_store_drop_retired(struct ctx *c, struct instant before, int64_t limit, int64_t *n)
{
    TRY(db_exec(c, n, "DELETE FROM `vector` WHERE account_id = ? AND model_id IN (SELECT id FROM embedding_model WHERE "
                      "account_id = ? AND provider <> 'client' AND state = 'retired' AND retired_at < ?" OF_NO_BASE ") LIMIT ?",
                IN(c->account_id), IN(c->account_id), IN(before), IN(c->account_id), IN(c->account_id), IN(limit)));
    if (*n == limit)
        return ERR_OK;
    return db_exec(c, NULL, "DELETE FROM embedding_model WHERE account_id = ? AND provider <> 'client' AND state = 'retired' AND "
                            "retired_at < ?" OF_NO_BASE, IN(c->account_id), IN(before), IN(c->account_id), IN(c->account_id));
}

/* ---- drawing */

err vectors_store_count(struct ctx *c, struct uuid model_id, int64_t *total)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM `vector` FORCE INDEX (vector_updated) WHERE account_id = ? AND model_id = ?",
                 IN(c->account_id), IN(model_id)));
    return db_row(&q, c, &found, OUT(total));
}

/* Which ones is chosen from the index alone; only those are read. */
err vectors_store_draw(struct ctx *c, struct uuid model_id, int64_t one_in, size_t max, struct bytes *blobs, size_t *n)
{
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT v.data FROM (SELECT node_id FROM `vector` FORCE INDEX (vector_updated) WHERE account_id = ? AND "
                 "model_id = ? AND CRC32(node_id) % ? = 0 LIMIT ?) AS drawn JOIN `vector` v ON v.account_id = ? AND "
                 "v.node_id = drawn.node_id AND v.model_id = ? WHERE v.dim > 0",
                 IN(c->account_id), IN(model_id), IN(one_in), IN((int64_t)max), IN(c->account_id), IN(model_id)));
    for (bool found; k < max; k++) {
        TRY(db_row(&q, c, &found, OUT(&blobs[k])));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}
