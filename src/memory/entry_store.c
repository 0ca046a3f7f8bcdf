/* SQL of entries. */
#include "entry_store.h"

#include <stdlib.h>

#include "db.h"
#include "like.h"
#include "strs_json.h"

#define COLUMNS_WITH(content) \
    "e.node_id, e.space_id, e.head_id, e.entry_key, e.live, e.version, e.entry_type, e.memory_type, " content ", e.content_hash, " \
    "e.size_bytes, e.context_tags, e.task_context, e.metadata, e.outcome_success, n.kind, n.body, n.status, n.importance, " \
    "n.confidence, n.decay_rate, n.decayed_at, n.last_access_at, n.is_pinned, n.access_count, n.version, n.source_kind, " \
    "n.source_id, n.author_kind, n.author_id, n.created_at, n.updated_at, n.expires_at, n.archived_at, n.forgotten_at, " \
    "EXISTS (SELECT 1 FROM `vector` v WHERE v.account_id = n.account_id AND v.node_id = n.id AND v.text_hash = n.content_hash), " \
    "COALESCE((SELECT MAX(o.version) FROM entry o WHERE o.account_id = e.account_id AND o.head_id = COALESCE(e.head_id, e.node_id) " \
    "AND o.version < e.version), 0)"
#define COLUMNS COLUMNS_WITH("e.content")
#define LIGHT COLUMNS_WITH("'null'")
#define FROM " FROM entry e JOIN node n ON n.account_id = e.account_id AND n.id = e.node_id "
#define THERE " AND n.forgotten_at IS NULL AND n.status <> 'forgotten' AND (n.expires_at IS NULL OR n.expires_at > ?)"

static err entry_store_complete(struct ctx *c, struct entry_row *r, const char *type, const char *memory, const char *tags)
{
    struct entry *e = &r->entry;
    const struct node *n = &r->node;
    int t, m;

    if (!enumx_parse(&entry_type_enumx, type, &t) || !enumx_parse(&memory_type_enumx, memory, &m))
        return fail(c, ERR_INTERNAL, "entry %s is '%s' and '%s'", UUID_STR(e->id), type, memory);
    e->entry_type = (enum entry_type)t;
    e->memory_type = (enum memory_type)m;
    e->context_tags = strs_from_json(c->arena, tags);
    e->content_text = n->body;
    e->source_type = n->source_kind;
    e->source_id = n->source_id;
    e->confidence_score = n->confidence;
    e->decay_rate = n->decay_rate;
    e->is_pinned = n->is_pinned;
    e->access_count = n->access_count;
    e->status = n->status;
    e->author_kind = n->author_kind;
    e->author_id = n->author_id;
    e->created_at = n->created_at;
    e->updated_at = n->updated_at;
    e->last_accessed_at = n->last_access_at;
    e->expires_at = n->expires_at;
    e->archived_at = n->archived_at;
    r->node.id = e->id;
    r->node.space_id = e->context_id;
    return ERR_OK;
}

