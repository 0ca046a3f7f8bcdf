/* SQL of learnings. */
#include "learning_store.h"

#include <math.h>

#include "db.h"
#include "learning_score.h"
#include "node.h"
#include "strs_json.h"
#include "tags.h"

/* ---- reading rows */

#define COLUMNS                                                                                              \
    "SELECT n.id, n.space_id, s.team_id, n.title, n.body, n.attrs, n.status, n.archived_at IS NOT NULL, "    \
    "n.importance, n.decay_rate,"                                                                            \
    " n.decayed_at, n.is_pinned, n.confidence, n.access_count, n.occurrences, n.author_kind, n.author_id, "  \
    "n.superseded_by, n.version,"                                                                            \
    " n.created_at, n.updated_at, l.category, l.scope, l.extraction_method, l.injection_count, "             \
    "l.positive_outcome_count,"                                                                              \
    " l.negative_outcome_count, l.source_agent_id, l.source_execution_id, l.learned_at, l.verified_at, "     \
    "l.verified_by, l.disproven_at,"                                                                         \
    " l.disproven_by, l.before_dispute, l.contradiction_note, l.contradiction_resolved_at, l.promoted_at, "  \
    "l.last_injected_at, l.echo_ratio"
#define TABLES                                                                                               \
    " FROM learning l JOIN node n ON n.account_id = l.account_id AND n.id = l.id"                            \
    " JOIN space s ON s.account_id = n.account_id AND s.id = n.space_id WHERE l.account_id = ?"              \
    " AND n.forgotten_at IS NULL AND (n.expires_at IS NULL OR n.expires_at > ?)"
#define IN_USE " AND n.status IN ('active','verified') AND n.archived_at IS NULL"

static err enum_of(struct ctx *c, const struct enumx *e, const char *name, int *out)
{
    return enumx_parse(e, name, out) ? ERR_OK : fail(c, ERR_INTERNAL, "'%s' is not a valid %s", name, e->type);
}

struct words {
    const char *status, *category, *scope, *method, *attrs;
};

static err take_words(struct ctx *c, const struct words *w, struct learning *l)
{
    int value;

    TRY(enum_of(c, &learning_category_enumx, w->category, &value));
    l->category = (enum learning_category)value;
    TRY(enum_of(c, &learning_scope_enumx, w->scope, &value));
    l->scope = (enum learning_scope)value;
    TRY(enum_of(c, &learning_method_enumx, w->method, &value));
    l->extraction_method = (enum learning_method)value;
    /* An archived one has the status it comes back with in its attrs (archive.c); archived_at says that it is archived. */
    value = LEARNING_ACTIVE;
    if (!str_eq(w->status, NODE_ARCHIVED))
        TRY(enum_of(c, &learning_status_enumx, w->status, &value));
    l->status = (enum learning_status)value;
    l->tags = tags_of(c->arena, json_raw(c->arena, w->attrs));
    return ERR_OK;
}

/* What the formulas make of the stored numbers. */
static void learning_store_compute(const struct ctx *c, struct node *n, struct learning *l)
{
    struct lifecycle life;

    n->kind = "learning";
    life = node_lifecycle(n);
    l->importance_score = lifecycle_round(lifecycle_now(&life, c->now));
    l->confidence_score = lifecycle_round(l->confidence_score);
    l->effective_importance = learning_effective_importance(lifecycle_now(&life, c->now), l->injection_count,
                                                            l->positive_outcome_count);
    l->effectiveness_score = learning_effectiveness(l->injection_count, l->positive_outcome_count);
    l->freshness =
        learning_freshness(l->verified_at.us > l->learned_at.us ? l->verified_at : l->learned_at, c->now);
}

