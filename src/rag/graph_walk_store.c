/* SQL of walks over the graph; see graph_walk_store.h. */
#include "graph_walk_store.h"

#include "access.h"
#include "db.h"
#include "graph_store.h"
#include "relation.h"

#define FAR_COLUMNS "far.id, far.space_id, far.kind, far.title"

/* Of a node that is there for the caller. */
static void walk_add_far(struct ctx *c, struct sql *s, const struct walk_wish *w)
{
    sql_add(s, " AND far.forgotten_at IS NULL AND far.status NOT IN ('forgotten', 'version') AND (far.expires_at IS NULL OR "
               "far.expires_at > ?)", IN(c->now));
    sql_add_in_uuids(s, "far.space_id", c->access->readable, c->access->n);
    if (w)
        graph_store_add_types(s, "far", w->node_type, w->entity_type);
    if (!w || !w->kinds.n)
        return;
    sql_add(s, " AND far.kind IN (");
    for (size_t i = 0; i < w->kinds.n; i++)
        sql_add(s, "?,", IN(w->kinds.v[i]));
    sql_add(s, "'')");
}

static void walk_add_time(struct sql *s, struct instant at)
{
    if (!at.us) {
        sql_add(s, " AND e.retired_at IS NULL AND e.status = 'active'");
        return;
    }
    sql_add(s, " AND e.recorded_at <= ? AND (e.retired_at IS NULL OR e.retired_at > ?) AND (e.valid_from IS NULL OR e.valid_from <= ?) "
               "AND (e.valid_to IS NULL OR e.valid_to > ?)", IN(at), IN(at), IN(at), IN(at));
}

static void walk_add_relations(struct sql *s, const struct walk_wish *w)
{
    if (!w->mentions)
        sql_add(s, " AND e.relation <> 'MENTIONS'");
    if (!w->relation_types.n)
        return;
    sql_add(s, " AND e.relation IN (");
    for (size_t i = 0; i < w->relation_types.n; i++)
        sql_add(s, "?,", IN(graph_relation_name(w->relation_types.v[i])));
    sql_add(s, "'')");
}

static err walk_read_edge(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_row *r = row;
    struct walk_edge *e = &r->edge;

    TRY(db_row(q, c, found, OUT(&r->far), OUT(&r->far_space), OUT(&r->far_kind), OUT(&r->far_title), OUT(&e->id), OUT(&e->source_id),
               OUT(&e->target_id), OUT(&e->relation), OUT(&e->weight), OUT(&e->confidence), OUT(&e->bidirectional)));
    r->near = uuid_eq(e->source_id, r->far) ? e->target_id : e->source_id;
    return ERR_OK;
}

err graph_walk_store_edges(struct ctx *c, const struct uuid *ids, size_t n, const struct walk_wish *w, bool outward, int64_t max,
                           struct list *out)
{
    bool against = (w->direction == EDGE_OUTWARD && !outward) || (w->direction == EDGE_INWARD && outward);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " FAR_COLUMNS ", e.id, e.source_id, e.target_id, e.relation, e.weight, e.confidence, e.bidirectional FROM edge e "
                "JOIN node far ON far.account_id = e.account_id AND far.id = ");
    if (outward)
        sql_add(&s, "e.target_id");
    else
        sql_add(&s, "e.source_id");
    sql_add(&s, " WHERE e.account_id = ?", IN(c->account_id));
    if (outward)
        sql_add_in_uuids(&s, "e.source_id", ids, n);
    else
        sql_add_in_uuids(&s, "e.target_id", ids, n);
    if (against)
        sql_add(&s, " AND e.bidirectional = 1");
    walk_add_time(&s, w->as_of);
    walk_add_relations(&s, w);
    if (w->min_weight > 0)
        sql_add(&s, " AND e.weight >= ?", IN(w->min_weight));
    walk_add_far(c, &s, w);
    sql_add(&s, " ORDER BY e.weight DESC, e.id LIMIT ?", IN(max));
    return sql_rows(c, &s, (size_t)max, sizeof(struct walk_row), walk_read_edge, &out->v, &out->n);
}

static void walk_add_fact_time(struct sql *s, struct instant at)
{
    if (at.us)
        sql_add(s, " AND (n.valid_from IS NULL OR n.valid_from <= ?) AND (n.valid_to IS NULL OR n.valid_to > ?) AND n.created_at <= ?",
                IN(at), IN(at), IN(at));
    else
        sql_add(s, " AND f.current = 1");
}

