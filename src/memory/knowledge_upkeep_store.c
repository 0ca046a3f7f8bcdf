/* SQL of judging shared knowledge by night. */
#include "knowledge_upkeep_store.h"

#include "db.h"

err knowledge_upkeep_store_accounts(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT account_id FROM knowledge WHERE account_id > ? GROUP BY account_id HAVING MIN(last_quality_recalc_at) <= ? "
                 "ORDER BY account_id LIMIT ?",
                 IN(above), IN(before), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

/* What is archived is judged, too: then nobody asks about it until tomorrow. */
#define SCAN \
    "SELECT k.id, k.structure, COALESCE(u.uses, 0), k.rating_sum, k.rating_count, n.created_at, u.last_used_at, " \
    "k.last_quality_recalc_at, k.stale_at, k.quality_score FROM knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id " \
    "LEFT JOIN node_use u ON u.account_id = k.account_id AND u.node_id = k.id WHERE k.account_id = ? " \
    "AND k.last_quality_recalc_at >= ? AND (k.last_quality_recalc_at > ? OR k.id > ?) AND k.last_quality_recalc_at <= ? " \
    "ORDER BY k.last_quality_recalc_at, k.id LIMIT ?"

err knowledge_upkeep_store_scan(struct ctx *c, const struct knowledge_position *after, struct instant before, size_t max,
                                struct knowledge_row *rows, size_t *n)
{
    scoped_cursor q = {0};
    bool found;
    size_t k = 0;

    TRY(db_query(c, &q, SCAN, IN(c->account_id), IN(after->judged_at), IN(after->judged_at), IN(after->id), IN(before),
                 IN((int64_t)max)));
    for (; k < max; k++) {
        struct knowledge_row *r = &rows[k];
        struct knowledge_facts *f = &r->facts;

        *r = (struct knowledge_row){0};
        TRY(db_row(&q, c, &found, OUT(&r->id), OUT(&f->structure), OUT(&f->uses), OUT(&f->rating_sum), OUT(&f->rating_count),
                   OUT(&f->created_at), OUT_OPT(&f->last_used_at), OUT(&r->judged_at), OUT_OPT(&r->stale_at), OUT(&r->quality)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err knowledge_upkeep_store_write(struct ctx *c, const struct knowledge_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE knowledge JOIN (");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS id, ? AS quality, CAST(? AS DATETIME(6)) AS stale_at", IN(rows[i].id),
                IN(rows[i].quality), IN_OPT(rows[i].stale_at));
    }
    sql_add(&s, ") judged ON knowledge.account_id = ? AND knowledge.id = judged.id SET knowledge.quality_score = judged.quality, "
                "knowledge.stale_at = judged.stale_at, knowledge.last_quality_recalc_at = ?", IN(c->account_id), IN(c->now));
    return sql_exec(c, NULL, &s);
}
