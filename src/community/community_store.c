/* SQL of communities; see community_store.h. */
#include "community_store.h"

#include "access.h"
#include "db.h"

#define SPACE_COMMUNITIES 20000
#define SPACE_PLACES 400000
#define HOLDING 2000

/* ---- the last run */

static err community_read_was(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community_was *r = row;

    return db_row(q, c, found, OUT(&r->id), OUT(&r->level), OUT(&r->members_hash), OUT(&r->is_whole));
}

err community_store_was(struct ctx *c, struct uuid space_id, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT m.id, m.level, m.members_hash, n.forgotten_at IS NULL AND NOT EXISTS (SELECT 1 FROM edge e LEFT JOIN node t ON "
                "t.account_id = e.account_id AND t.id = e.target_id WHERE e.account_id = m.account_id AND e.source_id = m.id AND "
                "e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL AND (t.id IS NULL OR t.forgotten_at IS NOT NULL)) FROM community m "
                "JOIN node n ON n.account_id = m.account_id AND n.id = m.id WHERE m.account_id = ? AND m.space_id = ? ORDER BY m.id",
            IN(c->account_id), IN(space_id));
    return sql_rows(c, &s, SPACE_COMMUNITIES, sizeof(struct community_was), community_read_was, &out->v, &out->n);
}

static err community_read_place(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community_place *r = row;

    return db_row(q, c, found, OUT(&r->community_id), OUT(&r->node_id), OUT(&r->level));
}

err community_store_places(struct ctx *c, struct uuid space_id, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT p.community_id, p.node_id, m.level FROM community m JOIN community_member p ON p.account_id = m.account_id AND "
                "p.community_id = m.id WHERE m.account_id = ? AND m.space_id = ? ORDER BY p.community_id, p.node_id",
            IN(c->account_id), IN(space_id));
    return sql_rows(c, &s, SPACE_PLACES, sizeof(struct community_place), community_read_place, &out->v, &out->n);
}

/* Each end by itself: one join on either end would find no index. */
#define OF_SPACE \
    "WHERE e.account_id = ? AND e.updated_at > ? AND e.relation <> 'DERIVED_FROM' AND t.kind = 'entity' AND t.space_id = ?"

struct community_touch {
    struct uuid id;
    struct instant at;
};

static err community_read_touch(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community_touch *r = row;

    return db_row(q, c, found, OUT(&r->id), OUT(&r->at));
}

err community_store_touched(struct ctx *c, struct uuid space_id, struct instant since, struct list *out, struct instant *seen)
{
    const struct community_touch *v;
    struct list rows;
    struct uuid *ids;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT x.id, MAX(x.at) FROM (SELECT t.id, e.updated_at AS at FROM edge e JOIN node t ON t.account_id = e.account_id AND "
                "t.id = e.target_id " OF_SPACE " UNION ALL SELECT t.id, e.updated_at FROM edge e JOIN node t ON t.account_id = "
                "e.account_id "
                "AND t.id = e.source_id " OF_SPACE ") x GROUP BY x.id", IN(c->account_id), IN(since), IN(space_id), IN(c->account_id),
            IN(since), IN(space_id));
    TRY(sql_rows(c, &s, SPACE_PLACES, sizeof(struct community_touch), community_read_touch, &rows.v, &rows.n));
    v = rows.v;
    ids = ARENA_ARRAY(c->arena, struct uuid, rows.n + 1);
    *seen = since;
    for (size_t i = 0; i < rows.n; i++) {
        ids[i] = v[i].id;
        *seen = v[i].at.us > seen->us ? v[i].at : *seen;
    }
    *out = (struct list){ids, rows.n};
    return ERR_OK;
}

err community_store_seen(struct ctx *c, struct uuid space_id, struct instant *seen)
{
    scoped_cursor q = {0};
    struct instant at = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT seen_at FROM community_run WHERE account_id = ? AND space_id = ? FOR UPDATE", IN(c->account_id),
                 IN(space_id)));
    TRY(db_row(&q, c, &found, OUT(&at)));
    *seen = at;
    return ERR_OK;
}

err community_store_ran(struct ctx *c, struct uuid space_id, struct instant seen)
{
    return db_exec(c, NULL, "INSERT INTO community_run (account_id, space_id, seen_at, ran_at) VALUES (?,?,?,?) ON DUPLICATE KEY UPDATE "
                            "seen_at = VALUE(seen_at), ran_at = VALUE(ran_at)",
                   IN(c->account_id), IN(space_id), IN(seen.us ? seen : (struct instant){SECOND_US}), IN(c->now));
}

