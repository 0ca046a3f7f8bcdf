/* SQL of figures and lists of the knowledge graph; see graph_store.h. */
#include "graph_store.h"

#include <math.h>

#include "access.h"
#include "db.h"
#include "like.h"
#include "relation.h"
#include "strs_json.h"

#define GRAPH_KINDS "('entity','page','article','document','skill','agent','goal','community','tag')"
#define IS_LIVE(t) t ".forgotten_at IS NULL AND " t ".status NOT IN ('forgotten','version','archived')"
#define COUNTS_MAX 200

static err graph_read_count(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct graph_count *r = row;

    return db_row(q, c, found, OUT(&r->name), OUT(&r->n));
}

err graph_store_counts(struct ctx *c, struct uuids spaces, bool by_type, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    if (by_type)
        sql_add(&s, "SELECT COALESCE(JSON_VALUE(n.attrs, '$.entity_type'), 'concept') AS name, COUNT(*) FROM node n WHERE "
                    "n.kind = 'entity' AND " IS_LIVE("n"));
    else
        sql_add(&s, "SELECT n.kind AS name, COUNT(*) FROM node n WHERE n.kind IN " GRAPH_KINDS " AND " IS_LIVE("n"));
    sql_add(&s, " AND n.account_id = ? AND (n.expires_at IS NULL OR n.expires_at > ?)", IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " GROUP BY name ORDER BY COUNT(*) DESC, name LIMIT 200");
    return sql_rows(c, &s, COUNTS_MAX, sizeof(struct graph_count), graph_read_count, &out->v, &out->n);
}

/* The edges whose two ends are nodes of the graph in these spaces. Order and indexes are given: with a hub of many edges in its statistics
 * MariaDB reads all edges of the account for each node. */
static void graph_add_edges(struct ctx *c, struct sql *s, struct uuids spaces)
{
    sql_add(s, " FROM node a STRAIGHT_JOIN edge e FORCE INDEX (edge_live) ON e.account_id = a.account_id AND e.source_id = a.id AND "
               "e.retired_at IS NULL AND e.status = 'active' STRAIGHT_JOIN node b FORCE INDEX (PRIMARY) ON b.account_id = e.account_id AND "
               "b.id = e.target_id AND b.kind IN " GRAPH_KINDS " AND " IS_LIVE("b") " WHERE a.account_id = ? AND "
               "a.kind IN " GRAPH_KINDS " AND " IS_LIVE("a"), IN(c->account_id));
    sql_add_in_uuids(s, "a.space_id", spaces.v, spaces.n);
    sql_add_in_uuids(s, "b.space_id", spaces.v, spaces.n);
}

err graph_store_relations(struct ctx *c, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.relation, COUNT(*)");
    graph_add_edges(c, &s, spaces);
    sql_add(&s, " GROUP BY e.relation ORDER BY COUNT(*) DESC, e.relation LIMIT 200");
    return sql_rows(c, &s, COUNTS_MAX, sizeof(struct graph_count), graph_read_count, &out->v, &out->n);
}

static err graph_read_tie(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct graph_tie *r = row;

    return db_row(q, c, found, OUT(&r->source_id), OUT(&r->target_id));
}

err graph_store_ties(struct ctx *c, struct uuids spaces, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, e.target_id");
    graph_add_edges(c, &s, spaces);
    sql_add(&s, " LIMIT ?", IN(max));
    return sql_rows(c, &s, (size_t)max, sizeof(struct graph_tie), graph_read_tie, &out->v, &out->n);
}

static err graph_read_title(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct graph_hub *r = row;

    return db_row(q, c, found, OUT(&r->id), OUT(&r->title));
}

err graph_store_titles(struct ctx *c, const struct uuid *ids, size_t n, struct graph_hub *rows)
{
    const struct graph_hub *v;
    struct list found;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, title FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_rows(c, &s, n, sizeof(struct graph_hub), graph_read_title, &found.v, &found.n));
    v = found.v;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < found.n; k++)
            if (uuid_eq(v[k].id, ids[i]))
                rows[i].title = v[k].title;
    return ERR_OK;
}

const char *graph_relation_name(const char *name)
{
    const struct relation *r = relation_find(name);

    return r ? r->name : name;
}

err graph_store_of_relation(struct ctx *c, const char *relation, struct uuids spaces, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, e.target_id");
    graph_add_edges(c, &s, spaces);
    if (relation)
        sql_add(&s, " AND e.relation = ?", IN(graph_relation_name(relation)));
    sql_add(&s, " ORDER BY e.weight DESC, e.id LIMIT ?", IN(max));
    return sql_rows(c, &s, (size_t)max, sizeof(struct graph_tie), graph_read_tie, &out->v, &out->n);
}

/* ---- nodes */

#define VIEW_COLUMNS \
    "n.id, n.space_id, n.kind, n.title, n.body, n.attrs, n.confidence, n.version, n.created_at, n.updated_at, " \
    "(SELECT COUNT(*) FROM edge e WHERE e.account_id = n.account_id AND e.target_id = n.id AND e.relation = 'MENTIONS' AND " \
    "e.retired_at IS NULL) AS mentions, (SELECT COUNT(*) FROM edge e WHERE e.account_id = n.account_id AND (e.target_id = n.id OR " \
    "e.source_id = n.id) AND e.relation <> 'MENTIONS' AND e.retired_at IS NULL) AS degree"

