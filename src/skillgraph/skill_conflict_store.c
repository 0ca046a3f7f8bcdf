/* SQL of conflicts, and what a scan reads. */
#include "skill_conflict_store.h"

#include "row.h"

#define EDGES_MAX 200000
#define KNOWN_MAX 50000

err skill_conflict_store_get(struct ctx *c, struct uuid id, bool lock, bool *found, struct skill_conflict *out)
{
    if (lock)
        return row_one(c, &SKILL_CONFLICT, found, out, "SELECT {*} FROM {from} WHERE x.account_id = ? AND x.id = ? FOR UPDATE",
            IN(c->account_id), IN(id));
    return row_one(c, &SKILL_CONFLICT, found, out, "SELECT {*} FROM {from} WHERE x.account_id = ? AND x.id = ?", IN(c->account_id), IN(id));
}

err skill_conflict_store_list(struct ctx *c, const struct skill_conflict_filter *f, struct uuids spaces, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL_CONFLICT, "SELECT {*} FROM {from} WHERE x.account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "x.space_id", spaces.v, spaces.n);
    sql_add(&s, " AND (x.other_space_id IS NULL OR (1");
    sql_add_in_uuids(&s, "x.other_space_id", spaces.v, spaces.n);
    sql_add(&s, "))");
    if (f->status >= 0)
        sql_add(&s, " AND x.status = ?", IN(enumx_name(&skill_conflict_status_enumx, f->status)));
    else
        sql_add(&s, " AND x.open_key IS NOT NULL");
    if (f->conflict_type >= 0)
        sql_add(&s, " AND x.conflict_type = ?", IN(enumx_name(&skill_conflict_type_enumx, f->conflict_type)));
    if (f->severity >= 0)
        sql_add(&s, " AND x.severity = ?", IN(enumx_name(&skill_severity_enumx, f->severity)));
    if (!uuid_is_nil(f->skill_id))
        sql_add(&s, " AND ? IN (x.skill_a, x.skill_b)", IN(f->skill_id));
    sql_add(&s, " ORDER BY x.priority_score DESC, x.id DESC LIMIT ?", IN(f->limit + 1));
    TRY(row_page(c, &SKILL_CONFLICT, &s, f->limit, out));
    out->next_cursor = NULL; /* the order is not that of ids */
    return ERR_OK;
}

err skill_conflict_store_open(struct ctx *c, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM skill_conflict WHERE account_id = ? AND open_key IS NOT NULL", IN(c->account_id)));
    return db_row(&q, c, &found, OUT(n));
}

static err skill_conflict_store_read_known(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_conflict_known *k = row;

    return db_row(q, c, found, OUT(&k->pair_key), OUT_OPT(&k->decided_at));
}

err skill_conflict_store_known(struct ctx *c, struct instant since, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT pair_key, IF(open_key IS NULL, resolved_at, NULL) FROM skill_conflict WHERE account_id = ? AND "
        "(open_key IS NOT NULL OR resolved_at >= ?)", IN(c->account_id), IN(since));
    return sql_rows(c, &s, KNOWN_MAX, sizeof(struct skill_conflict_known), skill_conflict_store_read_known, &out->v, &out->n);
}

err skill_conflict_store_insert(struct ctx *c, const struct skill_conflict *rows, size_t n, int64_t *written)
{
    struct sql s;

    *written = 0;
    sql_init(&s, c->arena);
    sql_add(&s, "INSERT IGNORE INTO skill_conflict (account_id, id, skill_a, skill_b, space_id, other_space_id, pair_key, open_key, "
        "conflict_type, severity, similarity, priority_score, method, edge_id, detail, auto_resolvable, detected_at, updated_at) VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct skill_conflict *x = &rows[i];

        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", IN(c->account_id), IN(x->id), IN(x->skill_a),
            IN_OPT(x->skill_b), IN(x->space_id), IN_OPT(x->other_space_id), IN(x->pair_key), IN(x->pair_key),
            IN(enumx_name(&skill_conflict_type_enumx, (int)x->conflict_type)), IN(enumx_name(&skill_severity_enumx, (int)x->severity)),
            IN(x->similarity), IN(x->priority_score), IN(enumx_name(&skill_conflict_method_enumx, (int)x->method)), IN_OPT(x->edge_id),
            IN(x->detail), IN(x->auto_resolvable), IN(c->now), IN(c->now));
    }
    return n ? sql_exec(c, written, &s) : ERR_OK;
}

err skill_conflict_store_weigh(struct ctx *c)
{
    return db_exec(c, NULL, "UPDATE skill_conflict SET priority_score = ROUND(CASE severity WHEN 'low' THEN 1 WHEN 'medium' THEN 2 "
        "WHEN 'high' THEN 4 ELSE 8 END * LEAST(GREATEST(TIMESTAMPDIFF(SECOND, detected_at, ?) / 2592000, 1), 3) * (1 + similarity), 4) "
        "WHERE account_id = ? AND open_key IS NOT NULL", IN(c->now), IN(c->account_id));
}

/* ---- what a scan reads */

static err skill_scan_store_read_skill(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_scanned *k = row;

    return db_row(q, c, found, OUT(&k->id), OUT(&k->space_id), OUT_OPT(&k->parent_skill_id), OUT(&k->name), OUT(&k->slug),
        OUT(&k->description), OUT(&k->category), OUT(&k->params), OUT_OPT(&k->semver), OUT_OPT(&k->body), OUT(&k->updated_at));
}

err skill_scan_store_skills(struct ctx *c, struct uuids spaces, bool all, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.id, k.space_id, k.parent_skill_id, n.title, k.slug, k.description, k.category, k.params, v.semver, "
        "LEFT(v.body, 8192), GREATEST(k.updated_at, n.updated_at) FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id "
        "LEFT JOIN skill_version v ON v.account_id = k.account_id AND v.id = k.active_version_id WHERE k.account_id = ? "
        "AND n.status = 'active' AND n.forgotten_at IS NULL", IN(c->account_id));
    if (!all)
        sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY k.id");
    return sql_rows(c, &s, SKILL_SCAN_MAX, sizeof(struct skill_scanned), skill_scan_store_read_skill, &out->v, &out->n);
}

static err skill_scan_store_read_edge(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_scan_edge *e = row;

    return db_row(q, c, found, OUT(&e->id), OUT(&e->source_id), OUT(&e->target_id), OUT(&e->relation), OUT_OPT(&e->version_req),
        OUT_OPT(&e->target_status), OUT(&e->worth), OUT(&e->target_gone));
}

err skill_scan_store_edges(struct ctx *c, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.id, e.source_id, e.target_id, e.relation, JSON_VALUE(e.metadata, '$.version_req'), n.status, "
        "e.weight * e.confidence, n.id IS NULL OR n.forgotten_at IS NOT NULL FROM edge e LEFT JOIN node n ON n.account_id = e.account_id "
        "AND n.id = e.target_id WHERE e.account_id = ? AND e.retired_at IS NULL AND e.status = 'active' AND (e.relation IN ('requires', "
        "'composes', 'has_skill') OR (e.relation IN ('DEPENDS_ON', 'CONTRADICTS') AND n.kind = 'skill')) ORDER BY e.id",
        IN(c->account_id));
    return sql_rows(c, &s, EDGES_MAX, sizeof(struct skill_scan_edge), skill_scan_store_read_edge, &out->v, &out->n);
}
