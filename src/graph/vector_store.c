/* SQL of vectors and their models. */
#include "vector_store.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "node_write_store.h"

#define MODEL "id, provider, name, dim, state, created_at"

static err read_model(struct ctx *c, struct db_cursor *q, bool *found, struct embedding_model *m)
{
    return db_row(q, c, found, OUT(&m->id), OUT(&m->provider), OUT(&m->name), OUT(&m->dim), OUT(&m->state), OUT(&m->created_at));
}

err vector_store_model(struct ctx *c, const char *name, bool clients_only, bool *found, struct embedding_model *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " MODEL " FROM embedding_model WHERE account_id = ? AND name = ? AND (provider = 'client' OR NOT ?) "
                        "ORDER BY provider = 'client' DESC, id LIMIT 1", IN(c->account_id), IN(name), IN(clients_only)));
    return read_model(c, &q, found, out);
}

err vector_store_model_of(struct ctx *c, const char *provider, const char *name, bool *found, struct embedding_model *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " MODEL " FROM embedding_model WHERE account_id = ? AND provider = ? AND name = ?",
                 IN(c->account_id), IN(provider), IN(name)));
    return read_model(c, &q, found, out);
}

err vector_store_add_model(struct ctx *c, const struct embedding_model *m)
{
    return db_exec(c, NULL, "INSERT INTO embedding_model (account_id, " MODEL ") VALUES (?,?,?,?,?,?,?)", IN(c->account_id),
                   IN(m->id), IN(m->provider), IN(m->name), IN(m->dim), IN(m->state), IN(m->created_at));
}

err vector_store_models(struct ctx *c, int64_t limit, struct uuid before, struct embedding_model **rows, size_t *n)
{
    struct embedding_model *out = ARENA_ARRAY(c->arena, struct embedding_model, (size_t)limit + 2);
    scoped_cursor q = {0};
    bool found;
    size_t k = 0;

    TRY(db_query(c, &q, "SELECT " MODEL " FROM embedding_model WHERE account_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
                 IN(c->account_id), IN(before), IN(limit + 1)));
    for (;; k++) {
        TRY(read_model(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err vector_store_model_name(struct ctx *c, struct uuid id, const char **name)
{
    scoped_cursor q = {0};
    bool found;

    *name = NULL;
    TRY(db_query(c, &q, "SELECT name FROM embedding_model WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return db_row(&q, c, &found, OUT(name));
}

err vector_store_put(struct ctx *c, struct uuid node_id, const struct embedding_model *m, const struct vector_row *row)
{
    return db_exec(c, NULL,
                   "INSERT INTO `vector` (account_id, node_id, model_id, dim, data, text_hash, updated_at) VALUES (?,?,?,?,?,?,?) "
                   "ON DUPLICATE KEY UPDATE dim = VALUE(dim), data = VALUE(data), text_hash = VALUE(text_hash), "
                   "updated_at = VALUE(updated_at)",
                   IN(c->account_id), IN(node_id), IN(m->id), IN(m->dim), IN(row->data), IN(row->text_hash), IN(row->updated_at));
}

err vector_store_get(struct ctx *c, struct uuid node_id, struct uuid model_id, bool *found, struct vector_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT data, text_hash, updated_at FROM `vector` WHERE account_id = ? AND node_id = ? AND model_id = ?",
                 IN(c->account_id), IN(node_id), IN(model_id)));
    return db_row(&q, c, found, OUT(&out->data), OUT(&out->text_hash), OUT(&out->updated_at));
}

err vector_store_delete(struct ctx *c, struct uuid node_id, struct uuid model_id, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed, "DELETE FROM `vector` WHERE account_id = ? AND node_id = ? AND model_id = ?", IN(c->account_id),
                IN(node_id), IN(model_id)));
    *done = changed != 0;
    /* Who follows changes by their instants sees no row that is gone: the node says it. */
    return *done ? node_write_instant(c, node_id) : ERR_OK;
}

/* ---- many at once */

static int vector_store_by_node(const void *a, const void *b)
{
    return uuid_cmp(((const struct vector_new *)a)->node_id, ((const struct vector_new *)b)->node_id);
}

err vector_store_lock_unchanged(struct ctx *c, const struct vector_new *v, size_t n, bool *unchanged)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct vector_new row = {0};
    scoped_cursor q = {0};
    struct sql s;

    for (size_t i = 0; i < n; i++)
        ids[i] = v[i].node_id;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, content_hash FROM node WHERE account_id = ? AND status <> 'version'", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " LOCK IN SHARE MODE");
    TRY(sql_query(c, &q, &s));
    for (bool found;;) {
        const struct vector_new *hit;

        TRY(db_row(&q, c, &found, OUT(&row.node_id), OUT(&row.text_hash)));
        if (!found)
            return ERR_OK;
        hit = bsearch(&row, v, n, sizeof *v, vector_store_by_node);
        if (hit)
            unchanged[hit - v] = row.text_hash.n == hit->text_hash.n && memcmp(row.text_hash.p, hit->text_hash.p, row.text_hash.n) == 0;
    }
}

err vector_store_put_many(struct ctx *c, const struct embedding_model *m, const char *precision, const struct vector_new *v,
                          const struct bytes *blobs, size_t n)
{
    bool any = false;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO `vector` (account_id, node_id, model_id, dim, data, text_hash, precision_name, updated_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (!blobs[i].p)
            continue;
        if (any)
            sql_add(&s, ", ");
        any = true;
        sql_add(&s, "(?,?,?,?,?,?,?,?)", IN(c->account_id), IN(v[i].node_id), IN(m->id), IN(blobs[i].n ? m->dim : 0), IN(blobs[i]),
                IN(v[i].text_hash), IN(precision), IN(c->now));
    }
    if (!any)
        return ERR_OK;
    sql_add(&s, " ON DUPLICATE KEY UPDATE dim = VALUE(dim), data = VALUE(data), text_hash = VALUE(text_hash), "
                "precision_name = VALUE(precision_name), updated_at = VALUE(updated_at)");
    return sql_exec(c, NULL, &s);
}

err vector_store_copy(struct ctx *c, const struct uuid *from, const struct uuid *to, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO `vector` (account_id, node_id, model_id, dim, data, text_hash, precision_name, updated_at) "
                "SELECT v.account_id, n.id, v.model_id, v.dim, v.data, v.text_hash, v.precision_name, CAST(? AS DATETIME(6)) FROM (",
            IN(c->now));
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS source, CAST(? AS UUID) AS target", IN(from[i]), IN(to[i]));
    }
    sql_add(&s, ") AS pair JOIN `vector` v ON v.account_id = ? AND v.node_id = pair.source JOIN node n ON n.account_id = v.account_id "
                "AND n.id = pair.target AND n.content_hash = v.text_hash", IN(c->account_id));
    return sql_exec(c, NULL, &s);
}

err vector_store_delete_nodes(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM `vector` WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    return sql_exec(c, NULL, &s);
}