static err learning_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, void *row)
{
    struct learning *l = row;
    struct words w = {0};
    struct node n = {0};

    *l = (struct learning){0};
    TRY(db_row(q, c, found, OUT(&l->id), OUT(&l->space_id), OUT_OPT(&l->team_id), OUT(&l->title),
               OUT(&l->content), OUT(&w.attrs), OUT(&w.status), OUT(&l->is_archived), OUT(&n.importance),
               OUT(&n.decay_rate), OUT(&n.decayed_at), OUT(&n.is_pinned), OUT(&l->confidence_score),
               OUT(&l->access_count), OUT(&l->occurrences), OUT(&l->author_kind), OUT(&l->author_id),
               OUT_OPT(&l->superseded_by), OUT(&l->version), OUT(&l->created_at), OUT(&l->updated_at),
               OUT(&w.category), OUT(&w.scope), OUT(&w.method), OUT(&l->injection_count),
               OUT(&l->positive_outcome_count), OUT(&l->negative_outcome_count), OUT_OPT(&l->source_agent_id),
               OUT_OPT(&l->source_execution_id), OUT(&l->learned_at), OUT_OPT(&l->verified_at),
               OUT_OPT(&l->verified_by), OUT_OPT(&l->disproven_at), OUT_OPT(&l->disproven_by),
               OUT_OPT(&l->before_dispute), OUT_OPT(&l->contradiction_note),
               OUT_OPT(&l->contradiction_resolved_at), OUT_OPT(&l->promoted_at),
               OUT_OPT(&l->last_injected_at), OUT(&l->echo_ratio)));
    if (!*found)
        return ERR_OK;
    TRY(take_words(c, &w, l));
    learning_store_compute(c, &n, l);
    return ERR_OK;
}

static err learning_store_read_rows(struct ctx *c, struct sql *s, size_t max, struct learning **rows, size_t *n)
{
    void *list;

    TRY(sql_rows(c, s, max, sizeof **rows, learning_store_read_row, &list, n));
    *rows = list;
    return ERR_OK;
}

err learning_store_get(struct ctx *c, struct uuid id, bool *found, struct learning *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, COLUMNS TABLES " AND l.id = ?", IN(c->account_id), IN(c->now), IN(id)));
    return learning_store_read_row(c, &q, found, out);
}

err learning_store_lock(struct ctx *c, struct uuid id, bool *found)
{
    scoped_cursor q = {0};
    struct uuid locked;

    TRY(db_query(c, &q, "SELECT id FROM learning WHERE account_id = ? AND id = ? FOR UPDATE",
                 IN(c->account_id), IN(id)));
    return db_row(&q, c, found, OUT(&locked));
}

err learning_store_equal(struct ctx *c, const struct learning_key *key, struct uuid space_id, struct uuid *id)
{
    scoped_cursor q = {0};
    bool found;

    *id = (struct uuid){{0}};
    TRY(db_query(c, &q,
                 "SELECT l.id" TABLES IN_USE " AND l.text_hash = ? AND n.space_id = ? ORDER BY l.id LIMIT 1",
                 IN(c->account_id), IN(c->now), IN(key->text_hash), IN(space_id)));
    return db_row(&q, c, &found, OUT(id));
}

err learning_store_list(struct ctx *c, const struct learning_filter *f, struct uuid before,
                        const struct uuid *spaces, size_t n_spaces, struct learning **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, COLUMNS TABLES " AND l.id < ?", IN(c->account_id), IN(c->now), IN(before));
    sql_add_in_uuids(&s, "n.space_id", spaces, n_spaces);
    if (f->status < 0)
        sql_add(&s, IN_USE);
    else
        sql_add(&s, " AND n.status = ? AND n.archived_at IS NULL",
                IN(enumx_name(&learning_status_enumx, f->status)));
    if (f->category >= 0)
        sql_add(&s, " AND l.category = ?", IN(enumx_name(&learning_category_enumx, f->category)));
    if (f->scope >= 0)
        sql_add(&s, " AND l.scope = ?", IN(enumx_name(&learning_scope_enumx, f->scope)));
    if (!uuid_is_nil(f->team_id))
        sql_add(&s, " AND s.team_id = ?", IN(f->team_id));
    if (f->tag)
        sql_add(&s, " AND JSON_CONTAINS(n.attrs, ?, '$.tags')",
                IN(json_text(c->arena, json_str(c->arena, f->tag))));
    if (f->min_importance > 0) /* it only fades: no row is left out that would pass */
        sql_add(&s, " AND n.importance >= ?", IN(f->min_importance));
    sql_add(&s, " ORDER BY l.id DESC LIMIT ?", IN(f->limit + 1));
    return learning_store_read_rows(c, &s, (size_t)f->limit + 1, rows, n);
}

