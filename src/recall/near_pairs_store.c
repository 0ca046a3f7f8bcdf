/* SQL of vectors of live nodes. */
#include "near_pairs_store.h"

#include "db.h"

#define IN_USE \
    " AND n.status IN ('active', 'verified') AND n.archived_at IS NULL AND n.forgotten_at IS NULL " \
    "AND (n.expires_at IS NULL OR n.expires_at > ?)"
/* With a vector of the text that it has now. */
#define LIVE IN_USE " AND v.text_hash = n.content_hash AND v.dim > 0"

static void add_kinds(struct sql *s, struct strs kinds)
{
    sql_add(s, " AND n.kind IN (");
    for (size_t i = 0; i < kinds.n; i++) {
        if (i)
            sql_add(s, ", ");
        sql_add(s, "?", IN(kinds.v[i]));
    }
    sql_add(s, ")");
}

err near_pairs_store_new(struct ctx *c, struct uuid model_id, const struct near_sweep *s, struct instant at, struct uuid id,
                         struct near_node *rows, size_t *n)
{
    struct instant from = at.us > s->since.us ? at : s->since;
    scoped_cursor q = {0};
    struct sql sql;
    size_t k = 0;

    sql_init(&sql, c->arena);
    sql_add(&sql, "SELECT n.id, n.space_id, n.kind, v.updated_at, v.data FROM `vector` v FORCE INDEX (vector_updated) JOIN node n ON "
                  "n.account_id = v.account_id AND n.id = v.node_id WHERE v.account_id = ? AND v.model_id = ? AND v.updated_at >= ? AND "
                  "(v.updated_at > ? OR v.node_id > ?)" LIVE,
            IN(c->account_id), IN(model_id), IN(from), IN(from), IN(id), IN(c->now));
    add_kinds(&sql, s->kinds);
    sql_add(&sql, " ORDER BY v.updated_at, v.node_id LIMIT ?", IN(s->limit));
    TRY(sql_query(c, &q, &sql));
    for (bool found; (int64_t)k < s->limit; k++) {
        TRY(db_row(&q, c, &found, OUT(&rows[k].id), OUT(&rows[k].space_id), OUT(&rows[k].kind), OUT(&rows[k].at), OUT(&rows[k].blob)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err near_pairs_store_all(struct ctx *c, struct uuid model_id, struct uuid space_id, const char *kind, struct uuid above, int64_t limit,
                         struct near_node *rows, size_t *n)
{
    scoped_cursor q = {0};
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT n.id, v.data FROM node n FORCE INDEX (node_space_time) JOIN `vector` v ON v.account_id = n.account_id AND "
                 "v.node_id = n.id AND v.model_id = ? WHERE n.account_id = ? AND n.space_id = ? AND n.id > ? AND n.kind = ?" LIVE
                 " ORDER BY n.id LIMIT ?",
                 IN(model_id), IN(c->account_id), IN(space_id), IN(above), IN(kind), IN(c->now), IN(limit)));
    for (bool found; (int64_t)k < limit; k++) {
        TRY(db_row(&q, c, &found, OUT(&rows[k].id), OUT(&rows[k].blob)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err near_pairs_store_begin(struct ctx *c, struct uuid space_id, int64_t of, struct uuid *behind)
{
    scoped_cursor q = {0};
    bool found;

    *behind = (struct uuid){{0}};
    TRY(db_query(c, &q, "SELECT id FROM node FORCE INDEX (node_space_time) WHERE account_id = ? AND space_id = ? ORDER BY id DESC LIMIT ?, 1",
                 IN(c->account_id), IN(space_id), IN(of)));
    return db_row(&q, c, &found, OUT(behind));
}

err near_pairs_store_bare(struct ctx *c, struct uuid model_id, struct uuid space_id, const char *kind, struct uuid above, size_t max,
                          struct uuid *ids, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT n.id FROM node n FORCE INDEX (node_space_time) LEFT JOIN `vector` v ON v.account_id = n.account_id AND "
                 "v.node_id = n.id AND v.model_id = ? WHERE n.account_id = ? AND n.space_id = ? AND n.id > ? AND n.kind = ?" IN_USE
                 " AND (v.text_hash IS NULL OR v.text_hash <> n.content_hash) ORDER BY n.id DESC LIMIT ?",
                 IN(model_id), IN(c->account_id), IN(space_id), IN(above), IN(kind), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err near_pairs_store_some(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, struct near_node *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, v.data FROM node n JOIN `vector` v ON v.account_id = n.account_id AND v.node_id = n.id AND v.model_id = ? "
                "WHERE n.account_id = ?" LIVE, IN(model_id), IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (bool more; k < n; k++) {
        TRY(db_row(&q, c, &more, OUT(&rows[k].id), OUT(&rows[k].blob)));
        if (!more)
            break;
    }
    *found = k;
    return ERR_OK;
}

err near_pairs_store_bodies(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *of, const char **bodies, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, n.body FROM node n WHERE n.account_id = ?" IN_USE " AND n.body <> ''", IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (bool more; k < n; k++) {
        TRY(db_row(&q, c, &more, OUT(&of[k]), OUT(&bodies[k])));
        if (!more)
            break;
    }
    *found = k;
    return ERR_OK;
}

err near_pairs_store_due(struct ctx *c, const char *job, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT a.id FROM account a LEFT JOIN job_state s ON s.account_id = a.id AND s.job_name = ? WHERE a.id > ? AND "
                 "a.status = 'active' AND (s.position IS NOT NULL OR (SELECT MAX(v.updated_at) FROM `vector` v WHERE "
                 "v.account_id = a.id) > COALESCE(s.watermark, '1970-01-02')) ORDER BY a.id LIMIT ?",
                 IN(job), IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