err graph_walk_store_facts(struct ctx *c, const struct uuid *ids, size_t n, const struct walk_wish *w, bool outward, int64_t max,
                           struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " FAR_COLUMNS ", f.node_id, f.subject_id, f.object_entity_id, f.predicate, n.trust, n.confidence, FALSE FROM "
                "fact f JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id AND n.status NOT IN ('forgotten','version',"
                "'archived','quarantined') AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?) JOIN node far ON "
                "far.account_id = f.account_id AND far.id = ", IN(c->now));
    if (outward)
        sql_add(&s, "f.object_entity_id");
    else
        sql_add(&s, "f.subject_id");
    sql_add(&s, " WHERE f.account_id = ? AND f.subject_id <> f.object_entity_id AND n.trust * n.confidence >= ?", IN(c->account_id),
            IN(w->min_weight));
    if (outward)
        sql_add_in_uuids(&s, "f.subject_id", ids, n);
    else
        sql_add_in_uuids(&s, "f.object_entity_id", ids, n);
    sql_add_in_uuids(&s, "n.space_id", c->access->readable, c->access->n);
    walk_add_fact_time(&s, w->as_of);
    if (w->relation_types.n) {
        sql_add(&s, " AND f.predicate IN (");
        for (size_t i = 0; i < w->relation_types.n; i++)
            sql_add(&s, "?,", IN(w->relation_types.v[i]));
        sql_add(&s, "'')");
    }
    walk_add_far(c, &s, w);
    sql_add(&s, " ORDER BY n.trust * n.confidence DESC, f.node_id LIMIT ?", IN(max));
    TRY(sql_rows(c, &s, (size_t)max, sizeof(struct walk_row), walk_read_edge, &out->v, &out->n));
    for (size_t i = 0; i < out->n; i++)
        ((struct walk_row *)out->v)[i].edge.via = WALK_FACT;
    return ERR_OK;
}

static err walk_read_pair(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_row *r = row;
    struct uuid *chunks = ARENA_ARRAY(c->arena, struct uuid, WALK_EVIDENCE);
    int64_t shared;

    TRY(db_row(q, c, found, OUT(&r->far), OUT(&r->far_space), OUT(&r->far_kind), OUT(&r->far_title), OUT(&r->near), OUT(&shared),
               OUT(&chunks[0]), OUT(&chunks[1])));
    if (!*found)
        return ERR_OK;
    r->edge = (struct walk_edge){.source_id = r->near, .target_id = r->far, .relation = "co_mentioned", .via = WALK_CO_MENTIONED,
                                 .weight = (double)shared / (double)(shared + 1), .confidence = 1, .bidirectional = true,
                                 .evidence = {chunks, 2}};
    return ERR_OK;
}

/* A name and what it is named with lie in one space with the chunks: who may read one may read all. */
err graph_walk_store_co_mentioned(struct ctx *c, const struct uuid *ids, size_t n, const struct walk_wish *w, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " FAR_COLUMNS ", a.target_id, COUNT(*) AS shared, MIN(a.source_id), MAX(a.source_id) FROM edge a JOIN edge b ON "
                "b.account_id = a.account_id AND b.source_id = a.source_id AND b.relation = 'MENTIONS' AND b.retired_at IS NULL AND "
                "b.target_id <> a.target_id JOIN node far ON far.account_id = b.account_id AND far.id = b.target_id WHERE a.account_id = ? "
                "AND a.relation = 'MENTIONS' AND a.retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "a.target_id", ids, n);
    walk_add_far(c, &s, w);
    sql_add(&s, " GROUP BY a.target_id, b.target_id HAVING shared >= 2 AND shared / (shared + 1) >= ? ORDER BY shared DESC, b.target_id "
                "LIMIT ?", IN(w->min_weight), IN(max));
    return sql_rows(c, &s, (size_t)max, sizeof(struct walk_row), walk_read_pair, &out->v, &out->n);
}

static err walk_read_same(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_row *r = row;

    TRY(db_row(q, c, found, OUT(&r->far), OUT(&r->far_space), OUT(&r->far_kind), OUT(&r->far_title), OUT(&r->near)));
    r->edge = (struct walk_edge){.source_id = r->near, .target_id = r->far, .relation = "same_name", .via = WALK_NAME, .weight = 1,
                                 .confidence = 1, .bidirectional = true};
    return ERR_OK;
}

err graph_walk_store_same_names(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " FAR_COLUMNS ", m.entity_id FROM name m JOIN name o ON o.account_id = m.account_id AND o.norm = m.norm AND "
                "o.entity_id IS NOT NULL AND o.entity_id <> m.entity_id JOIN node far ON far.account_id = o.account_id AND "
                "far.id = o.entity_id WHERE m.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "m.entity_id", ids, n);
    walk_add_far(c, &s, NULL);
    sql_add(&s, " LIMIT ?", IN(max));
    return sql_rows(c, &s, (size_t)max, sizeof(struct walk_row), walk_read_same, &out->v, &out->n);
}

