/* SQL of shared knowledge. */
#include "knowledge_impl.h"

#include "access.h"
#include "db.h"
#include "knowledge_score.h"
#include "row.h"
#include "strs_json.h"

/* ---- reading rows */

#define TABLES " FROM " KNOWLEDGE_FROM
#define THERE                                                                                                \
    " AND n.forgotten_at IS NULL AND n.status <> 'forgotten' AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define LIVE                                                                                                 \
    " AND n.archived_at IS NULL AND n.status = 'active' AND n.forgotten_at IS NULL AND (n.expires_at IS "    \
    "NULL OR n.expires_at > ?)"

err knowledge_store_get(struct ctx *c, struct uuid id, int64_t chars, bool *found, struct knowledge *out)
{
    return row_one(c, &KNOWLEDGE, found, out,
                   "SELECT {*} FROM {from} WHERE k.account_id = ? AND k.id = ?" THERE, IN(chars), IN(c->account_id),
                   IN(id), IN(c->now));
}

err knowledge_store_lock(struct ctx *c, struct uuid id, bool *found)
{
    scoped_cursor q = {0};
    struct uuid locked;

    TRY(db_query(c, &q, "SELECT id FROM knowledge WHERE account_id = ? AND id = ? FOR UPDATE",
                 IN(c->account_id), IN(id)));
    return db_row(&q, c, found, OUT(&locked));
}

err knowledge_store_equal(struct ctx *c, struct bytes text_hash, const struct uuid *spaces, size_t n,
                          struct uuid *id)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT k.id FROM knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id"
            " WHERE k.account_id = ? AND k.text_hash = ?" LIVE,
            IN(c->account_id), IN(text_hash), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces, n);
    sql_add(&s, " ORDER BY k.id LIMIT 1");
    *id = (struct uuid){{0}};
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(id));
}

/* ---- lists */

#define SHOWN ((int64_t)KNOWLEDGE_SHOWN + 1) /* one more says whether there is more */

err knowledge_store_list(struct ctx *c, const struct knowledge_filter *f, struct uuid before, const struct uuid *spaces, size_t n_spaces,
                         struct page *out)
{
    struct sql s;

    row_select(&s, c->arena, &KNOWLEDGE, "SELECT {*} FROM {from} WHERE k.account_id = ? AND k.id < ?" LIVE, IN(SHOWN), IN(c->account_id),
               IN(before), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces, n_spaces);
    if (f->content_type >= 0)
        sql_add(&s, " AND k.content_type = ?", IN(enumx_name(&knowledge_type_enumx, f->content_type)));
    if (f->access_level >= 0)
        sql_add(&s, " AND k.access_level = ?", IN(enumx_name(&audience_enumx, f->access_level)));
    if (f->high_quality)
        sql_add(&s, " AND k.quality_score >= ?", IN(QUALITY_HIGH));
    if (f->tags.n)
        sql_add(&s, " AND JSON_CONTAINS(n.attrs, ?, '$.tags')",
                IN(json_text(c->arena, strs_to_json(c->arena, f->tags))));
    sql_add(&s, " ORDER BY k.id DESC LIMIT ?", IN(f->limit + 1));
    return row_page(c, &KNOWLEDGE, &s, f->limit, out);
}

err knowledge_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct list *out)
{
    struct sql s;

    row_select(&s, c->arena, &KNOWLEDGE, "SELECT {*} FROM {from} WHERE k.account_id = ?" LIVE, IN(SHOWN), IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "k.id", ids, n);
    return row_all(c, &KNOWLEDGE, &s, n, out);
}

/* ---- writing */

err knowledge_store_release(struct ctx *c, struct bytes live_key)
{
    return db_exec(
        c, NULL,
        "UPDATE knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id SET k.live_key = NULL"
        " WHERE k.account_id = ? AND k.live_key = ? AND (n.archived_at IS NOT NULL OR n.status <> 'active'"
        " OR n.forgotten_at IS NOT NULL OR n.expires_at <= ?)",
        IN(c->account_id), IN(live_key), IN(c->now));
}

err knowledge_store_by_title(struct ctx *c, const char *title, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT n.id FROM knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id"
            " WHERE k.account_id = ? AND k.title_hash = UNHEX(SHA2(?, 256)) AND n.title = ? AND n.status = 'active'"
            " AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)",
            IN(c->account_id), IN(title), IN(title), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", c->access->readable, c->access->n);
    sql_add(&s, " ORDER BY n.updated_at DESC, n.id DESC LIMIT 1");
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, found, OUT(id));
}