static err entry_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct entry_row *r)
{
    const char *type = NULL, *memory = NULL, *content = NULL, *tags = NULL, *task = NULL, *metadata = NULL;
    struct entry *e = &r->entry;
    struct node *n = &r->node;
    bool no_outcome, embedded, success = false;
    int live = 0;

    TRY(db_row(q, c, found, OUT(&e->id), OUT(&e->context_id), OUT_OPT(&r->head_id), OUT(&e->entry_key), OUT_OPT(&live),
               OUT(&e->version), OUT(&type), OUT(&memory), OUT(&content), OUT(&r->content_hash), OUT(&r->size_bytes), OUT(&tags),
               OUT_OPT(&task), OUT(&metadata), OUT_NULLABLE(&success, &no_outcome), OUT(&n->kind), OUT(&n->body), OUT(&n->status),
               OUT(&n->importance), OUT(&n->confidence), OUT(&n->decay_rate), OUT(&n->decayed_at), OUT_OPT(&n->last_access_at),
               OUT(&n->is_pinned), OUT(&n->access_count), OUT(&n->version), OUT_OPT(&n->source_kind), OUT_OPT(&n->source_id),
               OUT(&n->author_kind), OUT(&n->author_id), OUT(&n->created_at), OUT(&n->updated_at), OUT_OPT(&n->expires_at),
               OUT_OPT(&n->archived_at), OUT_OPT(&n->forgotten_at), OUT(&embedded), OUT(&e->previous_version)));
    if (!*found)
        return ERR_OK;
    r->live = live == 1;
    e->content = json_raw(c->arena, content);
    e->task_context = task ? json_raw(c->arena, task) : NULL;
    e->metadata = json_raw(c->arena, metadata);
    e->outcome = no_outcome ? OUTCOME_UNKNOWN : success ? OUTCOME_SUCCESS : OUTCOME_FAILURE;
    e->embedding = embedded ? "ready" : "pending";
    return entry_store_complete(c, r, type, memory, tags);
}

static err entry_store_read_rows(struct ctx *c, struct db_cursor *q, struct entry_row *rows, size_t *n)
{
    size_t k = 0;

    for (bool found;; k++) {
        TRY(entry_store_read_row(c, q, &found, &rows[k]));
        if (!found)
            break;
    }
    *n = k;
    return ERR_OK;
}

/* ---- writing */

static const char *entry_store_text_of(struct ctx *c, const struct json *j)
{
    return j ? json_text(c->arena, j) : NULL;
}

#define TAGS(c, e) json_text((c)->arena, strs_to_json((c)->arena, (e)->context_tags))
/* true, false, or NULL where nothing is said. */
#define OUTCOME_IN(e) IN_OPT((e)->outcome == OUTCOME_UNKNOWN ? NULL : (e)->outcome == OUTCOME_SUCCESS ? "1" : "0")

#define ROW_COLUMNS \
    "(account_id, node_id, space_id, entry_key, live, version, entry_type, memory_type, content, content_hash, size_bytes, " \
    "context_tags, task_context, metadata, outcome_success) VALUES "

static void entry_store_add_rows(struct ctx *c, struct sql *s, const struct entry_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &rows[i].entry;

        if (i)
            sql_add(s, ", ");
        sql_add(s, "(?,?,?,?,1,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(e->id), IN(e->context_id), IN(e->entry_key), IN(e->version),
                IN(enumx_name(&entry_type_enumx, (int)e->entry_type)), IN(enumx_name(&memory_type_enumx, (int)e->memory_type)),
                IN(json_text(c->arena, e->content)), IN(rows[i].content_hash), IN(rows[i].size_bytes), IN(TAGS(c, e)),
                IN_OPT(entry_store_text_of(c, e->task_context)), IN(json_text(c->arena, e->metadata)), OUTCOME_IN(e));
    }
}

err entry_store_insert(struct ctx *c, const struct entry_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO entry " ROW_COLUMNS);
    entry_store_add_rows(c, &s, rows, n);
    return sql_exec(c, NULL, &s);
}

err entry_store_update(struct ctx *c, const struct entry_row *rows, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO entry " ROW_COLUMNS);
    entry_store_add_rows(c, &s, rows, n);
    sql_add(&s, " ON DUPLICATE KEY UPDATE version = VALUE(version), content = VALUE(content), content_hash = VALUE(content_hash), "
                "size_bytes = VALUE(size_bytes), context_tags = VALUE(context_tags), task_context = VALUE(task_context), "
                "metadata = VALUE(metadata), outcome_success = VALUE(outcome_success)");
    return sql_exec(c, NULL, &s);
}

#define OLDEST_EQUAL(space, hash, is_fact) \
    "(SELECT y.node_id FROM entry y WHERE y.account_id = ? AND y.space_id = " space " AND y.content_hash = " hash " AND y.live = 1 " \
    "AND (y.memory_type = 'factual') = " is_fact " ORDER BY y.node_id LIMIT 1)"

