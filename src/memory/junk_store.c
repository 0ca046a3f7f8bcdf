/* SQL of the junk audit. */
#include "junk_store.h"

#include <string.h>

#include "db.h"
#include "node_kind.h"

#define LIVE \
    " AND n.status IN ('active','verified') AND n.archived_at IS NULL AND n.forgotten_at IS NULL " \
    "AND (n.expires_at IS NULL OR n.expires_at > ?)"

/* Of what is remembered, not of what holds it together. */
static void junk_store_add_kinds(struct sql *s)
{
    const struct node_kind *k;

    sql_add(s, " AND n.kind IN (''");
    for (size_t i = 0; (k = node_kind_at(i)); i++)
        if (k->flags & KIND_MEMORY)
            sql_add(s, ",?", IN(k->name));
    sql_add(s, ")");
}

err junk_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT DISTINCT account_id FROM node WHERE account_id > ? ORDER BY account_id LIMIT ?", IN(above),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err junk_store_next_space(struct ctx *c, struct uuid after, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT id FROM space WHERE account_id = ? AND id > ? AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?) "
                 "ORDER BY id LIMIT 1",
                 IN(c->account_id), IN(after), IN(c->now)));
    return db_row(&q, c, found, OUT(id));
}

/* ---- looking */

_Static_assert(JUNK_CHARS == 8000, "SCAN says the same, and one more");
#define ORPHAN \
    "(n.kind = 'entry' AND e.node_id IS NULL) OR (n.kind = 'learning' AND l.id IS NULL) OR (n.kind = 'knowledge' AND k.id IS NULL) OR " \
    "(n.kind = 'pool_entry' AND NOT EXISTS (SELECT 1 FROM pool_entry q WHERE q.account_id = n.account_id AND q.node_id = n.id AND " \
    "q.deleted_at IS NULL))"
#define CONTRADICTED \
    "EXISTS (SELECT 1 FROM edge g WHERE g.account_id = n.account_id AND g.source_id = n.id AND g.relation = 'CONTRADICTS' AND " \
    "g.status = 'active' AND g.retired_at IS NULL AND g.valid_to IS NULL) OR EXISTS (SELECT 1 FROM edge g WHERE g.account_id = n.account_id " \
    "AND g.target_id = n.id AND g.relation = 'CONTRADICTS' AND g.status = 'active' AND g.retired_at IS NULL AND g.valid_to IS NULL)"
#define SCAN \
    "SELECT STRAIGHT_JOIN n.id, n.kind, n.title, LEFT(n.body, 8001), CHAR_LENGTH(n.body), n.importance, n.decay_rate, n.decayed_at, " \
    "n.is_pinned, COALESCE(n.last_access_at, n.created_at), COALESCE(p.updated_at, n.created_at), n.updated_at, e.node_id IS NOT NULL, " \
    "COALESCE(l.echo_ratio, k.echo_ratio, 0), EXISTS (SELECT 1 FROM `vector` v WHERE v.account_id = n.account_id AND v.node_id = n.id), " \
    "COALESCE((SELECT MAX(d.similarity) FROM duplicate_candidate d FORCE INDEX (duplicate_b) WHERE d.account_id = n.account_id AND d.b_id = n.id " \
    "AND d.state = 'open'), 0), " ORPHAN ", " CONTRADICTED ", k.text_hash FROM node n FORCE INDEX (node_space_time) LEFT JOIN node p ON p.account_id = n.account_id AND p.id = n.previous_id " \
    "LEFT JOIN entry e ON e.account_id = n.account_id AND e.node_id = n.id AND e.live = 1 " \
    "LEFT JOIN learning l ON l.account_id = n.account_id AND l.id = n.id " \
    "LEFT JOIN knowledge k ON k.account_id = n.account_id AND k.id = n.id WHERE n.account_id = ? AND n.space_id = ? AND n.id > ?" LIVE

