/* SQL of the net of skills. */
#include "skill_net_store.h"

#include "db.h"

static err skill_net_store_read_node(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_net_node *k = row;
    const char *status;
    int value;

    TRY(db_row(q, c, found, OUT(&k->id), OUT(&k->space_id), OUT(&k->name), OUT(&k->slug), OUT(&k->category), OUT(&status),
        OUT(&k->effectiveness), OUT_OPT(&k->used_at), OUT(&k->created_at), OUT(&k->is_pinned), OUT(&k->has_text), OUT(&k->has_vector)));
    if (*found && enumx_parse(&skill_status_enumx, status, &value))
        k->status = (enum skill_status)value;
    return ERR_OK;
}

err skill_net_store_nodes(struct ctx *c, struct uuids spaces, bool archived, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT k.id, k.space_id, n.title, k.slug, k.category, n.status, k.effectiveness, k.last_used_at, k.created_at, "
        "n.is_pinned, "
        "k.active_version_id IS NOT NULL, EXISTS (SELECT 1 FROM `vector` v WHERE v.account_id = k.account_id AND v.node_id = k.id) "
        "FROM skill k JOIN node n ON n.account_id = k.account_id AND n.id = k.id WHERE k.account_id = ? AND n.forgotten_at IS NULL "
        "AND (? OR n.status = 'active')", IN(c->account_id), IN(archived));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    sql_add(&s, " ORDER BY k.id");
    return sql_rows(c, &s, SKILL_NET_NODES, sizeof(struct skill_net_node), skill_net_store_read_node, &out->v, &out->n);
}

static err skill_net_store_read_edge(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_net_row *e = row;

    return db_row(q, c, found, OUT(&e->id), OUT(&e->source_id), OUT(&e->target_id), OUT(&e->relation), OUT(&e->weight),
        OUT(&e->confidence));
}

err skill_net_store_edges(struct ctx *c, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, source_id, target_id, relation, weight, confidence FROM edge WHERE account_id = ? AND retired_at IS NULL "
        "AND status = 'active' AND relation IN ('requires', 'enhances', 'composes', 'succeeds', 'correlates_with', 'DEPENDS_ON', "
        "'CONTRADICTS') ORDER BY id", IN(c->account_id));
    return sql_rows(c, &s, SKILL_NET_EDGES, sizeof(struct skill_net_row), skill_net_store_read_edge, &out->v, &out->n);
}

static err skill_net_store_read_holder(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct skill_holder *h = row;

    return db_row(q, c, found, OUT(&h->agent_id), OUT(&h->agent_name), OUT(&h->trust), OUT_OPT(&h->skill_id), OUT_OPT(&h->category));
}

err skill_net_store_holders(struct ctx *c, struct uuid team_id, struct uuids spaces, struct list *out)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT a.id, a.name, a.trust, h.id, h.category FROM agent a LEFT JOIN (SELECT e.source_id, k.id, k.category FROM edge e "
        "JOIN skill k ON k.account_id = e.account_id AND k.id = e.target_id JOIN node n ON n.account_id = k.account_id AND n.id = k.id "
        "WHERE e.account_id = ? AND e.relation = 'has_skill' AND e.retired_at IS NULL AND n.status = 'active'", IN(c->account_id));
    sql_add_in_uuids(&s, "k.space_id", spaces.v, spaces.n);
    sql_add(&s, ") h ON h.source_id = a.id WHERE a.account_id = ? AND a.status = 'active'", IN(c->account_id));
    if (!uuid_is_nil(team_id))
        sql_add(&s, " AND EXISTS (SELECT 1 FROM team_member m WHERE m.account_id = a.account_id AND m.agent_id = a.id AND m.team_id = ?)",
            IN(team_id));
    sql_add(&s, " ORDER BY a.id, h.id");
    return sql_rows(c, &s, SKILL_NET_EDGES, sizeof(struct skill_holder), skill_net_store_read_holder, &out->v, &out->n);
}
