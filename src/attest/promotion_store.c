/* SQL of promotions. */
#include "promotion_store.h"

#include "db.h"
#include "row.h"

err promotion_store_open(struct ctx *c, struct uuid fact_id, struct promotion *out)
{
    bool found;

    *out = (struct promotion){0};
    return row_one(c, &PROMOTION, &found, out, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.candidate_fact_id = ? AND p.status IN "
                   "('pending', 'promoted') ORDER BY p.id DESC LIMIT 1 FOR UPDATE", IN(c->account_id), IN(fact_id));
}

err promotion_store_get(struct ctx *c, struct uuid id, bool *found, struct promotion *out)
{
    return row_one(c, &PROMOTION, found, out, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id = ?", IN(c->account_id), IN(id));
}

err promotion_store_list(struct ctx *c, const struct promotion_filter *f, struct uuids spaces, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &PROMOTION, "SELECT {*} FROM {from} WHERE p.account_id = ? AND p.id < ?", IN(c->account_id), IN(before));
    sql_add_in_uuids(&s, "p.space_id", spaces.v, spaces.n);
    if (f->status >= 0)
        sql_add(&s, " AND p.status = ?", IN(enumx_name(&promotion_status_enumx, f->status)));
    sql_add(&s, " ORDER BY p.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &PROMOTION, &s, f->limit, out);
}

err promotion_store_save(struct ctx *c, const struct promotion *p)
{
    return db_exec(c, NULL, "UPDATE promotion SET posterior = ?, supporters = ?, status = ?, reason = ?, promoted_fact_id = ?, "
                   "claim_id = ?, resolved_at = ? WHERE account_id = ? AND id = ?", IN(p->posterior), IN(p->supporters),
                   IN(enumx_name(&promotion_status_enumx, (int)p->status)), IN(p->reason), IN_OPT(p->promoted_fact_id),
                   IN_OPT(p->claim_id), IN_OPT(p->resolved_at), IN(c->account_id), IN(p->id));
}

err promotion_store_count(struct ctx *c, struct uuid fact_id, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM promotion WHERE account_id = ? AND candidate_fact_id = ?", IN(c->account_id), IN(fact_id)));
    return db_row(&q, c, &found, OUT(n));
}

err promotion_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM promotion WHERE status IN ('pending', 'promoted') AND account_id > ? "
                 "ORDER BY account_id LIMIT ?", IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

struct promotion_fact {
    struct uuid id, fact_id;
};

static err promotion_fact_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct promotion_fact *f = row;

    return db_row(q, c, found, OUT(&f->id), OUT(&f->fact_id));
}

err promotion_store_facts(struct ctx *c, struct uuid behind, int64_t limit, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, candidate_fact_id FROM promotion WHERE account_id = ? AND status IN ('pending', 'promoted') AND id > ? "
            "ORDER BY id LIMIT ?", IN(c->account_id), IN(behind), IN(limit));
    TRY(sql_rows(c, &s, (size_t)limit, sizeof(struct promotion_fact), promotion_fact_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err promotion_store_global(struct ctx *c, struct uuid *space_id)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT id FROM space WHERE account_id = ? AND kind = 'namespace' AND slug = 'global'", IN(c->account_id)));
    TRY(db_row(&q, c, &found, OUT(space_id)));
    return found ? ERR_OK : fail(c, ERR_CONFLICT, "the account has no global namespace");
}