err junk_store_scan(struct ctx *c, struct uuid space_id, struct uuid after, size_t max, struct junk_row *rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, SCAN, IN(c->account_id), IN(space_id), IN(after), IN(c->now));
    junk_store_add_kinds(&s);
    sql_add(&s, " ORDER BY n.id LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    for (; k < max; k++) {
        struct junk_row *r = &rows[k];

        *r = (struct junk_row){.space_id = space_id};
        TRY(db_row(&q, c, &found, OUT(&r->id), OUT(&r->kind), OUT(&r->title), OUT(&r->body), OUT(&r->chars), OUT(&r->facts.life.score),
                   OUT(&r->facts.life.decay_rate), OUT(&r->facts.life.decayed_at), OUT(&r->is_pinned), OUT(&r->facts.used_at),
                   OUT(&r->facts.content_at), OUT(&r->updated_at), OUT(&r->is_entry), OUT(&r->echo), OUT(&r->has_vector), OUT(&r->near_copy), OUT(&r->is_orphan),
                   OUT(&r->is_contradicted), OUT_OPT(&r->text_hash)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

#define COPIES_MAX 100000

err junk_store_copies(struct ctx *c, struct uuid space_id, struct finding **rows, size_t *n)
{
    scoped_cursor q = {0};
    struct finding f = {.space_id = space_id, .value = 1}, *list = NULL;
    struct sql s;
    bool found = true;
    size_t k = 0, cap = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, first FROM (SELECT n.id, FIRST_VALUE(n.id) OVER (PARTITION BY n.kind, IF(n.kind = 'entry', '', n.title), SHA1(n.body) ORDER BY n.id) AS first "
                "FROM node n WHERE n.account_id = ? AND n.space_id = ? AND n.kind <> 'pool_entry' AND n.body <> ''" LIVE,
            IN(c->account_id), IN(space_id), IN(c->now));
    junk_store_add_kinds(&s);
    sql_add(&s, ") each_one WHERE id <> first LIMIT ?", IN((int64_t)COPIES_MAX));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        TRY(db_row(&q, c, &found, OUT(&f.node_id), OUT(&f.other_id)));
        if (!found)
            break;
        if (k == cap) {
            struct finding *more = ARENA_ARRAY(c->arena, struct finding, cap * 2 + 64);

            if (k)
                memcpy(more, list, k * sizeof *list);
            list = more;
            cap = cap * 2 + 64;
        }
        list[k] = f;
    }
    *rows = list;
    *n = k;
    return ERR_OK;
}

/* ---- counting */

struct count {
    struct uuid space_id;
    const char *class;
    int64_t found;
};

#define OF_LIVE "FROM memory_finding f JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id WHERE f.account_id = ?" LIVE

static err junk_store_read_counts(struct ctx *c, struct count *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool found = true;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT n.space_id, 'nodes', COUNT(*) FROM node n WHERE n.account_id = ?" LIVE, IN(c->account_id), IN(c->now));
    junk_store_add_kinds(&s);
    sql_add(&s, " GROUP BY n.space_id UNION ALL SELECT f.space_id, f.class, COUNT(*) " OF_LIVE " GROUP BY f.space_id, f.class "
                "UNION ALL SELECT f.space_id, 'junk', COUNT(DISTINCT f.node_id) " OF_LIVE " AND " IS_JUNK " GROUP BY f.space_id "
                "UNION ALL SELECT s.id, 'promote_failed', COUNT(*) FROM short_term_memory m " FAILED " GROUP BY s.id",
            IN(c->account_id), IN(c->now), IN(c->account_id), IN(c->now), IN(c->account_id));
    TRY(sql_query(c, &q, &s));
    for (; k < max; k++) {
        TRY(db_row(&q, c, &found, OUT(&rows[k].space_id), OUT(&rows[k].class), OUT(&rows[k].found)));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

#define COUNTS_MAX 50000
#define AT_ONCE 1000

static err write_counts(struct ctx *c, const struct count *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO memory_census (account_id, day, space_id, class, found) VALUES ");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?, DATE(?), ?, ?, ?)", IN(c->account_id), IN(c->now), IN(rows[i].space_id), IN(rows[i].class), IN(rows[i].found));
    }
    return sql_exec(c, NULL, &s);
}

err junk_store_census(struct ctx *c)
{
    struct count *rows = ARENA_ARRAY(c->arena, struct count, COUNTS_MAX);
    size_t n;

    TRY(junk_store_read_counts(c, rows, COUNTS_MAX, &n));
    TRY(db_exec(c, NULL, "DELETE FROM memory_census WHERE account_id = ? AND (day = DATE(?) OR day < DATE(?) - INTERVAL 90 DAY)",
                IN(c->account_id), IN(c->now), IN(c->now)));
    for (size_t i = 0; i < n; i += AT_ONCE)
        TRY(write_counts(c, rows + i, n - i < AT_ONCE ? n - i : AT_ONCE));
    return ERR_OK;
}
_Static_assert(JUNK_DAYS == 90, "the census keeps as many");
