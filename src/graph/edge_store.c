/* SQL of edges. */
#include "edge_store.h"

#include <assert.h>

#include "access.h"
#include "db.h"

#define EDGE_TARGETS 64 /* of one relation from one node, where many are asked for */

#define COLUMNS \
    "e.id, e.source_id, e.target_id, e.relation, e.weight, e.confidence, e.bidirectional, e.status, e.valid_from, e.valid_to, " \
    "e.recorded_at, e.retired_at, e.metadata, e.version, e.updated_at"

static err edge_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct edge *e)
{
    const char *status = NULL, *metadata = NULL;
    int s;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->source_id), OUT(&e->target_id), OUT(&e->relation), OUT(&e->weight),
               OUT(&e->confidence), OUT(&e->bidirectional), OUT(&status), OUT_OPT(&e->valid_from), OUT_OPT(&e->valid_to),
               OUT(&e->recorded_at), OUT_OPT(&e->retired_at), OUT(&metadata), OUT(&e->version), OUT(&e->updated_at)));
    if (!*found)
        return ERR_OK;
    if (!enumx_parse(&edge_status_enumx, status, &s))
        return fail(c, ERR_INTERNAL, "edge %s has status '%s'", UUID_STR(e->id), status);
    e->status = (enum edge_status)s;
    e->metadata = json_raw(c->arena, metadata);
    return ERR_OK;
}

static const char *status_name(enum edge_status s)
{
    return enumx_name(&edge_status_enumx, (int)s);
}

static err edge_store_add(struct ctx *c, const struct edge *rows, size_t n, bool is_lenient)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO edge (account_id, id, source_id, target_id, relation, weight, confidence, bidirectional, status, "
                "valid_from, valid_to, recorded_at, retired_at, metadata, version, updated_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct edge *e = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(e->id), IN(e->source_id), IN(e->target_id),
                IN(e->relation), IN(e->weight), IN(e->confidence), IN(e->bidirectional), IN(status_name(e->status)),
                IN_OPT(e->valid_from), IN_OPT(e->valid_to), IN(e->recorded_at), IN_OPT(e->retired_at),
                IN(json_text(c->arena, e->metadata)), IN(e->version), IN(e->updated_at));
    }
    if (is_lenient)
        sql_add(&s, " ON DUPLICATE KEY UPDATE version = edge.version");
    return sql_exec(c, NULL, &s);
}

err edge_store_insert(struct ctx *c, const struct edge *rows, size_t n)
{
    return edge_store_add(c, rows, n, false);
}

err edge_store_put(struct ctx *c, const struct edge *rows, size_t n)
{
    return edge_store_add(c, rows, n, true);
}

static err edge_store_read_target(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

err edge_store_targets(struct ctx *c, const struct uuid *sources, size_t n, const char *relation, struct uuids *out)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT target_id FROM edge WHERE account_id = ? AND relation = ? AND retired_at IS NULL", IN(c->account_id),
            IN(relation));
    sql_add_in_uuids(&s, "source_id", sources, n);
    TRY(sql_rows(c, &s, EDGE_TARGETS * n, sizeof(struct uuid), edge_store_read_target, &v, &out->n));
    out->v = v;
    return ERR_OK;
}

err edge_store_retire(struct ctx *c, const struct edge_pick *p)
{
    struct sql s;

    assert(p->ids.n || p->sources.n || p->targets.n); /* never all of an account */
    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE edge SET retired_at = ?, updated_at = ?, version = version + 1 WHERE account_id = ? AND retired_at IS NULL",
            IN(c->now), IN(c->now), IN(c->account_id));
    if (p->relation)
        sql_add(&s, " AND relation = ?", IN(p->relation));
    if (p->ids.n)
        sql_add_in_uuids(&s, "id", p->ids.v, p->ids.n);
    if (p->sources.n)
        sql_add_in_uuids(&s, "source_id", p->sources.v, p->sources.n);
    if (p->targets.n)
        sql_add_in_uuids(&s, "target_id", p->targets.v, p->targets.n);
    return sql_exec(c, NULL, &s);
}

err edge_store_update(struct ctx *c, const struct edge *e, int64_t old_version, bool *done)
{
    int64_t changed;

    TRY(db_exec(c, &changed,
                "UPDATE edge SET weight = ?, confidence = ?, bidirectional = ?, status = ?, valid_from = ?, valid_to = ?, "
                "retired_at = ?, metadata = ?, version = ?, updated_at = ? WHERE account_id = ? AND id = ? AND version = ?",
                IN(e->weight), IN(e->confidence), IN(e->bidirectional), IN(status_name(e->status)), IN_OPT(e->valid_from),
                IN_OPT(e->valid_to), IN_OPT(e->retired_at), IN(json_text(c->arena, e->metadata)), IN(e->version),
                IN(e->updated_at), IN(c->account_id), IN(e->id), IN(old_version)));
    *done = changed != 0;
    return ERR_OK;
}

