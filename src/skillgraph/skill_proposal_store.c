/* SQL of proposals. */
#include "skill_proposal_store.h"

#include "row.h"

err skill_proposal_store_lock(struct ctx *c, struct uuid id, bool *found, struct skill_proposal *out)
{
    return row_one(c, &SKILL_PROPOSAL, found, out, "SELECT {*} FROM {from} WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id),
        IN(id));
}

err skill_proposal_store_list(struct ctx *c, const struct skill_proposal_filter *f, struct uuid by, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL_PROPOSAL, "SELECT {*} FROM {from} WHERE account_id = ? AND id < ?", IN(c->account_id), IN(before));
    if (uuid_is_nil(by))
        sql_add(&s, " AND (status <> 'draft' OR proposed_by = ?)", IN(c->who->id));
    else
        sql_add(&s, " AND proposed_by = ?", IN(by));
    if (f->status >= 0)
        sql_add(&s, " AND status = ?", IN(enumx_name(&skill_proposal_status_enumx, f->status)));
    if (f->category)
        sql_add(&s, " AND category = ?", IN(f->category));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &SKILL_PROPOSAL, &s, f->limit, out);
}

err skill_proposal_store_open(struct ctx *c, struct uuid by, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM skill_proposal WHERE account_id = ? AND proposed_by = ? AND open_slug IS NOT NULL "
        "AND depth = 0", IN(c->account_id), IN(by)));
    return db_row(&q, c, &found, OUT(n));
}

err skill_proposal_store_overdue(struct ctx *c, int64_t limit, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &SKILL_PROPOSAL, "SELECT {*} FROM {from} WHERE account_id = ? AND status IN ('submitted', 'under_review') "
        "AND review_deadline <= ? ORDER BY review_deadline LIMIT ? FOR UPDATE", IN(c->account_id), IN(c->now), IN(limit));
    return row_all(c, &SKILL_PROPOSAL, &s, (size_t)limit, out);
}

err skill_proposal_store_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM skill_proposal WHERE account_id > ? AND status IN ('submitted', 'under_review') "
        "AND review_deadline <= ? ORDER BY account_id LIMIT ?", IN(above), IN(c->now), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}
