/* SQL of evaluation sets. */
#include "evaluation_store.h"

#include "row.h"

err evaluation_store_cases(struct ctx *c, const struct evaluation_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &EVALUATION_CASE, "SELECT {*} FROM {from} WHERE account_id = ? AND knowledge_base_id = ? AND id < ?",
               IN(c->account_id), IN(f->knowledge_base_id), IN(before));
    if (f->name)
        sql_add(&s, " AND name = ?", IN(f->name));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &EVALUATION_CASE, &s, f->limit, out);
}

err evaluation_store_runs(struct ctx *c, const struct evaluation_filter *f, struct uuid before, struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &EVALUATION_RUN, "SELECT {*} FROM {from} WHERE account_id = ? AND knowledge_base_id = ? AND id < ?",
               IN(c->account_id), IN(f->knowledge_base_id), IN(before));
    if (f->name)
        sql_add(&s, " AND name = ?", IN(f->name));
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &EVALUATION_RUN, &s, f->limit, out);
}

err evaluation_store_count(struct ctx *c, struct uuid base, int64_t *n)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT COUNT(*) FROM evaluation_case WHERE account_id = ? AND knowledge_base_id = ?", IN(c->account_id),
                 IN(base)));
    return db_row(&q, c, &found, OUT(n));
}

err evaluation_store_all(struct ctx *c, struct uuid base, const char *name, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &EVALUATION_CASE, "SELECT {*} FROM {from} WHERE account_id = ? AND knowledge_base_id = ?", IN(c->account_id),
               IN(base));
    if (name)
        sql_add(&s, " AND name = ?", IN(name));
    sql_add(&s, " ORDER BY id");
    return row_all(c, &EVALUATION_CASE, &s, EVALUATION_CASES, out);
}

err evaluation_store_before(struct ctx *c, const struct evaluation_run *r, bool *found, struct evaluation_run *out)
{
    return row_one(c, &EVALUATION_RUN, found, out,
                   "SELECT {*} FROM {from} WHERE account_id = ? AND knowledge_base_id = ? AND id < ? AND status = 'done' AND "
                   "COALESCE(name, '') = ? ORDER BY id DESC LIMIT 1",
                   IN(c->account_id), IN(r->knowledge_base_id), IN(r->id), IN(r->name ? r->name : ""));
}

err evaluation_store_document(struct ctx *c, struct uuid base, const char *external_id, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT d.id FROM document d JOIN node n ON n.account_id = d.account_id AND n.id = d.id AND n.forgotten_at IS NULL "
                        "WHERE d.account_id = ? AND d.knowledge_base_id = ? AND d.external_id = ? LIMIT 1",
                 IN(c->account_id), IN(base), IN(external_id)));
    return db_row(&q, c, found, OUT(id));
}
