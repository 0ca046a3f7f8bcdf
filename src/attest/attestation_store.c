/* SQL of attestations and reliability. */
#include "attestation_store.h"

#include "db.h"

#define ATTESTATIONS 200

err attestation_store_put(struct ctx *c, const struct attestation *a)
{
    return db_exec(c, NULL, "INSERT INTO attestation (account_id, fact_id, principal_id, principal_kind, stance, category, note, "
                   "is_author, at) VALUES (?,?,?,?,?,?,?,?,?) ON DUPLICATE KEY UPDATE stance = VALUE(stance), category = VALUE(category), "
                   "note = VALUE(note), is_author = VALUE(is_author), at = VALUE(at)", IN(c->account_id), IN(a->fact_id),
                   IN(a->principal_id), IN(a->principal_kind), IN(enumx_name(&attest_stance_enumx, (int)a->stance)), IN(a->category),
                   IN(a->note), IN(a->is_author), IN(a->at));
}

err attestation_store_drop(struct ctx *c, struct uuid fact_id, struct uuid principal_id, bool *was_there)
{
    int64_t n;

    TRY(db_exec(c, &n, "DELETE FROM attestation WHERE account_id = ? AND fact_id = ? AND principal_id = ?", IN(c->account_id), IN(fact_id),
                IN(principal_id)));
    *was_there = n > 0;
    return ERR_OK;
}

static err attestation_read(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct attestation *a = row;
    double for_it, against_it, for_all, against_all;
    const char *stance;
    int value;

    TRY(db_row(q, c, found, OUT(&a->fact_id), OUT(&a->principal_id), OUT(&a->principal_kind), OUT(&stance), OUT(&a->category),
               OUT(&a->note), OUT(&a->is_author), OUT(&a->at), OUT(&for_it), OUT(&against_it), OUT(&for_all), OUT(&against_all)));
    if (!*found)
        return ERR_OK;
    a->stance = enumx_parse(&attest_stance_enumx, stance, &value) ? (enum attest_stance)value : ATTEST_SUPPORT;
    a->reliability = reliability_of(for_it, against_it, for_all, against_all);
    return ERR_OK;
}

#define SUM(what) "CAST(COALESCE(SUM(" what "), 0) AS DOUBLE)"

err attestation_store_list(struct ctx *c, struct uuid fact_id, struct list *out)
{
    void *rows;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT a.fact_id, a.principal_id, a.principal_kind, a.stance, a.category, a.note, a.is_author, a.at, "
            SUM("IF(r.category = a.category AND r.success, r.weight, 0)") ", "
            SUM("IF(r.category = a.category AND NOT r.success, r.weight, 0)") ", " SUM("IF(r.success, r.weight, 0)") ", "
            SUM("IF(r.success, 0, r.weight)")
            " FROM attestation a LEFT JOIN reliability_event r ON r.account_id = a.account_id AND r.principal_id = a.principal_id WHERE "
            "a.account_id = ? AND a.fact_id = ? GROUP BY a.account_id, a.fact_id, a.principal_id "
            "ORDER BY a.at DESC, a.principal_id LIMIT ?",
            IN(c->account_id), IN(fact_id), IN((int64_t)ATTESTATIONS));
    TRY(sql_rows(c, &s, ATTESTATIONS, sizeof(struct attestation), attestation_read, &rows, &out->n));
    out->v = rows;
    return ERR_OK;
}

err attestation_store_is_author(struct ctx *c, struct uuid fact_id, struct uuid principal_id, bool *is_author)
{
    scoped_cursor q = {0};
    int64_t one;

    TRY(db_query(c, &q, "SELECT 1 FROM fact_claim WHERE account_id = ? AND fact_id = ? AND author_id = ? AND state <> 'withdrawn' LIMIT 1",
                 IN(c->account_id), IN(fact_id), IN(principal_id)));
    return db_row(&q, c, is_author, OUT(&one));
}

err reliability_store_add(struct ctx *c, const struct reliability_event *e)
{
    return db_exec(c, NULL, "INSERT INTO reliability_event (account_id, principal_id, category, kind, weight, success, cause_id, other_id, "
                   "at) VALUES (?,?,?,?,?,?,?,?,?) ON DUPLICATE KEY UPDATE weight = weight", IN(c->account_id), IN(e->principal_id),
                   IN(e->category), IN(e->kind), IN(e->weight), IN(e->success), IN(e->cause_id), IN(e->other_id), IN(c->now));
}