err entry_store_equals(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *pairs, size_t *n_pairs)
{
    scoped_cursor q = {0};
    struct sql s;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT oldest, id FROM (SELECT x.node_id AS id, " OLDEST_EQUAL("x.space_id", "x.content_hash", "(x.memory_type = 'factual')")
                " AS oldest FROM entry x WHERE x.account_id = ? AND x.live = 1", IN(c->account_id), IN(c->account_id));
    sql_add_in_uuids(&s, "x.node_id", ids, n);
    sql_add(&s, ") e WHERE oldest <> id");
    TRY(sql_query(c, &q, &s));
    for (bool found; k < 2 * n; k += 2) {
        TRY(db_row(&q, c, &found, OUT(&pairs[k]), OUT(&pairs[k + 1])));
        if (!found)
            break;
    }
    *n_pairs = k / 2;
    return ERR_OK;
}

err entry_store_equal(struct ctx *c, struct uuid space_id, struct bytes content_hash, bool is_fact, bool *found, struct uuid *id)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, OLDEST_EQUAL("?", "?", "?"), IN(c->account_id), IN(space_id), IN(content_hash), IN(is_fact)));
    return db_row(&q, c, found, OUT(id));
}

err entry_store_hold(struct ctx *c, const struct uuid *ids, size_t n, bool live)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE entry SET live = NULLIF(?, 0) WHERE account_id = ?", IN((int64_t)live), IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    return sql_exec(c, NULL, &s);
}

static void entry_store_add_pairs(struct sql *s, const struct entry_kept *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(s, " UNION ALL ");
        sql_add(s, "SELECT CAST(? AS UUID) AS of_id, CAST(? AS UUID) AS state_id", IN(pairs[i].id), IN(pairs[i].state_id));
    }
}

err entry_store_keep(struct ctx *c, const struct entry_kept *kept, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO entry (account_id, node_id, space_id, head_id, entry_key, live, version, entry_type, memory_type, "
                "content, content_hash, size_bytes, context_tags, task_context, metadata, outcome_success) "
                "SELECT e.account_id, kept.state_id, e.space_id, e.node_id, e.entry_key, NULL, e.version, e.entry_type, e.memory_type, "
                "e.content, e.content_hash, e.size_bytes, e.context_tags, e.task_context, e.metadata, e.outcome_success FROM (");
    entry_store_add_pairs(&s, kept, n);
    sql_add(&s, ") AS kept JOIN entry e ON e.account_id = ? AND e.node_id = kept.of_id", IN(c->account_id));
    return sql_exec(c, NULL, &s);
}

err entry_store_succeed(struct ctx *c, const struct entry_kept *moved, size_t n)
{
    struct sql states, heads;

    sql_init(&states, c->arena);
    sql_add(&states, "UPDATE entry e JOIN (");
    entry_store_add_pairs(&states, moved, n);
    sql_add(&states, ") AS moved ON e.account_id = ? AND e.head_id = moved.of_id SET e.head_id = moved.state_id", IN(c->account_id));
    TRY(sql_exec(c, NULL, &states));
    sql_init(&heads, c->arena);
    sql_add(&heads, "UPDATE entry e JOIN (");
    entry_store_add_pairs(&heads, moved, n);
    sql_add(&heads, ") AS moved ON e.account_id = ? AND e.node_id = moved.of_id SET e.head_id = moved.state_id, e.live = NULL",
            IN(c->account_id));
    return sql_exec(c, NULL, &heads);
}

/* ---- reading */

err entry_store_by_id(struct ctx *c, struct uuid space_id, struct uuid id, bool *found, struct entry_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS FROM "WHERE e.account_id = ? AND e.node_id = ? AND e.space_id = ?", IN(c->account_id),
                 IN(id), IN(space_id)));
    return entry_store_read_row(c, &q, found, out);
}

