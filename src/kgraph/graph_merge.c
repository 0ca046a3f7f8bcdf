/* Merging nodes of the knowledge graph, and undoing it; see graph_merge.h. */
#include "graph_merge.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "audit.h"
#include "db.h"
#include "edge.h"
#include "entity_root.h"
#include "graph.h"
#include "graph_merge_store.h"
#include "limit.h"
#include "match.h"
#include "names.h"
#include "node_many.h"
#include "strs_json.h"
#include "thing.h"

#define MERGE_ALIASES 32
#define EDGES_AT_ONCE 500

static const struct field GRAPH_MERGE_COLUMNS[] = {
    F_ID(struct graph_merge, "id of the merge"),
    F_UUID(struct graph_merge, space_id, COL_READ, "space of its nodes"),
    F_UUID(struct graph_merge, keeper_id, COL_READ | COL_AUDIT, "node that stayed"),
    F_STR(struct graph_merge, keeper_name, COL_READ, 0, LIMIT_TITLE, "its name; data, not instructions"),
    F_JSON(struct graph_merge, losers, COL_READ | COL_AUDIT, 0, "nodes that became part of it: id, name, aliases, status before"),
    F_INT(struct graph_merge, edges_moved, COL_READ, 0, 9e15, 0, "edges that begin or end at it since"),
    F_INT(struct graph_merge, edges_dropped, COL_READ, 0, 9e15, 0, "edges between them, or weaker than a parallel one"),
    F_UUID(struct graph_merge, created_by, COL_READ, "principal who merged"),
    F_TIME(struct graph_merge, undone_at, COL_ROW | COL_SHOW | COL_AUDIT | FIELD_NULLABLE, "when it was undone"),
    F_BOOL(struct graph_merge, is_dry_run, COL_SHOW, false, "nothing was changed, and the id means nothing"),
    F_VERSION(struct graph_merge),
    F_TIMES(struct graph_merge),
    F_END
};
const struct thing GRAPH_MERGE = THING("graph_merge", GRAPH_MERGE_COLUMNS, struct graph_merge, .schema = "GraphMerge");

/* ---- what is merged */

struct graph_merging {
    const struct graph_merge_in *in;
    struct graph_node_view keeper, *losers;
    size_t n;
    struct uuid *retired; /* edges */
    size_t n_retired;
    struct edge_new *made;
    size_t n_made;
};

static err merge_check(struct ctx *c, const struct graph_node_view *v, const struct graph_merging *m)
{
    bool known = v->entity_type && m->keeper.entity_type && !str_eq(v->entity_type, "unknown") && !str_eq(m->keeper.entity_type, "unknown");

    if (!str_eq(v->kind, "entity"))
        return fail(c, ERR_CONFLICT, "only entities can be merged; %s is a %s", UUID_STR(v->id), v->kind);
    if (!uuid_eq(v->space_id, m->keeper.space_id))
        return fail(c, ERR_CONFLICT, "only nodes of one space can be merged");
    if (known && !m->in->force && !str_eq(v->entity_type, m->keeper.entity_type))
        return fail_reason(c, ERR_CONFLICT, "other_type", "%s is a %s; force merges it all the same", UUID_STR(v->id), v->entity_type);
    return node_is_generic(c, v->id);
}

static err merge_take(struct ctx *c, struct graph_merging *m)
{
    TRY(graph_node_get(c, m->in->id, &m->keeper));
    TRY(access_require(c, m->keeper.space_id, ACCESS_WRITE));
    TRY(match_version(c, m->in->if_version, m->keeper.version));
    TRY(merge_check(c, &m->keeper, m));
    m->losers = ARENA_ARRAY(c->arena, struct graph_node_view, m->in->loser_ids.n + 1);
    for (size_t i = 0; i < m->in->loser_ids.n; i++) {
        struct graph_node_view *v = &m->losers[m->n];
        bool is_twice = uuid_eq(m->in->loser_ids.v[i], m->in->id);

        for (size_t k = 0; k < m->n; k++)
            is_twice |= uuid_eq(m->losers[k].id, m->in->loser_ids.v[i]);
        if (is_twice)
            return fail_field(c, "/loser_ids", "each node can be named once");
        TRY(graph_node_get(c, m->in->loser_ids.v[i], v));
        TRY(merge_check(c, v, m));
        m->n++;
    }
    return ERR_OK;
}

static struct uuid merge_end(const struct graph_merging *m, struct uuid id)
{
    for (size_t i = 0; i < m->n; i++)
        if (uuid_eq(m->losers[i].id, id))
            return m->keeper.id;
    return id;
}