static void graph_view_finish(struct ctx *c, const char *attrs, struct graph_node_view *v)
{
    const struct json *o = json_opened(c->arena, json_raw(c->arena, attrs));

    v->node_type = json_get_str(o, "node_type");
    v->entity_type = json_get_str(o, "entity_type");
    if (!v->node_type)
        v->node_type = str_eq(v->kind, "entity") ? "entity" : "content";
    v->aliases = strs_from_json(c->arena, json_get(o, "aliases") ? json_text(c->arena, json_get(o, "aliases")) : NULL);
    v->quality = 0.5 * v->confidence + 0.3 * fmin(log10((double)v->mentions + 1) / 3, 1) + 0.2 * fmin((double)v->degree / 20, 1);
    v->untrusted = true;
}

static err graph_read_view(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct graph_node_view *v = row;
    const char *attrs = NULL;

    TRY(db_row(q, c, found, OUT(&v->id), OUT(&v->space_id), OUT(&v->kind), OUT(&v->name), OUT(&v->description), OUT(&attrs),
               OUT(&v->confidence), OUT(&v->version), OUT(&v->created_at), OUT(&v->updated_at), OUT(&v->mentions), OUT(&v->degree)));
    if (*found)
        graph_view_finish(c, attrs, v);
    return ERR_OK;
}

err graph_store_view(struct ctx *c, struct uuid id, struct graph_node_view *out)
{
    scoped_cursor q = {0};
    struct graph_node_view v = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " VIEW_COLUMNS " FROM node n WHERE n.account_id = ? AND n.id = ? AND n.status NOT IN ('forgotten','version') AND "
                "n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)", IN(c->account_id), IN(id), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", c->access->readable, c->access->n);
    TRY(sql_query(c, &q, &s));
    TRY(graph_read_view(c, &q, &found, &v));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no node %s", UUID_STR(id));
    *out = v;
    return ERR_OK;
}

err graph_store_views(struct ctx *c, const struct uuid *ids, size_t n, const char *node_type, const char *entity_type, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " VIEW_COLUMNS " FROM node n WHERE n.account_id = ? AND " IS_LIVE("n") " AND (n.expires_at IS NULL OR "
                "n.expires_at > ?)", IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.id", ids, n);
    sql_add_in_uuids(&s, "n.space_id", c->access->readable, c->access->n);
    graph_store_add_types(&s, "n", node_type, entity_type);
    return sql_rows(c, &s, n, sizeof(struct graph_node_view), graph_read_view, &out->v, &out->n);
}

err graph_store_nodes(struct ctx *c, const struct graph_nodes_in *in, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;
    void *rows;
    size_t n;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " VIEW_COLUMNS " FROM node n WHERE n.account_id = ? AND n.id < ? AND " IS_LIVE("n") " AND (n.expires_at IS NULL OR "
                "n.expires_at > ?)", IN(c->account_id), IN(before), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces.v, spaces.n);
    sql_add(&s, " AND n.kind IN (''");
    for (size_t i = 0; i < in->kinds.n; i++)
        sql_add(&s, ",?", IN(in->kinds.v[i]));
    if (!in->kinds.n && in->node_type == GRAPH_CONTENT)
        sql_add(&s, ",'page','article','document','chunk'");
    else if (!in->kinds.n)
        sql_add(&s, ",'entity'");
    sql_add(&s, ")");
    if (in->query)
        sql_add(&s, " AND n.title COLLATE utf8mb4_unicode_ci LIKE ?", IN(like_part(c->arena, in->query)));
    graph_store_add_types(&s, "n", in->node_type < 0 ? NULL : enumx_name(&graph_node_type_enumx, in->node_type), in->entity_type);
    if (in->min_mentions > 0)
        sql_add(&s, " HAVING mentions >= ?", IN(in->min_mentions));
    sql_add(&s, " ORDER BY n.id DESC LIMIT ?", IN(in->limit + 1));
    TRY(sql_rows(c, &s, (size_t)in->limit + 1, sizeof(struct graph_node_view), graph_read_view, &rows, &n));
    PAGE_END(c, out, (struct graph_node_view *)rows, n, in->limit, struct graph_node_view, id);
    return ERR_OK;
}

/* ---- edges */

err graph_store_find_edge(struct ctx *c, const struct edge_new *e, const char *relation, struct uuid *id)
{
    scoped_cursor q = {0};
    struct uuid there = {{0}};
    bool found;

    TRY(db_query(c, &q, "SELECT id FROM edge WHERE account_id = ? AND source_id = ? AND target_id = ? AND relation = ? AND live = 1",
                 IN(c->account_id), IN(e->source_id), IN(e->target_id), IN(relation)));
    TRY(db_row(&q, c, &found, OUT(&there)));
    *id = there;
    return ERR_OK;
}

static err graph_read_among(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_edge *e = row;

    return db_row(q, c, found, OUT(&e->id), OUT(&e->source_id), OUT(&e->target_id), OUT(&e->relation), OUT(&e->weight), OUT(&e->confidence),
                  OUT(&e->bidirectional));
}

err graph_store_among(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.id, e.source_id, e.target_id, e.relation, e.weight, e.confidence, e.bidirectional FROM edge e WHERE "
                "e.account_id = ? AND e.retired_at IS NULL AND e.status = 'active' AND e.relation <> 'MENTIONS'", IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", ids, n);
    sql_add_in_uuids(&s, "e.target_id", ids, n);
    sql_add(&s, " ORDER BY e.weight DESC, e.id LIMIT ?", IN(max));
    return sql_rows(c, &s, (size_t)max, sizeof(struct walk_edge), graph_read_among, &out->v, &out->n);
}