#define CHANGED_SINCE(end_id) \
    "EXISTS (SELECT 1 FROM edge e JOIN node t ON t.account_id = e.account_id AND t.id = e." end_id " AND t.kind = 'entity' AND " \
    "t.space_id = s.id WHERE e.account_id = s.account_id AND e.updated_at > r.seen_at AND e.relation <> 'DERIVED_FROM')"

err community_store_due_spaces(struct ctx *c, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT s.id FROM space s LEFT JOIN community_run r ON r.account_id = s.account_id AND r.space_id = s.id WHERE "
                        "s.account_id = ? AND s.deleted_at IS NULL AND EXISTS (SELECT 1 FROM name m WHERE m.account_id = s.account_id AND "
                        "m.space_id = s.id AND m.entity_id IS NOT NULL) AND (r.space_id IS NULL OR " CHANGED_SINCE("target_id")
                        " OR " CHANGED_SINCE("source_id") ") ORDER BY s.id LIMIT ?", IN(c->account_id), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err community_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM name WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* ---- writing */

err community_store_put(struct ctx *c, const struct community_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO community (account_id, id, space_id, level, parent_id, size, edge_weight, density, members_hash, algorithm, "
                "written_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct community_row *r = &rows[i];

        if (i)
            sql_add(&s, ",");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(r->id), IN(r->space_id), IN(r->level), IN_OPT(r->parent_id),
                IN(r->size), IN(r->edge_weight), IN(r->density), IN(r->members_hash), IN(r->algorithm), IN(c->now));
    }
    sql_add(&s, " ON DUPLICATE KEY UPDATE parent_id = VALUE(parent_id), size = VALUE(size), edge_weight = VALUE(edge_weight), "
                "density = VALUE(density), written_at = IF(members_hash = VALUE(members_hash), written_at, VALUE(written_at)), "
                "members_hash = VALUE(members_hash), algorithm = VALUE(algorithm)");
    return n ? sql_exec(c, NULL, &s) : ERR_OK;
}

err community_store_put_members(struct ctx *c, struct uuid id, const struct uuid *nodes, const double *strength, size_t n)
{
    TRY(db_exec(c, NULL, "DELETE FROM community_member WHERE account_id = ? AND community_id = ?", IN(c->account_id), IN(id)));
    for (size_t i = 0; i < n; i += 1000) {
        struct sql s;

        sql_init(&s, c->arena);
        sql_add(&s, "INSERT INTO community_member (account_id, community_id, node_id, strength) VALUES ");
        for (size_t k = i; k < n && k < i + 1000; k++) {
            if (k > i)
                sql_add(&s, ",");
            sql_add(&s, "(?,?,?,?)", IN(c->account_id), IN(id), IN(nodes[k]), IN(strength[k]));
        }
        TRY(sql_exec(c, NULL, &s));
    }
    return ERR_OK;
}

err community_store_drop(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM community WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return n ? sql_exec(c, NULL, &s) : ERR_OK;
}

/* ---- what a summary is made of */

static err community_read_chunk(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community_chunk *r = row;

    return db_row(q, c, found, OUT(&r->id), OUT(&r->body), OUT(&r->document), OUT(&r->names));
}

err community_store_chunks(struct ctx *c, const struct uuid *nodes, size_t n, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT b.id, b.body, d.title, x.k FROM (SELECT e.source_id, COUNT(*) AS k FROM edge e WHERE e.account_id = ? AND "
                "e.relation = 'MENTIONS' AND e.retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.target_id", nodes, n);
    sql_add(&s, " GROUP BY e.source_id ORDER BY k DESC, e.source_id LIMIT ?) x JOIN node b ON b.account_id = ? AND b.id = x.source_id AND "
                "b.forgotten_at IS NULL JOIN chunk h ON h.account_id = b.account_id AND h.id = b.id JOIN node d ON "
                "d.account_id = h.account_id AND d.id = h.document_id ORDER BY x.k DESC, b.id", IN(limit), IN(c->account_id));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct community_chunk), community_read_chunk, &out->v, &out->n);
}

static err community_read_member(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community_member *r = row;

    r->untrusted = true;
    return db_row(q, c, found, OUT(&r->node_id), OUT(&r->title), OUT_OPT(&r->entity_type), OUT(&r->strength));
}

err community_store_names(struct ctx *c, const struct uuid *nodes, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, n.title, JSON_VALUE(n.attrs, '$.entity_type'), 0E0 FROM node n WHERE n.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "n.id", nodes, n);
    return sql_rows(c, &s, n, sizeof(struct community_member), community_read_member, &out->v, &out->n);
}

/* ---- reading */