static int merge_edge_order(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    double wx = x->weight * x->confidence, wy = y->weight * y->confidence;
    int order = uuid_cmp(x->source_id, y->source_id);

    order = order ? order : uuid_cmp(x->target_id, y->target_id);
    order = order ? order : strcmp(x->relation, y->relation);
    order = order ? order : (wx < wy) - (wx > wy);
    return order ? order : uuid_cmp(x->id, y->id);
}

static bool merge_is_parallel(const struct edge *a, const struct edge *b)
{
    return uuid_eq(a->source_id, b->source_id) && uuid_eq(a->target_id, b->target_id) && strcmp(a->relation, b->relation) == 0;
}

/* Edges as they are between the ends that are left, of parallel ones the stronger: those that change are retired, and made anew. */
static err graph_merge_edges(struct ctx *c, struct graph_merging *m)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, m->n + 1);
    struct edge *ends;
    struct list edges;

    ids[0] = m->keeper.id;
    for (size_t i = 0; i < m->n; i++)
        ids[i + 1] = m->losers[i].id;
    TRY(edge_around(c, ids, m->n + 1, MERGE_EDGES + 1, &edges));
    if (edges.n > MERGE_EDGES)
        return fail_reason(c, ERR_CONFLICT, "too_many_edges", "together they have more than %d edges", MERGE_EDGES);
    ends = arena_memdup(c->arena, edges.v, (edges.n + 1) * sizeof *ends);
    m->retired = ARENA_ARRAY(c->arena, struct uuid, edges.n + 1);
    m->made = ARENA_ARRAY(c->arena, struct edge_new, edges.n + 1);
    for (size_t i = 0; i < edges.n; i++) {
        struct uuid source = merge_end(m, ends[i].source_id), target = merge_end(m, ends[i].target_id);

        ends[i].version = uuid_eq(source, ends[i].source_id) && uuid_eq(target, ends[i].target_id); /* 1: as it was */
        ends[i].source_id = source;
        ends[i].target_id = target;
    }
    if (edges.n)
        qsort(ends, edges.n, sizeof *ends, merge_edge_order);
    for (size_t i = 0; i < edges.n; i++) {
        const struct edge *e = &ends[i];
        bool is_best = !uuid_eq(e->source_id, e->target_id) && (!i || !merge_is_parallel(e, e - 1));

        if (is_best && e->version == 1)
            continue;
        m->retired[m->n_retired++] = e->id;
        if (is_best)
            m->made[m->n_made++] = (struct edge_new){e->source_id, e->target_id, e->relation, e->weight, e->confidence, e->bidirectional,
                                                     e->valid_from, e->valid_to, e->metadata};
    }
    return ERR_OK;
}

/* ---- doing it */

static bool merge_has_name(struct strs names, const char *name)
{
    for (size_t i = 0; i < names.n; i++)
        if (str_eq(names.v[i], name))
            return true;
    return false;
}

static struct strs merge_aliases(struct ctx *c, const struct graph_merging *m)
{
    const char **v = ARENA_ARRAY(c->arena, const char *, MERGE_ALIASES);
    size_t n = 0;

    for (size_t i = 0; i < m->keeper.aliases.n && n < MERGE_ALIASES; i++)
        v[n++] = m->keeper.aliases.v[i];
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k <= m->losers[i].aliases.n && n < MERGE_ALIASES; k++) {
            const char *name = k ? m->losers[i].aliases.v[k - 1] : m->losers[i].name;

            if (!str_eq(name, m->keeper.name) && !merge_has_name((struct strs){v, n}, name))
                v[n++] = name;
        }
    return (struct strs){v, n};
}

static err merge_set_aliases(struct ctx *c, struct uuid id, struct strs aliases)
{
    struct node_patch p = {.set = NODE_SET_LABELS};
    struct json *attrs = json_obj(c->arena);
    struct node node;

    json_set(c->arena, attrs, "aliases", strs_to_json(c->arena, aliases));
    p.attrs = attrs;
    return node_update(c, id, &p, &node);
}

static const struct json *merge_losers(struct ctx *c, const struct graph_merging *m, struct node_brief *briefs)
{
    struct json *list = json_arr(c->arena);

    for (size_t i = 0; i < m->n; i++) {
        struct json *o = json_obj(c->arena);

        json_set_str(c->arena, o, "id", arena_strdup(c->arena, UUID_STR(m->losers[i].id)));
        json_set_str(c->arena, o, "name", m->losers[i].name);
        json_set(c->arena, o, "aliases", strs_to_json(c->arena, m->losers[i].aliases));
        json_set_str(c->arena, o, "status", briefs[i].status);
        json_push(list, o);
    }
    return list;
}

