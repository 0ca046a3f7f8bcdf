/* SQL of models of bases. */
#include "base_model_store.h"

#include "row.h"

#define GET \
    "SELECT model_id, building_model_id, past_model_id, is_building, switched_at, started_at FROM knowledge_base_model WHERE " \
    "account_id = ? AND knowledge_base_id = ?"

static err base_model_read(struct ctx *c, struct db_cursor *q, bool *found, struct base_model *out)
{
    return db_row(q, c, found, OUT_OPT(&out->model_id), OUT_OPT(&out->building_model_id), OUT_OPT(&out->past_model_id),
                  OUT(&out->is_building), OUT_OPT(&out->switched_at), OUT_OPT(&out->started_at));
}

err base_model_store_get(struct ctx *c, struct uuid base, bool *found, struct base_model *out)
{
    scoped_cursor q = {0};

    *out = (struct base_model){.knowledge_base_id = base};
    TRY(db_query(c, &q, GET, IN(c->account_id), IN(base)));
    return base_model_read(c, &q, found, out);
}

err base_model_store_lock(struct ctx *c, struct uuid base, bool *found, struct base_model *out)
{
    scoped_cursor q = {0};

    *out = (struct base_model){.knowledge_base_id = base};
    TRY(db_query(c, &q, GET " FOR UPDATE", IN(c->account_id), IN(base)));
    return base_model_read(c, &q, found, out);
}

err base_model_store_put(struct ctx *c, const struct base_model *m)
{
    return db_exec(c, NULL,
                   "REPLACE INTO knowledge_base_model (account_id, knowledge_base_id, model_id, building_model_id, past_model_id, "
                   "is_building, switched_at, started_at) VALUES (?,?,?,?,?,?,?,?)",
                   IN(c->account_id), IN(m->knowledge_base_id), IN_OPT(m->model_id), IN_OPT(m->building_model_id),
                   IN_OPT(m->past_model_id), IN(m->is_building), IN_OPT(m->switched_at), IN_OPT(m->started_at));
}

#define OF_ACCOUNT "SELECT id FROM embedding_model WHERE account_id = ? AND state = 'active' ORDER BY provider = 'client', id LIMIT 1"

err base_model_store_own(struct ctx *c, struct uuids bases, struct uuid *base, struct uuid *model, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    *n = 0;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT knowledge_base_id, model_id FROM knowledge_base_model WHERE account_id = ? AND model_id IS NOT NULL AND "
                "model_id <> COALESCE((" OF_ACCOUNT "), ?)", IN(c->account_id), IN(c->account_id), IN(c->account_id));
    sql_add_in_uuids(&s, "knowledge_base_id", bases.v, bases.n);
    TRY(sql_query(c, &q, &s));
    for (; *n < bases.n; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&base[*n]), OUT(&model[*n])));
        if (!found)
            break;
    }
    return ERR_OK;
}

err base_model_store_account(struct ctx *c, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    *id = (struct uuid){0};
    TRY(db_query(c, &q, OF_ACCOUNT, IN(c->account_id)));
    return db_row(&q, c, &found, OUT(id));
}

#define OF_BASE \
    " FROM document d JOIN chunk h ON h.account_id = d.account_id AND h.document_id = d.id JOIN node n ON n.account_id = h.account_id " \
    "AND n.id = h.id AND n.forgotten_at IS NULL LEFT JOIN `vector` v ON v.account_id = h.account_id AND v.node_id = h.id AND " \
    "v.model_id = ? AND v.text_hash = n.content_hash WHERE d.account_id = ? AND d.knowledge_base_id = ? AND d.deleted_at IS NULL"

err base_model_store_missing(struct ctx *c, const struct base_part *of, struct uuid model, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT h.id" OF_BASE " AND v.node_id IS NULL", IN(model), IN(c->account_id), IN(of->knowledge_base_id));
    if (!uuid_is_nil(of->document_id))
        sql_add(&s, " AND d.id = ?", IN(of->document_id));
    sql_add(&s, " LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, ids, max, n);
}

#define OPEN_TASK \
    "SELECT 1 FROM task t WHERE t.account_id = k.account_id AND t.kind = 'reembed_base' AND t.status IN ('ready','running') AND t.lane = " \
    "CAST(k.knowledge_base_id AS CHAR CHARACTER SET ascii)"
#define LACKS_SOME \
    "SELECT 1 FROM document d JOIN chunk h ON h.account_id = d.account_id AND h.document_id = d.id LEFT JOIN `vector` v ON " \
    "v.account_id = h.account_id AND v.node_id = h.id AND v.model_id = k.model_id WHERE d.account_id = k.account_id AND " \
    "d.knowledge_base_id = k.knowledge_base_id AND d.deleted_at IS NULL AND d.processed_at > ? AND d.processed_at < ? AND " \
    "v.node_id IS NULL"

err base_model_store_lost(struct ctx *c, struct instant from, struct instant before, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT k.knowledge_base_id FROM knowledge_base_model k WHERE k.account_id = ? AND NOT EXISTS (" OPEN_TASK ") AND "
                 "((k.is_building = 1 AND k.started_at < ?) OR (k.model_id IS NOT NULL AND EXISTS (" LACKS_SOME "))) LIMIT ?",
                 IN(c->account_id), IN(before), IN(from), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err base_model_store_count(struct ctx *c, struct uuid base, struct uuid model, int64_t *chunks, int64_t *left)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*), COUNT(*) - COUNT(v.node_id)" OF_BASE, IN(model), IN(c->account_id), IN(base)));
    return db_row(&q, c, &found, OUT(chunks), OUT(left));
}

err base_model_store_use(struct ctx *c, struct uuid model, bool is_used)
{
    if (is_used)
        return db_exec(c, NULL, "UPDATE embedding_model SET retired_at = NULL WHERE account_id = ? AND id = ? AND state = 'retired'",
                       IN(c->account_id), IN(model));
    return db_exec(c, NULL,
                   "UPDATE embedding_model SET retired_at = ? WHERE account_id = ? AND id = ? AND state = 'retired' AND NOT EXISTS (SELECT "
                   "1 FROM knowledge_base_model k WHERE k.account_id = ? AND (k.model_id = ? OR k.building_model_id = ?))",
                   IN(c->now), IN(c->account_id), IN(model), IN(c->account_id), IN(model), IN(model));
}

err base_model_store_exists(struct ctx *c, struct uuid model, bool *yes)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM embedding_model WHERE account_id = ? AND id = ?", IN(c->account_id), IN(model)));
    return db_row(&q, c, yes, OUT(&one));
}