err entry_store_by_key(struct ctx *c, struct uuid space_id, const char *key, bool *found, struct entry_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS FROM "WHERE e.account_id = ? AND e.space_id = ? AND e.entry_key = ? AND e.live = 1",
                 IN(c->account_id), IN(space_id), IN(key)));
    return entry_store_read_row(c, &q, found, out);
}

err entry_store_holders(struct ctx *c, struct uuid space_id, const char *const *keys, size_t n, struct entry_row **rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct entry_row, n + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " LIGHT FROM "WHERE e.account_id = ? AND e.space_id = ? AND e.live = 1 AND e.entry_key IN (NULL", IN(c->account_id),
            IN(space_id));
    for (size_t i = 0; i < n; i++)
        sql_add(&s, ",?", IN(keys[i]));
    sql_add(&s, ")");
    TRY(sql_query(c, &q, &s));
    return entry_store_read_rows(c, &q, *rows, found);
}

err entry_store_heads(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n, struct entry_row **rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct entry_row, n + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " LIGHT FROM "WHERE e.account_id = ? AND e.space_id = ? AND e.node_id IN (SELECT COALESCE(o.head_id, o.node_id) "
                "FROM entry o WHERE o.account_id = ?", IN(c->account_id), IN(space_id), IN(c->account_id));
    sql_add_in_uuids(&s, "o.node_id", ids, n);
    sql_add(&s, ")");
    TRY(sql_query(c, &q, &s));
    return entry_store_read_rows(c, &q, *rows, found);
}

err entry_store_many(struct ctx *c, const struct uuid *ids, size_t n, struct entry_row **rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct entry_row, n + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS FROM "WHERE e.account_id = ? AND e.head_id IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "e.node_id", ids, n);
    TRY(sql_query(c, &q, &s));
    return entry_store_read_rows(c, &q, *rows, found);
}

/* The value that a list goes by, of the node of that alias; each takes the instant. */
#define IMPORTANCE(n) \
    "IF(" n ".is_pinned, " n ".importance, " n ".importance * EXP(-" n ".decay_rate * GREATEST(0, TIMESTAMPDIFF(MICROSECOND, " \
    n ".decayed_at, ?)) / 86400000000))"
#define RELEVANCE(n) IMPORTANCE(n) " * " n ".confidence"
#define ACCESS(n) n ".access_count + 0 * TIMESTAMPDIFF(SECOND, " n ".created_at, ?)"
#define BELOW(expr) \
    " AND (" expr("n") ", n.id) < (SELECT " expr("m") ", m.id FROM node m WHERE m.account_id = ? AND m.id = ?)"

static void order(struct ctx *c, struct sql *s, const struct entry_filter *f, struct uuid from)
{
    bool first = str_empty(f->cursor);

    switch (f->order) {
    case ENTRY_BY_IMPORTANCE:
        if (!first)
            sql_add(s, BELOW(IMPORTANCE), IN(c->now), IN(c->now), IN(c->account_id), IN(from));
        sql_add(s, " ORDER BY " IMPORTANCE("n") " DESC, n.id DESC", IN(c->now));
        return;
    case ENTRY_BY_RELEVANCE:
        if (!first)
            sql_add(s, BELOW(RELEVANCE), IN(c->now), IN(c->now), IN(c->account_id), IN(from));
        sql_add(s, " ORDER BY " RELEVANCE("n") " DESC, n.id DESC", IN(c->now));
        return;
    case ENTRY_BY_ACCESS:
        if (!first)
            sql_add(s, BELOW(ACCESS), IN(c->now), IN(c->now), IN(c->account_id), IN(from));
        sql_add(s, " ORDER BY n.access_count DESC, n.id DESC");
        return;
    default:
        sql_add(s, " AND n.id < ? ORDER BY n.id DESC", IN(from));
    }
}