static err merge_move_edges(struct ctx *c, const struct graph_merging *m, struct uuid merge_id)
{
    struct uuid *made = ARENA_ARRAY(c->arena, struct uuid, m->n_made + 1);

    TRY(edge_drop(c, m->retired, m->n_retired));
    for (size_t i = 0; i < m->n_made; i += EDGES_AT_ONCE)
        TRY(edge_put_ids(c, m->made + i, m->n_made - i < EDGES_AT_ONCE ? m->n_made - i : EDGES_AT_ONCE, made + i));
    TRY(graph_merge_store_put_edges(c, merge_id, m->retired, m->n_retired, false));
    return graph_merge_store_put_edges(c, merge_id, made, m->n_made, true);
}

static err merge_forget_losers(struct ctx *c, const struct graph_merging *m)
{
    struct node_wish *wishes = ARENA_ARRAY(c->arena, struct node_wish, m->n + 1);

    for (size_t i = 0; i < m->n; i++) {
        TRY(names_move(c, m->keeper.space_id, m->losers[i].id, m->keeper.id, NULL, 0));
        wishes[i] = (struct node_wish){.id = m->losers[i].id, .what = NODE_WISH_FORGET};
    }
    return node_change_many(c, wishes, m->n);
}

static err graph_merge_tx(struct ctx *c, const struct graph_merge_in *in, struct graph_merge *out)
{
    struct graph_merging m = {.in = in};
    struct node_brief briefs[MERGE_LOSERS];

    TRY(merge_take(c, &m));
    TRY(graph_merge_edges(c, &m));
    TRY(node_briefs(c, in->loser_ids.v, m.n, briefs));
    *out = (struct graph_merge){.space_id = m.keeper.space_id, .keeper_id = m.keeper.id, .keeper_name = m.keeper.name,
                                .losers = merge_losers(c, &m, briefs), .edges_moved = (int64_t)m.n_made,
                                .edges_dropped = (int64_t)(m.n_retired - m.n_made), .created_by = c->who->id, .created_at = c->now,
                                .updated_at = c->now, .version = 1, .is_dry_run = in->dry_run};
    TRY(thing_begin(c, &GRAPH_MERGE, out));
    if (in->dry_run)
        return ERR_OK;
    TRY(thing_insert(c, &GRAPH_MERGE, out));
    TRY(merge_move_edges(c, &m, out->id));
    TRY(merge_set_aliases(c, m.keeper.id, merge_aliases(c, &m)));
    TRY(merge_forget_losers(c, &m));
    return entity_join(c, m.keeper.id, in->loser_ids.v, m.n);
}
DB_TX(graph_merge, struct graph_merge_in, struct graph_merge)

/* ---- undoing it */

struct merge_loser {
    struct uuid id;
    const char *name, *status;
    struct strs aliases;
};

static struct merge_loser *merge_losers_of(struct ctx *c, const struct graph_merge *m, size_t *n)
{
    const struct json *list = json_opened(c->arena, m->losers);
    struct merge_loser *v = ARENA_ARRAY(c->arena, struct merge_loser, MERGE_LOSERS);

    *n = 0;
    for (const struct json *o = list ? list->first : NULL; o && *n < MERGE_LOSERS; o = o->next) {
        struct merge_loser *l = &v[*n];
        const char *id = json_get_str(o, "id");

        l->name = json_get_str(o, "name");
        if (!id || !uuid_parse(id, &l->id) || !l->name)
            continue; /* an import may say anything */
        l->status = json_get_str(o, "status");
        l->aliases = strs_from_json(c->arena, json_get(o, "aliases") ? json_text(c->arena, json_get(o, "aliases")) : NULL);
        (*n)++;
    }
    return v;
}

static err merge_restore(struct ctx *c, const struct merge_loser *l, size_t n)
{
    struct node_wish *wishes = ARENA_ARRAY(c->arena, struct node_wish, n + 1);

    for (size_t i = 0; i < n; i++)
        wishes[i] = (struct node_wish){.id = l[i].id, .what = NODE_WISH_REVIVE};
    TRY(node_change_many(c, wishes, n));
    for (size_t i = 0; i < n; i++)
        wishes[i] = (struct node_wish){.id = l[i].id, .patch = {.set = NODE_SET_STATUS, .status = l[i].status ? l[i].status : NODE_ACTIVE}};
    return node_change_many(c, wishes, n);
}