#define COMMUNITY_SELECT \
    "SELECT m.id, m.space_id, m.parent_id, m.level, m.size, n.title, n.body, m.edge_weight, m.density, m.summary_kind, m.algorithm, " \
    "m.written_at, EXISTS (SELECT 1 FROM community_run r WHERE r.account_id = m.account_id AND r.space_id = m.space_id AND EXISTS (" \
    "SELECT 1 FROM edge e JOIN community_member p ON p.account_id = e.account_id AND p.community_id = m.id AND p.node_id = e.target_id " \
    "WHERE e.account_id = m.account_id AND e.updated_at > r.seen_at))"
#define COMMUNITY_FROM " FROM community m JOIN node n ON n.account_id = m.account_id AND n.id = m.id AND n.forgotten_at IS NULL"

static err community_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community *r = row;

    r->untrusted = true;
    return db_row(q, c, found, OUT(&r->id), OUT(&r->space_id), OUT_OPT(&r->parent_id), OUT(&r->level), OUT(&r->size), OUT(&r->title),
                  OUT(&r->summary), OUT(&r->edge_weight), OUT(&r->density), OUT(&r->summary_kind), OUT(&r->algorithm), OUT(&r->written_at),
                  OUT(&r->stale));
}

err community_store_list(struct ctx *c, const struct community_filter *f, struct uuids spaces, int64_t skip, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, COMMUNITY_SELECT COMMUNITY_FROM " WHERE m.account_id = ? AND m.size >= ?", IN(c->account_id), IN(f->min_size));
    sql_add_in_uuids(&s, "m.space_id", spaces.v, spaces.n);
    if (f->level >= 0)
        sql_add(&s, " AND m.level = ?", IN(f->level));
    if (!uuid_is_nil(f->node_id))
        sql_add(&s, " AND EXISTS (SELECT 1 FROM community_member p WHERE p.account_id = m.account_id AND p.community_id = m.id AND "
                    "p.node_id = ?)", IN(f->node_id));
    sql_add(&s, " ORDER BY m.size DESC, m.id LIMIT ? OFFSET ?", IN(f->limit + 1), IN(skip));
    return sql_rows(c, &s, (size_t)f->limit + 1, sizeof(struct community), community_read, &out->v, &out->n);
}

err community_store_get(struct ctx *c, struct uuid id, bool *found, struct community *out)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, COMMUNITY_SELECT COMMUNITY_FROM " WHERE m.account_id = ? AND m.id = ?", IN(c->account_id), IN(id));
    sql_add_in_uuids(&s, "m.space_id", c->access->readable, c->access->n);
    TRY(sql_query(c, &q, &s));
    return community_read(c, &q, found, out);
}

err community_store_members(struct ctx *c, struct uuid id, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.id, n.title, JSON_VALUE(n.attrs, '$.entity_type'), p.strength FROM community_member p JOIN node n ON "
                "n.account_id = p.account_id AND n.id = p.node_id AND n.forgotten_at IS NULL WHERE p.account_id = ? AND p.community_id = ? "
                "ORDER BY p.strength DESC, n.id LIMIT 500", IN(c->account_id), IN(id));
    return sql_rows(c, &s, COMMUNITIES_LISTED, sizeof(struct community_member), community_read_member, &out->v, &out->n);
}

err community_store_count(struct ctx *c, struct uuids spaces, int64_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COUNT(*)" COMMUNITY_FROM " WHERE m.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "m.space_id", spaces.v, spaces.n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(n));
}

static err community_read_hold(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct community_hold *r = row;

    return db_row(q, c, found, OUT(&r->community_id), OUT(&r->node_id));
}

err community_store_holding(struct ctx *c, const struct uuid *nodes, size_t n, struct list *communities, struct list *members)
{
    struct uuid *ids;
    const struct community_hold *v;
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT p.community_id, p.node_id FROM community_member p WHERE p.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "p.node_id", nodes, n);
    sql_add(&s, " ORDER BY p.community_id, p.node_id LIMIT 20000");
    TRY(sql_rows(c, &s, 20000, sizeof(struct community_hold), community_read_hold, &members->v, &members->n));
    v = members->v;
    ids = ARENA_ARRAY(c->arena, struct uuid, members->n + 1);
    for (size_t i = 0; i < members->n && k < HOLDING; i++)
        if (!k || !uuid_eq(ids[k - 1], v[i].community_id))
            ids[k++] = v[i].community_id;
    sql_init(&s, c->arena);
    sql_add(&s, COMMUNITY_SELECT COMMUNITY_FROM " WHERE m.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "m.id", ids, k);
    sql_add_in_uuids(&s, "m.space_id", c->access->readable, c->access->n);
    sql_add(&s, " ORDER BY m.size, m.id");
    return sql_rows(c, &s, HOLDING, sizeof(struct community), community_read, &communities->v, &communities->n);
}
