/* SQL of merges of nodes. */
#include "graph_merge_store.h"

#include "edge.h"
#include "like.h"
#include "row.h"

#define EDGES_AT_ONCE 1000

err graph_merge_store_lock(struct ctx *c, struct uuid id, bool *found, struct graph_merge *out)
{
    return row_one(c, &GRAPH_MERGE, found, out,
                   "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id));
}

err graph_merge_store_list(struct ctx *c, struct uuids spaces, struct uuid before, int64_t limit, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &GRAPH_MERGE, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(limit + 1));
    return row_page(c, &GRAPH_MERGE, &s, limit, out);
}

static err merge_put_some(struct ctx *c, struct uuid merge_id, const struct uuid *ids, size_t n, bool is_made)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO graph_merge_edge (account_id, merge_id, edge_id, is_made) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ",");
        sql_add(&s, "(?,?,?,?)", IN(c->account_id), IN(merge_id), IN(ids[i]), IN(is_made));
    }
    return sql_exec(c, NULL, &s);
}

err graph_merge_store_put_edges(struct ctx *c, struct uuid merge_id, const struct uuid *ids, size_t n, bool is_made)
{
    for (size_t i = 0; i < n; i += EDGES_AT_ONCE)
        TRY(merge_put_some(c, merge_id, ids + i, n - i < EDGES_AT_ONCE ? n - i : EDGES_AT_ONCE, is_made));
    return ERR_OK;
}

static err merge_read_id(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

err graph_merge_store_made(struct ctx *c, struct uuid merge_id, struct uuids *out)
{
    struct sql s;
    void *v;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT m.edge_id FROM graph_merge_edge m JOIN edge e ON e.account_id = m.account_id AND e.id = m.edge_id AND e.live = 1 "
                "WHERE m.account_id = ? AND m.merge_id = ? AND m.is_made = 1", IN(c->account_id), IN(merge_id));
    TRY(sql_rows(c, &s, 2 * MERGE_EDGES, sizeof(struct uuid), merge_read_id, &v, &out->n));
    out->v = v;
    return ERR_OK;
}

err graph_merge_store_revive(struct ctx *c, const struct graph_merge *m)
{
    return db_exec(c, NULL,
                   "UPDATE IGNORE edge e JOIN graph_merge_edge g ON g.account_id = e.account_id AND g.edge_id = e.id AND g.is_made = 0 "
                   "JOIN node a ON a.account_id = e.account_id AND a.id = e.source_id AND a.forgotten_at IS NULL "
                   "JOIN node b ON b.account_id = e.account_id AND b.id = e.target_id AND b.forgotten_at IS NULL "
                   "SET e.retired_at = NULL, e.updated_at = ?, e.version = e.version + 1 WHERE e.account_id = ? AND g.merge_id = ? AND "
                   "e.retired_at = ?", IN(c->now), IN(c->account_id), IN(m->id), IN(m->created_at));
}

static err merge_read_mention(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct edge *e = row;
    const char *metadata = NULL;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->source_id), OUT(&e->relation), OUT(&e->weight), OUT(&e->confidence), OUT(&metadata)));
    if (*found)
        e->metadata = json_raw(c->arena, metadata);
    return ERR_OK;
}

err graph_merge_store_said_since(struct ctx *c, const struct graph_merge *m, const char *name, struct list *out)
{
    const char *its = like_part(c->arena, name), *keepers = like_part(c->arena, m->keeper_name);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.id, e.source_id, e.relation, e.weight, e.confidence, e.metadata FROM edge e JOIN node n ON "
                "n.account_id = e.account_id AND n.id = e.source_id WHERE e.account_id = ? AND e.target_id = ? AND "
                "e.relation = 'MENTIONS' AND e.live = 1 AND e.recorded_at > ? AND (n.title COLLATE utf8mb4_unicode_ci LIKE ? OR "
                "n.body COLLATE utf8mb4_unicode_ci LIKE ?) AND n.title COLLATE utf8mb4_unicode_ci NOT LIKE ? AND "
                "n.body COLLATE utf8mb4_unicode_ci NOT LIKE ? LIMIT ?",
            IN(c->account_id), IN(m->keeper_id), IN(m->created_at), IN(its), IN(its), IN(keepers), IN(keepers), IN((int64_t)MERGE_EDGES));
    return sql_rows(c, &s, MERGE_EDGES, sizeof(struct edge), merge_read_mention, &out->v, &out->n);
}