err entry_store_list(struct ctx *c, struct uuid space_id, const struct entry_filter *f, struct uuid from,
                     struct entry_row **rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct entry_row, (size_t)f->limit + 2);
    sql_init(&s, c->arena);
    if (f->is_light)
        sql_add(&s, "SELECT " LIGHT);
    else
        sql_add(&s, "SELECT " COLUMNS);
    sql_add(&s, FROM "WHERE e.account_id = ? AND e.space_id = ? AND e.head_id IS NULL" THERE, IN(c->account_id), IN(space_id), IN(c->now));
    if (!f->include_archived)
        sql_add(&s, " AND n.archived_at IS NULL");
    if (f->entry_type >= 0)
        sql_add(&s, " AND e.entry_type = ?", IN(enumx_name(&entry_type_enumx, f->entry_type)));
    if (f->memory_type >= 0)
        sql_add(&s, " AND e.memory_type = ?", IN(enumx_name(&memory_type_enumx, f->memory_type)));
    if (!str_empty(f->tag))
        sql_add(&s, " AND JSON_CONTAINS(e.context_tags, ?)", IN(json_text(c->arena, json_str(c->arena, f->tag))));
    if (!str_empty(f->prefix))
        sql_add(&s, " AND e.entry_key LIKE ?", IN(like_prefix(c->arena, f->prefix)));
    if (!str_empty(f->q))
        sql_add(&s, " AND e.entry_key LIKE ?", IN(like_part(c->arena, f->q)));
    if (!str_empty(f->category))
        sql_add(&s, " AND JSON_VALUE(e.metadata, '$.category') = ?", IN(f->category));
    if (f->outcome != OUTCOME_UNKNOWN)
        sql_add(&s, " AND e.outcome_success = ?", IN((int64_t)(f->outcome == OUTCOME_SUCCESS)));
    if (f->min_importance > 0)
        sql_add(&s, " AND " IMPORTANCE("n") " >= ?", IN(c->now), IN(f->min_importance));
    order(c, &s, f, from);
    sql_add(&s, " LIMIT ?", IN(f->limit + 1));
    TRY(sql_query(c, &q, &s));
    return entry_store_read_rows(c, &q, *rows, n);
}

err entry_store_states(struct ctx *c, struct uuid id, int64_t limit, struct uuid before, struct entry_row **rows, size_t *n)
{
    scoped_cursor q = {0};

    *rows = ARENA_ARRAY(c->arena, struct entry_row, (size_t)limit + 2);
    TRY(db_query(c, &q,
                 "SELECT " COLUMNS FROM "WHERE e.account_id = ? AND e.head_id = ? AND e.node_id < ? "
                 "ORDER BY e.node_id DESC LIMIT ?",
                 IN(c->account_id), IN(id), IN(before), IN(limit + 1)));
    return entry_store_read_rows(c, &q, *rows, n);
}

err entry_store_state(struct ctx *c, struct uuid id, int64_t version, bool *found, struct entry_row *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q,
                 "SELECT " COLUMNS FROM "WHERE e.account_id = ? AND e.head_id = ? AND e.version <= ? "
                 "ORDER BY e.version DESC LIMIT 1",
                 IN(c->account_id), IN(id), IN(version)));
    return entry_store_read_row(c, &q, found, out);
}

err entry_store_least(struct ctx *c, struct uuid space_id, struct uuid but, enum eviction by, int64_t limit,
                      struct entry_row **rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct entry_row, (size_t)limit + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " LIGHT FROM "WHERE e.account_id = ? AND e.space_id = ? AND e.live = 1 AND e.node_id <> ? AND n.is_pinned = 0 "
                "AND n.archived_at IS NULL" THERE, IN(c->account_id), IN(space_id), IN(but), IN(c->now));
    if (by == EVICT_LRU)
        sql_add(&s, " ORDER BY COALESCE(n.last_access_at, n.created_at), n.id");
    else if (by == EVICT_OLDEST)
        sql_add(&s, " ORDER BY n.id");
    else
        sql_add(&s, " ORDER BY " RELEVANCE("n") ", n.id", IN(c->now));
    sql_add(&s, " LIMIT ?", IN(limit));
    TRY(sql_query(c, &q, &s));
    return entry_store_read_rows(c, &q, *rows, n);
}