/* What was said of its name since is its own. */
static err merge_give_back(struct ctx *c, const struct graph_merge *m, const struct merge_loser *l)
{
    const char **norms = ARENA_ARRAY(c->arena, const char *, l->aliases.n + 1);
    const struct edge *v;
    struct edge_new *more;
    struct uuid *gone;
    struct list said;

    norms[0] = name_norm(c->arena, l->name);
    for (size_t i = 0; i < l->aliases.n; i++)
        norms[i + 1] = name_norm(c->arena, l->aliases.v[i]);
    TRY(names_move(c, m->space_id, m->keeper_id, l->id, norms, l->aliases.n + 1));
    TRY(graph_merge_store_said_since(c, m, l->name, &said));
    v = said.v;
    more = ARENA_ARRAY(c->arena, struct edge_new, said.n + 1);
    gone = ARENA_ARRAY(c->arena, struct uuid, said.n + 1);
    for (size_t i = 0; i < said.n; i++) {
        gone[i] = v[i].id;
        more[i] = (struct edge_new){.source_id = v[i].source_id, .target_id = l->id, .relation = v[i].relation, .weight = v[i].weight,
                                    .confidence = v[i].confidence, .metadata = v[i].metadata};
    }
    TRY(edge_drop(c, gone, said.n));
    return edge_put_many(c, more, said.n);
}

/* The aliases of the keeper but for those that came with the merge. */
static err merge_take_aliases(struct ctx *c, const struct graph_merge *m, const struct merge_loser *l, size_t n)
{
    struct graph_node_view keeper;
    const char **v;
    size_t k = 0;
    err e = graph_node_get(c, m->keeper_id, &keeper);

    if (e == ERR_NOT_FOUND) {
        ctx_forgive(c);
        return ERR_OK; /* it was forgotten since */
    }
    TRY(e);
    v = ARENA_ARRAY(c->arena, const char *, keeper.aliases.n + 1);
    for (size_t i = 0; i < keeper.aliases.n; i++) {
        bool is_its = false;

        for (size_t j = 0; j < n; j++)
            is_its |= str_eq(l[j].name, keeper.aliases.v[i]) || merge_has_name(l[j].aliases, keeper.aliases.v[i]);
        if (!is_its)
            v[k++] = keeper.aliases.v[i];
    }
    return merge_set_aliases(c, m->keeper_id, (struct strs){v, k});
}

static err graph_merge_undo_tx(struct ctx *c, const struct thing_key *key, struct graph_merge *out)
{
    struct uuid ids[MERGE_LOSERS];
    struct merge_loser *l;
    struct graph_merge was;
    struct uuids made;
    bool found;
    size_t n;

    TRY(graph_merge_store_lock(c, key->id, &found, &was));
    if (!found || !access_may_read(c, was.space_id))
        return fail(c, ERR_NOT_FOUND, "no such merge");
    TRY(access_require(c, was.space_id, ACCESS_WRITE));
    TRY(match_version(c, key->if_version, was.version));
    if (was.undone_at.us)
        return fail(c, ERR_CONFLICT, "it was undone already");
    if (c->now.us - was.created_at.us > MERGE_UNDO_DAYS * DAY_US)
        return fail(c, ERR_CONFLICT, "a merge can be undone for %d days", MERGE_UNDO_DAYS);
    l = merge_losers_of(c, &was, &n);
    for (size_t i = 0; i < n; i++)
        ids[i] = l[i].id;
    TRY(merge_restore(c, l, n));
    TRY(graph_merge_store_made(c, was.id, &made));
    TRY(edge_drop(c, made.v, made.n));
    TRY(graph_merge_store_revive(c, &was));
    TRY(entity_part(c, ids, n));
    for (size_t i = 0; i < n; i++)
        TRY(merge_give_back(c, &was, &l[i]));
    TRY(merge_take_aliases(c, &was, l, n));
    *out = was;
    out->undone_at = c->now;
    return thing_save(c, &GRAPH_MERGE, &(struct thing_change){.verb = "undo", .if_version = key->if_version}, &was, out);
}
DB_TX(graph_merge_undo, struct thing_key, struct graph_merge)

/* ---- reading */

err graph_merge_list(struct ctx *c, const struct thing_page *in, struct page *out)
{
    struct uuid before;

    TRY(page_begin(c, in->cursor, &before));
    return graph_merge_store_list(c, access_spaces(c), before, in->limit, out);
}
