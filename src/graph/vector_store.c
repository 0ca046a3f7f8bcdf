/* SQL of vectors and their models. */
#include "vector_store.h"

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