err learning_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct learning **rows,
                        size_t *found)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, COLUMNS TABLES, IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "l.id", ids, n);
    return learning_store_read_rows(c, &s, n, rows, found);
}

err learning_store_failures(struct ctx *c, const struct uuid *spaces, size_t n_spaces, size_t max,
                            struct learning **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, COLUMNS TABLES IN_USE " AND l.category IN ('anti_pattern','failure_mode')", IN(c->account_id),
            IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces, n_spaces);
    sql_add(&s, " ORDER BY l.id DESC LIMIT ?", IN((int64_t)max));
    return learning_store_read_rows(c, &s, max, rows, n);
}

err learning_store_promotable(struct ctx *c, struct uuid after, double importance, int64_t accesses, size_t max, struct learning **rows,
                              size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s,
            COLUMNS TABLES IN_USE " AND l.id > ? AND l.scope = 'team' AND l.promoted_at IS NULL AND n.access_count >= ? "
                                  "AND (n.importance >= ? OR l.injection_count >= ?) ORDER BY l.id LIMIT ?",
            IN(c->account_id), IN(c->now), IN(after), IN(accesses), IN(importance), IN((int64_t)LEARNING_JUDGED), IN((int64_t)max));
    return learning_store_read_rows(c, &s, max, rows, n);
}

/* ---- writing */

err learning_store_insert(struct ctx *c, const struct learning *l, const struct learning_key *key)
{
    return db_exec(c, NULL,
                   "INSERT INTO learning (account_id, id, category, scope, extraction_method, "
                   "source_agent_id, source_execution_id,"
                   " source_execution_successful, learned_at, text_hash, live_key, echo_ratio) VALUES (?, ?, "
                   "?, ?, ?, ?, ?, IF(? IS NULL, NULL, ?), ?, ?, ?, ?)",
                   IN(c->account_id), IN(l->id), IN(enumx_name(&learning_category_enumx, (int)l->category)),
                   IN(enumx_name(&learning_scope_enumx, (int)l->scope)),
                   IN(enumx_name(&learning_method_enumx, (int)l->extraction_method)),
                   IN_OPT(l->source_agent_id), IN_OPT(l->source_execution_id), IN_OPT(l->source_execution_id),
                   IN(l->extraction_method != LEARNING_BY_FAILURE), IN(c->now), IN(key->text_hash),
                   IN(key->live_key), IN(l->echo_ratio));
}

err learning_store_update(struct ctx *c, const struct learning *l)
{
    return db_exec(
        c, NULL,
        "UPDATE learning SET injection_count = ?, positive_outcome_count = ?, negative_outcome_count = ?, "
        "verified_at = ?,"
        " verified_by = ?, disproven_at = ?, disproven_by = ?, before_dispute = ?, contradiction_note = ?,"
        " contradiction_resolved_at = ?, promoted_at = ?, last_injected_at = ? WHERE account_id = ? AND id = "
        "?",
        IN(l->injection_count), IN(l->positive_outcome_count), IN(l->negative_outcome_count),
        IN_OPT(l->verified_at), IN_OPT(l->verified_by), IN_OPT(l->disproven_at), IN_OPT(l->disproven_by),
        IN_OPT(l->before_dispute), IN_OPT(l->contradiction_note), IN_OPT(l->contradiction_resolved_at),
        IN_OPT(l->promoted_at), IN_OPT(l->last_injected_at), IN(c->account_id), IN(l->id));
}