/* ---- ratings */

err knowledge_store_rating(struct ctx *c, struct uuid id, struct uuid principal_id, int64_t *rating)
{
    scoped_cursor q = {0};
    bool found;

    *rating = 0;
    TRY(db_query(
        c, &q,
        "SELECT rating FROM knowledge_rating WHERE account_id = ? AND knowledge_id = ? AND principal_id = ?",
        IN(c->account_id), IN(id), IN(principal_id)));
    return db_row(&q, c, &found, OUT(rating));
}

err knowledge_store_rate(struct ctx *c, struct uuid id, struct uuid principal_id, int64_t rating)
{
    return db_exec(c, NULL,
                   "INSERT INTO knowledge_rating (account_id, knowledge_id, principal_id, rating, rated_at) "
                   "VALUES (?, ?, ?, ?, ?)"
                   " ON DUPLICATE KEY UPDATE rating = VALUES(rating), rated_at = VALUES(rated_at)",
                   IN(c->account_id), IN(id), IN(principal_id), IN(rating), IN(c->now));
}

/* ---- health */

static err knowledge_store_counts(struct ctx *c, struct sql *s, struct list *out)
{
    struct knowledge_count *rows = ARENA_ARRAY(c->arena, struct knowledge_count, KNOWLEDGE_LIMIT);
    scoped_cursor q = {0};
    size_t n = 0;
    bool found;

    TRY(sql_query(c, &q, s));
    for (; n < KNOWLEDGE_LIMIT; n++) {
        TRY(db_row(&q, c, &found, OUT(&rows[n].name), OUT(&rows[n].n)));
        if (!found)
            break;
    }
    *out = (struct list){rows, n};
    return ERR_OK;
}

#define OF_SPACES(s)                                                                                         \
    sql_add((s), TABLES " WHERE k.account_id = ?" LIVE, IN(c->account_id), IN(c->now));                      \
    sql_add_in_uuids((s), "n.space_id", spaces, n)

static err totals(struct ctx *c, const struct uuid *spaces, size_t n, struct knowledge_health *out)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT COUNT(*), COUNT(IF(k.quality_score >= 0.7, 1, NULL)), COUNT(IF(k.quality_score < 0.4, 1, "
            "NULL)),"
            " COUNT(IF(u.uses IS NULL, 1, NULL)), COUNT(IF(k.rating_count > 0, 1, NULL)), COUNT(k.stale_at),"
            " COALESCE(AVG(k.quality_score), 0), COALESCE(CAST(SUM(k.rating_sum) AS DOUBLE) / "
            "NULLIF(SUM(k.rating_count), 0), 0)");
    OF_SPACES(&s);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(&out->total), OUT(&out->high_quality), OUT(&out->low_quality),
                  OUT(&out->never_used), OUT(&out->rated), OUT(&out->stale), OUT(&out->average_quality),
                  OUT(&out->average_rating));
}

static err archived(struct ctx *c, const struct uuid *spaces, size_t n, int64_t *out)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT COUNT(*)" TABLES " WHERE k.account_id = ? AND n.archived_at IS NOT NULL" THERE,
            IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces, n);
    TRY(sql_query(c, &q, &s));
    return db_row(&q, c, &found, OUT(out));
}

err knowledge_store_health(struct ctx *c, const struct uuid *spaces, size_t n, struct knowledge_health *out)
{
    struct sql by_type, by_level;

    TRY(totals(c, spaces, n, out));
    TRY(archived(c, spaces, n, &out->archived));
    sql_init(&by_type, c->arena);
    sql_add(&by_type, "SELECT k.content_type, COUNT(*)");
    OF_SPACES(&by_type);
    sql_add(&by_type, " GROUP BY k.content_type ORDER BY k.content_type");
    TRY(knowledge_store_counts(c, &by_type, &out->by_type));
    sql_init(&by_level, c->arena);
    sql_add(&by_level, "SELECT k.access_level, COUNT(*)");
    OF_SPACES(&by_level);
    sql_add(&by_level, " GROUP BY k.access_level ORDER BY k.access_level");
    return knowledge_store_counts(c, &by_level, &out->by_level);
}