err edge_store_mark(struct ctx *c, const struct edge *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE edge SET version = version + 1, updated_at = ?, metadata = CASE id", IN(c->now));
    for (size_t i = 0; i < n; i++) {
        ids[i] = rows[i].id;
        sql_add(&s, " WHEN ? THEN ?", IN(rows[i].id), IN(json_text(c->arena, rows[i].metadata)));
    }
    sql_add(&s, " END WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return sql_exec(c, NULL, &s);
}

static err edge_store_read_any(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return edge_store_read_row(c, q, found, row);
}

err edge_store_of_sources(struct ctx *c, const char *relation, const struct uuid *sources, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM edge e WHERE e.account_id = ? AND e.relation = ? AND e.live = 1", IN(c->account_id), IN(relation));
    sql_add_in_uuids(&s, "e.source_id", sources, n);
    sql_add(&s, " ORDER BY e.source_id, e.target_id");
    return sql_rows(c, &s, n * 1000 + 1, sizeof(struct edge), edge_store_read_any, &out->v, &out->n);
}

/* Each side by its own index; an edge between two of the nodes is told by its source. */
err edge_store_touching(struct ctx *c, const struct uuid *nodes, size_t n, size_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "(SELECT " COLUMNS " FROM edge e WHERE e.account_id = ? AND e.live = 1", IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", nodes, n);
    sql_add(&s, " LIMIT ?) UNION DISTINCT (SELECT " COLUMNS " FROM edge e WHERE e.account_id = ? AND e.live = 1", IN((int64_t)max),
            IN(c->account_id));
    sql_add_in_uuids(&s, "e.target_id", nodes, n);
    sql_add(&s, " LIMIT ?)", IN((int64_t)max));
    return sql_rows(c, &s, 2 * max, sizeof(struct edge), edge_store_read_any, &out->v, &out->n);
}

err edge_store_get(struct ctx *c, struct uuid id, bool *found, struct edge *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM edge e WHERE e.account_id = ? AND e.id = ?", IN(c->account_id), IN(id)));
    return edge_store_read_row(c, &q, found, out);
}

err edge_store_lock(struct ctx *c, struct uuid id, bool *found, struct edge *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM edge e WHERE e.account_id = ? AND e.id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    return edge_store_read_row(c, &q, found, out);
}

/* An edge of a node is found through the index of its end, so each direction is a branch of its own. */
static void edge_store_around(struct ctx *c, struct sql *s, const struct edge_filter *f, struct uuid before)
{
    sql_add(s, " AND e.id IN (");
    if (f->direction != EDGE_INWARD)
        sql_add(s, "SELECT id FROM edge WHERE account_id = ? AND source_id = ? AND id < ?", IN(c->account_id), IN(f->node_id),
                IN(before));
    if (f->direction == EDGE_EITHER)
        sql_add(s, " UNION ");
    if (f->direction != EDGE_OUTWARD)
        sql_add(s, "SELECT id FROM edge WHERE account_id = ? AND target_id = ? AND id < ?", IN(c->account_id), IN(f->node_id),
                IN(before));
    sql_add(s, ")");
}

static void edge_store_conditions(struct ctx *c, struct sql *s, const struct edge_filter *f)
{
    if (f->relation)
        sql_add(s, " AND e.relation = ?", IN(f->relation));
    if (!f->include_archived)
        sql_add(s, " AND e.status = 'active'");
    if (f->as_of.us)
        sql_add(s, " AND (e.valid_from IS NULL OR e.valid_from <= ?) AND (e.valid_to IS NULL OR e.valid_to > ?)", IN(f->as_of),
                IN(f->as_of));
    if (f->as_known_at.us)
        sql_add(s, " AND e.recorded_at <= ? AND (e.retired_at IS NULL OR e.retired_at > ?)", IN(f->as_known_at), IN(f->as_known_at));
    else
        sql_add(s, " AND e.retired_at IS NULL");
    sql_add(s, " AND a.forgotten_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > ?)", IN(c->now));
    sql_add(s, " AND b.forgotten_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > ?)", IN(c->now));
    sql_add_in_uuids(s, "a.space_id", c->access->readable, c->access->n);
    sql_add_in_uuids(s, "b.space_id", c->access->readable, c->access->n);
}

err edge_store_list(struct ctx *c, const struct edge_filter *f, struct uuid before, struct edge **rows, size_t *n)
{
    struct edge *out = ARENA_ARRAY(c->arena, struct edge, (size_t)f->limit + 2);
    scoped_cursor q = {0};
    struct sql s;
    bool found;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM edge e JOIN node a ON a.account_id = ? AND a.id = e.source_id JOIN node b ON b.account_id = ? "
                "AND b.id = e.target_id WHERE e.account_id = ? AND e.id < ?",
            IN(c->account_id), IN(c->account_id), IN(c->account_id), IN(before));
    if (!uuid_is_nil(f->node_id))
        edge_store_around(c, &s, f, before);
    edge_store_conditions(c, &s, f);
    sql_add(&s, " ORDER BY e.id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(edge_store_read_row(c, &q, &found, &out[k]));
        if (!found)
            break;
    }
    *rows = out;
    *n = k;
    return ERR_OK;
}

err edge_store_delete_nodes(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM edge WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM edge WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "target_id", ids, n);
    return sql_exec(c, NULL, &s);
}