/* Content changed last when the state before it was kept; of an entry that never changed, when it was made. */
err entry_store_aged(struct ctx *c, struct uuid space_id, struct uuid but, struct instant before, int64_t limit, struct entry_row **rows,
                     size_t *n)
{
    scoped_cursor q = {0};

    *rows = ARENA_ARRAY(c->arena, struct entry_row, (size_t)limit + 2);
    TRY(db_query(c, &q,
                 "SELECT " LIGHT FROM "LEFT JOIN node p ON p.account_id = n.account_id AND p.id = n.previous_id "
                 "WHERE e.account_id = ? AND e.space_id = ? AND e.live = 1 AND e.node_id <> ? AND n.is_pinned = 0 "
                 "AND n.archived_at IS NULL" THERE " AND n.created_at < ? AND COALESCE(p.updated_at, n.created_at) < ? ORDER BY n.created_at LIMIT ?",
                 IN(c->account_id), IN(space_id), IN(but), IN(c->now), IN(before), IN(before), IN(limit)));
    return entry_store_read_rows(c, &q, *rows, n);
}

err entry_store_by_keys(struct ctx *c, const struct entry_wanted *w, int64_t limit, struct entry_row **rows, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct entry_row, (size_t)limit + 2);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " LIGHT FROM "WHERE e.account_id = ? AND e.space_id = ? AND e.live = 1 AND e.entry_key > ? "
                "AND n.archived_at IS NULL" THERE, IN(c->account_id), IN(w->space_id), IN(w->after), IN(c->now));
    if (w->entry_types.n) {
        sql_add(&s, " AND e.entry_type IN (NULL");
        for (size_t i = 0; i < w->entry_types.n; i++)
            sql_add(&s, ", ?", IN(w->entry_types.v[i]));
        sql_add(&s, ")");
    }
    if (w->min_importance > 0)
        sql_add(&s, " AND " IMPORTANCE("n") " >= ?", IN(c->now), IN(w->min_importance));
    if (!uuid_is_nil(w->unlike))
        sql_add(&s, " AND NOT EXISTS (SELECT 1 FROM entry o WHERE o.account_id = e.account_id AND o.space_id = ? "
                    "AND o.entry_key = e.entry_key AND o.live = 1 AND o.content_hash = e.content_hash)", IN(w->unlike));
    sql_add(&s, " ORDER BY e.entry_key LIMIT ?", IN(limit));
    TRY(sql_query(c, &q, &s));
    return entry_store_read_rows(c, &q, *rows, n);
}

static int entry_store_read_one(const void *a, const void *b)
{
    return uuid_cmp((*(struct entry_row *const *)a)->entry.id, (*(struct entry_row *const *)b)->entry.id);
}

err entry_store_contents(struct ctx *c, struct entry_row *rows, size_t n)
{
    struct entry_row **sorted = ARENA_ARRAY(c->arena, struct entry_row *, n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    scoped_cursor q = {0};
    struct sql s;

    for (size_t i = 0; i < n; i++) {
        ids[i] = rows[i].entry.id;
        sorted[i] = &rows[i];
    }
    qsort(sorted, n, sizeof *sorted, entry_store_read_one);
    sql_init(&s, c->arena);
    sql_add(&s, "SELECT node_id, content FROM entry WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    TRY(sql_query(c, &q, &s));
    for (bool found;;) {
        struct entry_row key = {0}, *k = &key, **row;
        const char *content = NULL;

        TRY(db_row(&q, c, &found, OUT(&key.entry.id), OUT(&content)));
        if (!found)
            return ERR_OK;
        row = bsearch(&k, sorted, n, sizeof *sorted, entry_store_read_one);
        if (row)
            (*row)->entry.content = json_raw(c->arena, content);
    }
}