err learning_store_release(struct ctx *c, struct bytes live_key)
{
    return db_exec(
        c, NULL,
        "UPDATE learning l JOIN node n ON n.account_id = l.account_id AND n.id = l.id SET l.live_key = NULL"
        " WHERE l.account_id = ? AND l.live_key = ? AND (n.archived_at IS NOT NULL OR n.status NOT IN "
        "('active','verified')"
        " OR n.forgotten_at IS NOT NULL OR n.expires_at <= ?)",
        IN(c->account_id), IN(live_key), IN(c->now));
}

err learning_store_claim(struct ctx *c, struct uuid id, const struct learning_key *key)
{
    return db_exec(c, NULL, "UPDATE learning SET live_key = ? WHERE account_id = ? AND id = ?", IN(key->live_key), IN(c->account_id),
                   IN(id));
}

/* ---- metrics */

#define COUNTS_MAX 16

static err learning_store_counts(struct ctx *c, struct sql *s, struct list *out)
{
    struct learning_count *rows = ARENA_ARRAY(c->arena, struct learning_count, COUNTS_MAX);
    scoped_cursor q = {0};
    size_t n = 0;
    bool found;

    TRY(sql_query(c, &q, s));
    for (; n < COUNTS_MAX; n++) {
        TRY(db_row(&q, c, &found, OUT(&rows[n].name), OUT(&rows[n].n)));
        if (!found)
            break;
    }
    *out = (struct list){rows, n};
    return ERR_OK;
}

#define COUNT_BY(column, list)                                                                               \
    do {                                                                                                     \
        struct sql s;                                                                                        \
        sql_init(&s, c->arena);                                                                              \
        sql_add(&s, "SELECT " column ", COUNT(*)" TABLES, IN(c->account_id), IN(c->now));                    \
        sql_add_in_uuids(&s, "n.space_id", spaces, n);                                                       \
        sql_add(&s, " GROUP BY " column " ORDER BY " column);                                                \
        TRY(learning_store_counts(c, &s, (list)));                                                                          \
    } while (0)

static err averages(struct ctx *c, const struct uuid *spaces, size_t n, struct learning_metrics *out,
                    int64_t *in_use, int64_t *categories)
{
    scoped_cursor q = {0};
    bool found, unknown;
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s,
            "SELECT COUNT(*), COUNT(DISTINCT l.category), COALESCE(AVG(n.importance), 0),"
            " COALESCE(AVG(n.confidence), 0), CAST(AVG(IF(l.injection_count >= 3, l.positive_outcome_count / "
            "l.injection_count, NULL)) AS DOUBLE)" TABLES IN_USE,
            IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "n.space_id", spaces, n);
    TRY(sql_query(c, &q, &s));
    TRY(db_row(&q, c, &found, OUT(in_use), OUT(categories), OUT(&out->average_importance),
               OUT(&out->average_confidence), OUT_NULLABLE(&out->average_effectiveness, &unknown)));
    if (unknown)
        out->average_effectiveness = NAN;
    return ERR_OK;
}

err learning_store_metrics(struct ctx *c, const struct uuid *spaces, size_t n, struct learning_metrics *out,
                           int64_t *in_use, int64_t *categories)
{
    COUNT_BY("n.status", &out->by_status);
    COUNT_BY("l.category", &out->by_category);
    COUNT_BY("l.extraction_method", &out->by_method);
    return averages(c, spaces, n, out, in_use, categories);
}

/* Below five injections importance alone counts, and that only fades. */
err learning_store_importable(struct ctx *c, size_t max, struct learning **rows, size_t *n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, COLUMNS TABLES IN_USE " AND l.imported_at IS NULL AND (n.importance >= 0.7 OR l.injection_count >= 5)"
            " ORDER BY n.importance DESC, l.id LIMIT ?", IN(c->account_id), IN(c->now), IN((int64_t)max));
    return learning_store_read_rows(c, &s, max, rows, n);
}

err learning_store_importable_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM learning WHERE account_id > ? AND imported_at IS NULL ORDER BY account_id LIMIT ?",
                 IN(above), IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err learning_store_imported(struct ctx *c, struct uuid id)
{
    return db_exec(c, NULL, "UPDATE learning SET imported_at = ? WHERE account_id = ? AND id = ?", IN(c->now), IN(c->account_id), IN(id));
}
