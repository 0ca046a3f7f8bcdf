/* SQL of the nights of tags. */
#include "tag_upkeep_store.h"

#include "db.h"

#define TAGS_READ 50000

static err tag_upkeep_store_read_node(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct tag_node *n = row;

    return db_row(q, c, found, OUT(&n->id), OUT(&n->version));
}

err tag_upkeep_store_uncounted(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT n.id, n.version FROM tag t JOIN edge e ON e.account_id = t.account_id AND e.target_id = t.id AND "
        "e.relation = 'HAS_TAG' AND e.live = 1 JOIN node n ON n.account_id = e.account_id AND n.id = e.source_id AND "
        "n.forgotten_at IS NULL LEFT JOIN tag_counted k ON k.account_id = n.account_id AND k.node_id = n.id WHERE t.account_id = ? AND "
        "(k.version IS NULL OR k.version < n.version) ORDER BY n.id LIMIT ?", IN(c->account_id), IN(limit));
    return sql_rows(c, &s, (size_t)limit, sizeof(struct tag_node), tag_upkeep_store_read_node, &out->v, &out->n);
}

static err tag_upkeep_store_read_tag(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct tag_of_node *t = row;

    return db_row(q, c, found, OUT(&t->node_id), OUT(&t->tag_id));
}

err tag_upkeep_store_tags(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT e.source_id, t.id FROM edge e JOIN tag t ON t.account_id = e.account_id AND t.id = e.target_id AND t.tag_type <> "
        "'super_concept' WHERE e.account_id = ? AND e.relation = 'HAS_TAG' AND e.live = 1", IN(c->account_id));
    sql_add_in_uuids(&s, "e.source_id", ids, n);
    sql_add(&s, " ORDER BY e.source_id, t.usage_count, t.id LIMIT ?", IN((int64_t)TAGS_READ));
    return sql_rows(c, &s, TAGS_READ, sizeof(struct tag_of_node), tag_upkeep_store_read_tag, &out->v, &out->n);
}

err tag_upkeep_store_count(struct ctx *c, const struct tag_node *nodes, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "REPLACE INTO tag_counted (account_id, node_id, version) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, ?, ?)", IN(c->account_id), IN(nodes[i].id), IN(nodes[i].version));
    }
    return n ? sql_exec(c, NULL, &s) : ERR_OK;
}

err tag_upkeep_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM tag WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
        IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
