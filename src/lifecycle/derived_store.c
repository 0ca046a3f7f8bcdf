/* SQL of what follows from what: claims, DERIVED_FROM, older states, chunks, mentions. */
#include "derived_store.h"

#include "db.h"

#define ROWS_MAX 1000000 /* of a thousand nodes; cut short, the closure would be wrong */

static err derived_read_id(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    return db_row(q, c, found, OUT((struct uuid *)row));
}

static err derived_read_pair(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct derived_pair *p = row;

    return db_row(q, c, found, OUT(&p->child), OUT_OPT(&p->source));
}

static err derived_rows(struct ctx *c, struct sql *s, size_t size, err (*read)(struct ctx *, struct db_cursor *, bool *, void *),
                        struct list *out)
{
    void *rows;

    TRY(sql_rows(c, s, ROWS_MAX, size, read, &rows, &out->n));
    out->v = rows;
    return out->n < ROWS_MAX ? ERR_OK : fail_reason(c, ERR_CONFLICT, "too_many", "too much follows from these; take fewer at once");
}

err derived_store_children(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT source_id FROM edge WHERE account_id = ? AND relation = 'DERIVED_FROM' AND retired_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "target_id", ids, n);
    sql_add(&s, " UNION SELECT fact_id FROM fact_claim WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "source_id", ids, n);
    return derived_rows(c, &s, sizeof(struct uuid), derived_read_id, out);
}

err derived_store_parts(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT previous_id FROM node WHERE account_id = ? AND previous_id IS NOT NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " UNION SELECT id FROM chunk WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "document_id", ids, n);
    sql_add(&s, " UNION SELECT id FROM passage WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "page_id", ids, n);
    return derived_rows(c, &s, sizeof(struct uuid), derived_read_id, out);
}

/* Those that a person made have a source_kind: they stay. */
err derived_store_entities(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT e.target_id FROM edge e JOIN node n ON n.account_id = e.account_id AND n.id = e.target_id WHERE "
            "e.account_id = ? AND e.relation IN ('ABOUT', 'MENTIONS') AND n.kind = 'entity' AND n.source_kind IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", ids, n);
    return derived_rows(c, &s, sizeof(struct uuid), derived_read_id, out);
}

/* What goes with any of its sources has none here. */
err derived_store_sources(struct ctx *c, const struct uuid *ids, size_t n, bool even_forgotten, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.fact_id, k.source_id FROM fact_claim k LEFT JOIN node n ON n.account_id = k.account_id AND n.id = k.source_id "
            "WHERE k.account_id = ? AND k.state <> 'withdrawn' AND NOT k.fact_id <=> k.source_id AND (? OR n.forgotten_at IS NULL)",
            IN(c->account_id), IN(even_forgotten));
    sql_add_in_uuids(&s, "k.fact_id", ids, n);
    sql_add(&s, " UNION SELECT e.source_id, e.target_id FROM edge e JOIN node n ON n.account_id = e.account_id AND n.id = e.target_id "
            "WHERE e.account_id = ? AND e.relation = 'DERIVED_FROM' AND e.retired_at IS NULL AND (? OR n.forgotten_at IS NULL) AND "
            "JSON_VALUE(e.metadata, '$.goes_with_any') IS NULL", IN(c->account_id), IN(even_forgotten));
    sql_add_in_uuids(&s, "e.source_id", ids, n);
    return derived_rows(c, &s, sizeof(struct derived_pair), derived_read_pair, out);
}

err derived_store_mentions(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT target_id, source_id FROM edge WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "target_id", ids, n);
    return derived_rows(c, &s, sizeof(struct derived_pair), derived_read_pair, out);
}

static err derived_read_node(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct derived_node *n = row;

    return db_row(q, c, found, OUT(&n->id), OUT(&n->space_id), OUT(&n->kind), OUT(&n->content_hash), OUT(&n->is_old),
                  OUT(&n->is_forgotten));
}

err derived_store_nodes(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, space_id, kind, content_hash, status = 'version', forgotten_at IS NOT NULL FROM node WHERE account_id = ?",
            IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    return derived_rows(c, &s, sizeof(struct derived_node), derived_read_node, out);
}
