/* SQL of what the junk audit found. */
#include "db.h"
#include "junk_store.h"

#define SUM(class) "CAST(COALESCE(SUM(IF(class = '" class "', found, 0)), 0) AS INT)"

err junk_store_days(struct ctx *c, struct junk_day *days, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT CAST(day AS CHAR), " SUM("nodes") ", " SUM("junk") " FROM memory_census WHERE account_id = ? "
                 "GROUP BY day ORDER BY day DESC LIMIT ?",
                 IN(c->account_id), IN((int64_t)max)));
    for (; k < max; k++) {
        days[k] = (struct junk_day){0};
        TRY(db_row(&q, c, &found, OUT(&days[k].day), OUT(&days[k].nodes), OUT(&days[k].junk)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

err junk_store_classes(struct ctx *c, const char *day, int64_t found[FINDING_CLASSES])
{
    scoped_cursor q = {0};

    for (int i = 0; i < FINDING_CLASSES; i++)
        found[i] = 0;
    TRY(db_query(c, &q, "SELECT class, CAST(SUM(found) AS INT) FROM memory_census WHERE account_id = ? AND day = ? GROUP BY class",
                 IN(c->account_id), IN(day)));
    for (bool more;;) {
        const char *class = NULL;
        int64_t sum;
        int i;

        TRY(db_row(&q, c, &more, OUT(&class), OUT(&sum)));
        if (!more)
            return ERR_OK;
        if (enumx_parse(&finding_class_enumx, class, &i))
            found[i] = sum;
    }
}

#define OF_LIVE \
    "FROM memory_finding f JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id WHERE f.account_id = ? " \
    "AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND n.status IN ('active','verified') " \
    "AND (n.expires_at IS NULL OR n.expires_at > ?)"

static err failed_samples(struct ctx *c, struct junk_class *class)
{
    struct uuid ids[JUNK_SAMPLES];
    scoped_cursor q = {0};
    size_t n;

    TRY(db_query(c, &q, "SELECT m.id FROM short_term_memory m " FAILED " ORDER BY m.id DESC LIMIT ?", IN(c->account_id),
                 IN((int64_t)JUNK_SAMPLES)));
    TRY(db_ids(c, &q, ids, JUNK_SAMPLES, &n));
    for (size_t i = 0; i < n; i++)
        class->samples.v[class->samples.n++] = arena_strdup(c->arena, UUID_STR(ids[i]));
    return ERR_OK;
}

err junk_store_samples(struct ctx *c, struct junk_class *classes)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT class, node_id FROM (SELECT f.class, f.node_id, ROW_NUMBER() OVER (PARTITION BY f.class ORDER BY f.value DESC, "
                 "f.node_id) AS place " OF_LIVE ") ranked WHERE place <= ? ORDER BY class, place",
                 IN(c->account_id), IN(c->now), IN((int64_t)JUNK_SAMPLES)));
    for (bool more;;) {
        const char *class = NULL;
        struct uuid id;
        int i;

        TRY(db_row(&q, c, &more, OUT(&class), OUT(&id)));
        if (!more)
            return failed_samples(c, &classes[FINDING_PROMOTE]);
        if (enumx_parse(&finding_class_enumx, class, &i))
            classes[i].samples.v[classes[i].samples.n++] = arena_strdup(c->arena, UUID_STR(id));
    }
}

err junk_store_spaces(struct ctx *c, const char *day, struct junk_space *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;
    size_t k = 0;

    TRY(db_query(c, &q,
                 "SELECT m.space_id, " SUM("nodes") " AS nodes, " SUM("junk") " AS junk, s.name FROM memory_census m "
                 "LEFT JOIN space s ON s.account_id = m.account_id AND s.id = m.space_id WHERE m.account_id = ? AND m.day = ? "
                 "GROUP BY m.space_id, s.name ORDER BY junk DESC, nodes DESC, m.space_id LIMIT ?",
                 IN(c->account_id), IN(day), IN((int64_t)max)));
    for (; k < max; k++) {
        rows[k] = (struct junk_space){0};
        TRY(db_row(&q, c, &found, OUT(&rows[k].space_id), OUT(&rows[k].nodes), OUT(&rows[k].junk), OUT_OPT(&rows[k].name)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

/* Of a memory that is junk for several reasons the worst. */
static void add_wanted(struct sql *s, const struct junk_filter *f)
{
    if (f->class >= 0)
        sql_add(s, " AND f.class = ?", IN(enumx_name(&finding_class_enumx, f->class)));
    else
        sql_add(s, " AND " IS_JUNK " AND NOT EXISTS (SELECT 1 FROM memory_finding w WHERE w.account_id = f.account_id AND w.node_id = f.node_id"
                   " AND (w.class IN ('exact_copy','echo','low_entropy','too_short') OR (w.class = 'stale' AND w.value >= 0.9))"
                   " AND (w.value > f.value OR (w.value = f.value AND w.class < f.class)))");
    if (!uuid_is_nil(f->space_id))
        sql_add(s, " AND f.space_id = ?", IN(f->space_id));
}

/* These are no nodes: nothing is merged or archived of them, but they stand in the same list. */
static err failed_items(struct ctx *c, const struct junk_filter *f, struct uuid before, struct junk_item *rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT m.id, s.id, m.memory_key, m.updated_at FROM short_term_memory m " FAILED " AND m.id < ?", IN(c->account_id),
            IN(before));
    if (!uuid_is_nil(f->space_id))
        sql_add(&s, " AND s.id = ?", IN(f->space_id));
    sql_add(&s, " ORDER BY m.id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (*n = 0; *n <= (size_t)f->limit; ++*n) {
        struct junk_item *r = &rows[*n];

        *r = (struct junk_item){.kind = "short_term", .class = FINDING_PROMOTE, .value = 1};
        TRY(db_row(&q, c, &found, OUT(&r->node_id), OUT(&r->space_id), OUT(&r->title), OUT(&r->found_at)));
        if (!found)
            break;
    }
    return ERR_OK;
}

err junk_store_items(struct ctx *c, const struct junk_filter *f, struct uuid before, struct junk_item *rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;
    size_t k = 0;

    if (f->class == FINDING_PROMOTE)
        return failed_items(c, f, before, rows, n);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT f.node_id, f.space_id, f.other_id, n.kind, f.class, f.value, f.found_at " OF_LIVE " AND f.node_id < ?",
            IN(c->account_id), IN(c->now), IN(before));
    add_wanted(&s, f);
    sql_add(&s, " ORDER BY f.node_id DESC LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    for (; k <= (size_t)f->limit; k++) {
        struct junk_item *r = &rows[k];
        const char *word = NULL;
        int class = 0;

        *r = (struct junk_item){0};
        TRY(db_row(&q, c, &found, OUT(&r->node_id), OUT(&r->space_id), OUT_OPT(&r->other_id), OUT(&r->kind), OUT(&word), OUT(&r->value),
                   OUT(&r->found_at)));
        if (!found)
            break;
        if (!enumx_parse(&finding_class_enumx, word, &class))
            return fail(c, ERR_INTERNAL, "a finding has the class '%s', which this program does not know", word);
        r->class = (enum finding_class) class;
    }
    *n = k;
    return ERR_OK;
}

/* Of audit_event a. */
#define CLEANED \
    "a.account_id = ? AND a.kind = 'node.archive' AND a.id >= ? AND a.id < ? AND JSON_VALUE(a.payload, '$.reason') = ? "
#define CLEANED_IN IN(c->account_id), IN(uuid_floor(from.us)), IN(uuid_floor(from.us + 3600 * SECOND_US)), IN(reason)

err junk_store_has_cleaned(struct ctx *c, const char *reason, struct instant from, bool *yes)
{
    scoped_cursor q = {0};
    int one;

    TRY(db_query(c, &q, "SELECT 1 FROM audit_event a WHERE " CLEANED "LIMIT 1", CLEANED_IN));
    return db_row(&q, c, yes, OUT(&one));
}

err junk_store_cleaned(struct ctx *c, const char *reason, struct instant from, struct uuid after, struct uuid *ids, struct uuid *spaces, size_t max,
                       size_t *n)
{
    scoped_cursor q = {0};
    bool found = true;

    TRY(db_query(c, &q,
                 "SELECT n.id, n.space_id FROM audit_event a JOIN node n ON n.account_id = a.account_id AND n.id = a.subject_id "
                 "WHERE " CLEANED "AND n.archived_at IS NOT NULL AND n.forgotten_at IS NULL AND n.id > ? ORDER BY n.id LIMIT ?",
                 CLEANED_IN, IN(after), IN((int64_t)max)));
    for (*n = 0; *n < max; ++*n) {
        TRY(db_row(&q, c, &found, OUT(&ids[*n]), OUT(&spaces[*n])));
        if (!found)
            break;
    }
    return ERR_OK;
}

err junk_store_to_clean(struct ctx *c, const bool classes[FINDING_CLASSES], const struct uuids *only, size_t max, struct uuid *ids,
                        size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT DISTINCT f.node_id " OF_LIVE " AND n.is_pinned = 0 AND n.kind <> 'pool_entry' AND f.class IN (''",
            IN(c->account_id), IN(c->now));
    for (int i = 0; i < FINDING_CLASSES; i++)
        if (classes[i])
            sql_add(&s, ",?", IN(enumx_name(&finding_class_enumx, i)));
    sql_add(&s, ")");
    if (only)
        sql_add_in_uuids(&s, "f.node_id", only->v, only->n);
    sql_add(&s, " ORDER BY f.node_id LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    return db_ids(c, &q, ids, max, n);
}
