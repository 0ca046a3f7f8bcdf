/* SQL of what waits for a decision. */
#include "review_store.h"

#include "db.h"

#define OTHER \
    "(SELECT MIN(IF(g.source_id = n.id, g.target_id, g.source_id)) FROM edge g WHERE g.account_id = n.account_id AND " \
    "g.relation = 'CONTRADICTS' AND g.retired_at IS NULL AND (g.source_id = n.id OR g.target_id = n.id))"
#define HEAD "n.id, n.space_id, n.body, n.trust, n.created_at"
#define THERE "n.account_id = ? AND n.id < ? AND n.forgotten_at IS NULL AND n.archived_at IS NULL"

static err review_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct review_item *r = row;
    const char *kind;
    int value;

    TRY(db_row(q, c, found, OUT(&r->id), OUT(&r->space_id), OUT(&r->text), OUT(&r->trust), OUT(&r->at), OUT(&kind), OUT_OPT(&r->reason),
               OUT_OPT(&r->other_id), OUT_OPT(&r->other_text)));
    if (*found && enumx_parse(&review_kind_enumx, kind, &value))
        r->kind = (enum review_kind)value;
    return ERR_OK;
}

static void add_facts(struct ctx *c, struct sql *s, struct uuid before, struct uuids spaces)
{
    sql_add(s, "SELECT " HEAD ", IF(f.contested, 'contested', 'held') AS kind, f.quarantine_reason, " OTHER " AS other_id FROM fact f "
            "JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id WHERE " THERE " AND ((n.status = 'quarantined' AND "
            "f.quarantine_reason IN ('held', 'contradicted')) OR (f.contested = 1 AND n.status = 'active'))",
            IN(c->account_id), IN(before));
    sql_add_in_uuids(s, "n.space_id", spaces.v, spaces.n);
}

static void add_episodes(struct ctx *c, struct sql *s, struct uuid before, struct uuids spaces)
{
    sql_add(s, "SELECT " HEAD ", IF(n.status = 'quarantined', 'quarantined_episode', 'failed_episode'), e.last_error, NULL FROM episode e "
            "JOIN node n ON n.account_id = e.account_id AND n.id = e.id WHERE " THERE " AND (n.status = 'quarantined' OR "
            "e.consolidation_state = 'failed')", IN(c->account_id), IN(before));
    sql_add_in_uuids(s, "n.space_id", spaces.v, spaces.n);
}

err review_store_list(struct ctx *c, const struct review_filter *f, struct uuids spaces, struct uuid before, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT w.id, w.space_id, w.body, w.trust, w.created_at, w.kind, w.quarantine_reason, w.other_id, o.body FROM (");
    add_facts(c, &s, before, spaces);
    sql_add(&s, " UNION ALL ");
    add_episodes(c, &s, before, spaces);
    sql_add(&s, ") w LEFT JOIN node o ON o.account_id = ? AND o.id = w.other_id WHERE 1", IN(c->account_id));
    if (f->kind >= 0)
        sql_add(&s, " AND w.kind = ?", IN(enumx_name(&review_kind_enumx, f->kind)));
    sql_add(&s, " ORDER BY w.id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_rows(c, &s, (size_t)f->limit + 1, sizeof(struct review_item), review_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err review_store_sort(struct ctx *c, struct uuid id, struct uuid *space_id, bool *is_fact, bool *found)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT space_id, kind = 'fact' FROM node WHERE account_id = ? AND id = ? AND kind IN ('fact', 'episode') AND "
                 "forgotten_at IS NULL AND status <> 'version'", IN(c->account_id), IN(id)));
    return db_row(&q, c, found, OUT(space_id), OUT(is_fact));
}