static err walk_read_part(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_row *r = row;
    bool is_chunk;

    TRY(db_row(q, c, found, OUT(&r->far), OUT(&r->far_space), OUT(&r->far_kind), OUT(&r->far_title), OUT(&r->near)));
    is_chunk = *found && str_eq(r->far_kind, "chunk");
    r->edge = (struct walk_edge){.source_id = is_chunk ? r->near : r->far, .target_id = is_chunk ? r->far : r->near, .relation = "contains",
                                 .via = WALK_STRUCTURE, .weight = 1, .confidence = 1};
    return ERR_OK;
}

err graph_walk_store_chunks(struct ctx *c, const struct uuid *ids, size_t n, int64_t max, struct list *out)
{
    struct list documents;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " FAR_COLUMNS ", h.document_id FROM chunk h JOIN node far ON far.account_id = h.account_id AND far.id = h.id "
                "WHERE h.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "h.document_id", ids, n);
    walk_add_far(c, &s, NULL);
    sql_add(&s, " ORDER BY h.document_id, h.sequence_number LIMIT ?", IN(max));
    TRY(sql_rows(c, &s, (size_t)max, sizeof(struct walk_row), walk_read_part, &out->v, &out->n));
    if (out->n)
        return ERR_OK;
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " FAR_COLUMNS ", h.id FROM chunk h JOIN node far ON far.account_id = h.account_id AND far.id = h.document_id "
                "WHERE h.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "h.id", ids, n);
    walk_add_far(c, &s, NULL);
    sql_add(&s, " LIMIT ?", IN(max));
    TRY(sql_rows(c, &s, (size_t)max, sizeof(struct walk_row), walk_read_part, &documents.v, &documents.n));
    *out = documents;
    return ERR_OK;
}

/* ---- names and mentions */

static err walk_read_name(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_name *r = row;

    return db_row(q, c, found, OUT(&r->entity_id), OUT(&r->title), OUT(&r->place_id), OUT(&r->mentions));
}

err graph_names_in(struct ctx *c, const struct uuid *chunks, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT far.id, far.title, MIN(e.source_id), (SELECT COUNT(*) FROM edge o WHERE o.account_id = e.account_id AND "
                "o.target_id = far.id AND o.relation = 'MENTIONS' AND o.retired_at IS NULL) AS mentions FROM edge e JOIN node far ON "
                "far.account_id = e.account_id AND far.id = e.target_id WHERE e.account_id = ? AND e.relation = 'MENTIONS' AND "
                "e.retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", chunks, n);
    walk_add_far(c, &s, NULL);
    sql_add(&s, " GROUP BY far.id ORDER BY mentions, far.id LIMIT 400");
    return sql_rows(c, &s, 400, sizeof(struct walk_name), walk_read_name, &out->v, &out->n);
}

err graph_entities_named(struct ctx *c, const char *const *norms, size_t n, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT far.id, far.title, m.space_id, CHAR_LENGTH(m.norm) FROM name m JOIN node far ON far.account_id = m.account_id AND "
                "far.id = m.entity_id WHERE m.account_id = ? AND m.norm IN (''", IN(c->account_id));
    for (size_t i = 0; i < n; i++)
        sql_add(&s, ",?", IN(norms[i]));
    sql_add(&s, ")");
    if (spaces.n)
        sql_add_in_uuids(&s, "m.space_id", spaces.v, spaces.n);
    walk_add_far(c, &s, NULL);
    sql_add(&s, " ORDER BY CHAR_LENGTH(m.norm) DESC, far.id LIMIT 64");
    return sql_rows(c, &s, 64, sizeof(struct walk_name), walk_read_name, &out->v, &out->n);
}

static err walk_read_mention(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct walk_mention *r = row;

    return db_row(q, c, found, OUT(&r->chunk_id), OUT(&r->entity_id), OUT(&r->weight));
}

err graph_mentions_of(struct ctx *c, const struct uuid *entities, size_t n, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, e.target_id, e.weight FROM edge e JOIN node far ON far.account_id = e.account_id AND "
                "far.id = e.source_id WHERE e.account_id = ? AND e.relation = 'MENTIONS' AND e.retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.target_id", entities, n);
    walk_add_far(c, &s, NULL);
    sql_add(&s, " ORDER BY e.weight DESC, e.id LIMIT ?", IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct walk_mention), walk_read_mention, &out->v, &out->n);
}
