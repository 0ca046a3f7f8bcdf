/* SQL of shared knowledge. */
#include "knowledge_store.h"

#include "access.h"
#include "db.h"
#include "knowledge_score.h"
#include "strs_json.h"
#include "tags.h"

/* ---- reading rows */

#define COLUMNS(content)                                                                                     \
    "n.id, n.space_id, s.team_id, n.title, " content                                                         \
    ", n.attrs, k.content_type, k.access_level, k.source_type, k.provenance,"                                \
    " k.rating_sum, k.rating_count, COALESCE(u.uses, 0), u.last_used_at, k.stale_at, n.status, "             \
    "n.author_kind, n.author_id,"                                                                            \
    " k.creator_id, n.version, n.created_at, n.updated_at, n.archived_at, k.structure, k.echo_ratio"
#define TABLES                                                                                               \
    " FROM knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id"                           \
    " JOIN space s ON s.account_id = n.account_id AND s.id = n.space_id"                                     \
    " LEFT JOIN node_use u ON u.account_id = k.account_id AND u.node_id = k.id"
#define THERE                                                                                                \
    " AND n.forgotten_at IS NULL AND n.status <> 'forgotten' AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define LIVE                                                                                                 \
    " AND n.archived_at IS NULL AND n.status = 'active' AND n.forgotten_at IS NULL AND (n.expires_at IS "    \
    "NULL OR n.expires_at > ?)"

static err enum_of(struct ctx *c, const struct enumx *e, const char *name, int *out)
{
    return enumx_parse(e, name, out) ? ERR_OK : fail(c, ERR_INTERNAL, "'%s' is not a valid %s", name, e->type);
}

static err read_row(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct knowledge *k = row;
    const char *attrs, *type, *level, *source, *provenance;
    int value;

    *k = (struct knowledge){0};
    TRY(db_row(q, c, found, OUT(&k->id), OUT(&k->space_id), OUT_OPT(&k->team_id), OUT(&k->title),
               OUT(&k->content), OUT(&attrs), OUT(&type), OUT(&level), OUT(&source), OUT(&provenance),
               OUT(&k->rating_sum), OUT(&k->rating_count), OUT(&k->usage_count), OUT_OPT(&k->last_used_at),
               OUT_OPT(&k->stale_at), OUT(&k->status), OUT(&k->author_kind), OUT(&k->author_id),
               OUT(&k->creator_id), OUT(&k->version), OUT(&k->created_at), OUT(&k->updated_at),
               OUT_OPT(&k->archived_at), OUT(&k->structure), OUT(&k->echo_ratio)));
    if (!*found)
        return ERR_OK;
    TRY(enum_of(c, &knowledge_type_enumx, type, &value));
    k->content_type = (enum knowledge_type)value;
    TRY(enum_of(c, &audience_enumx, level, &value));
    k->access_level = (enum audience)value;
    TRY(enum_of(c, &knowledge_source_enumx, source, &value));
    k->source_type = (enum knowledge_source)value;
    k->provenance = json_raw(c->arena, provenance);
    k->tags = tags_of(c->arena, json_raw(c->arena, attrs));
    return ERR_OK;
}

static err read_rows(struct ctx *c, struct sql *s, size_t max, struct knowledge **rows, size_t *n)
{
    void *list;

    TRY(sql_rows(c, s, max, sizeof **rows, read_row, &list, n));
    *rows = list;
    return ERR_OK;
}

err knowledge_store_get(struct ctx *c, struct uuid id, int64_t chars, bool *found, struct knowledge *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT " COLUMNS("LEFT(n.body, ?)") TABLES " WHERE k.account_id = ? AND k.id = ?" THERE,
                 IN(chars), IN(c->account_id), IN(id), IN(c->now)));
    return read_row(c, &q, found, out);
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

#define SHOWN "LEFT(n.body, 4001)" /* KNOWLEDGE_SHOWN, and one that says whether there is more */

err knowledge_store_list(struct ctx *c, const struct knowledge_filter *f, struct uuid before,
                         const struct uuid *spaces, size_t n_spaces, struct knowledge **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS(SHOWN) TABLES " WHERE k.account_id = ? AND k.id < ?" LIVE,
            IN(c->account_id), IN(before), IN(c->now));
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
    return read_rows(c, &s, (size_t)f->limit + 1, rows, n);
}

err knowledge_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct knowledge **rows,
                         size_t *found)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS(SHOWN) TABLES " WHERE k.account_id = ?" LIVE, IN(c->account_id),
            IN(c->now));
    sql_add_in_uuids(&s, "k.id", ids, n);
    return read_rows(c, &s, n, rows, found);
}

/* ---- writing */

err knowledge_store_insert(struct ctx *c, const struct knowledge *k, const struct knowledge_key *key)
{
    return db_exec(c, NULL,
                   "INSERT INTO knowledge (account_id, id, content_type, access_level, source_type, "
                   "provenance, creator_id, structure,"
                   " quality_score, last_quality_recalc_at, text_hash, live_key, echo_ratio, title_hash) VALUES (?, ?, "
                   "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, UNHEX(SHA2(?, 256)))",
                   IN(c->account_id), IN(k->id), IN(enumx_name(&knowledge_type_enumx, (int)k->content_type)),
                   IN(enumx_name(&audience_enumx, (int)k->access_level)),
                   IN(enumx_name(&knowledge_source_enumx, (int)k->source_type)),
                   IN(json_text(c->arena, k->provenance)), IN(k->creator_id), IN(k->structure),
                   IN(k->quality_score), IN(c->now), IN(key->text_hash), IN(key->live_key),
                   IN(k->echo_ratio), IN(k->title));
}

err knowledge_store_update(struct ctx *c, const struct knowledge *k, const struct knowledge_key *key)
{
    return db_exec(c, NULL,
                   "UPDATE knowledge SET content_type = ?, access_level = ?, provenance = ?, structure = ?, "
                   "quality_score = ?,"
                   " rating_sum = ?, rating_count = ?, last_quality_recalc_at = ?, stale_at = ?, text_hash = "
                   "?, live_key = ?, title_hash = UNHEX(SHA2(?, 256))"
                   " WHERE account_id = ? AND id = ?",
                   IN(enumx_name(&knowledge_type_enumx, (int)k->content_type)),
                   IN(enumx_name(&audience_enumx, (int)k->access_level)),
                   IN(json_text(c->arena, k->provenance)), IN(k->structure), IN(k->quality_score),
                   IN(k->rating_sum), IN(k->rating_count), IN(c->now), IN_OPT(k->stale_at),
                   IN(key->text_hash), IN_OPT(key->live_key), IN(k->title), IN(c->account_id), IN(k->id));
}

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

static err counts(struct ctx *c, struct sql *s, struct list *out)
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
    TRY(counts(c, &by_type, &out->by_type));
    sql_init(&by_level, c->arena);
    sql_add(&by_level, "SELECT k.access_level, COUNT(*)");
    OF_SPACES(&by_level);
    sql_add(&by_level, " GROUP BY k.access_level ORDER BY k.access_level");
    return counts(c, &by_level, &out->by_level);
}
