/* SQL of the index; see index_store.h. */
#include "index_store.h"

#include <string.h>

#include "db.h"
#include "node.h"
#include "relation.h"
#include "vector.h"

err index_store_model(struct ctx *c, struct uuid *model_id, int64_t *dim)
{
    scoped_cursor q = {0};
    struct uuid id = {{0}};
    int64_t n = 0;
    bool found;

    TRY(db_query(c, &q, "SELECT id, dim FROM embedding_model WHERE account_id = ? AND IF(? IS NULL, state = 'active', id = ?) "
                        "ORDER BY provider = 'client', id LIMIT 1", IN(c->account_id), IN_OPT(c->model_id), IN_OPT(c->model_id)));
    TRY(db_row(&q, c, &found, OUT(&id), OUT(&n)));
    *model_id = id;
    *dim = n;
    return ERR_OK;
}

err index_store_languages(struct ctx *c, struct segment_builder *to, uint64_t *print)
{
    scoped_cursor q = {0};
    uint64_t seen = 1;

    TRY(db_query(c, &q, "SELECT id, JSON_VALUE(settings, '$.language') FROM space WHERE account_id = ? AND "
                        "JSON_VALUE(settings, '$.language') IS NOT NULL ORDER BY id", IN(c->account_id)));
    for (;;) {
        struct uuid space_id;
        const char *tag;
        bool found;

        TRY(db_row(&q, c, &found, OUT(&space_id), OUT(&tag)));
        if (!found)
            break;
        seen = hash_bytes(tag, strlen(tag), hash_bytes(space_id.b, sizeof space_id.b, seen));
        if (to)
            segment_builder_language(to, space_id, tag);
    }
    *print = seen;
    return ERR_OK;
}

/* ---- nodes ---------------------------------------------------------------------------------------------- */

/* Ids as bytes are shorter than as text, and need not be parsed. */
#define NODE(vector) \
    "SELECT CAST(n.id AS BINARY(16)), CAST(n.space_id AS BINARY(16)), n.kind, n.title, n.body, n.attrs, n.status, n.importance, " \
    "n.confidence, n.trust, n.decay_rate, n.last_access_at, n.decayed_at, n.is_pinned, CAST(n.author_id AS BINARY(16)), " \
    "n.superseded_by, n.tokens, n.valid_from, n.valid_to, n.created_at, n.updated_at, n.expires_at, n.forgotten_at, n.version, " \
    "IF(n.previous_id IS NULL, NULL, (SELECT p.updated_at FROM node p WHERE p.account_id = n.account_id " \
    "AND p.id = n.previous_id)), " vector " FROM node n "

struct read {
    struct index_row row;
    const char *attrs, *status;
    double importance, confidence, trust, decay_rate;
    struct instant accessed, decayed, valid_from, valid_to, created, updated, expires, forgotten, vector_updated, before;
    bool is_pinned;
    struct uuid superseded_by;
    int64_t tokens, version;
    struct bytes vector;
};

static unsigned index_store_flags_of(const struct read *r)
{
    unsigned flags = r->is_pinned ? ROW_PINNED : 0;

    if (strcmp(r->status, NODE_ARCHIVED) == 0)
        flags |= ROW_ARCHIVED;
    if (strcmp(r->status, NODE_FORGOTTEN) == 0 || r->forgotten.us)
        flags |= ROW_FORGOTTEN;
    if (strcmp(r->status, NODE_VERSION) == 0)
        flags |= ROW_VERSION;
    if (!uuid_is_nil(r->superseded_by) || strcmp(r->status, "superseded") == 0 || strcmp(r->status, "deprecated") == 0 ||
        strcmp(r->status, "disproven") == 0 || strcmp(r->status, "quarantined") == 0 || strcmp(r->status, "draft") == 0)
        flags |= ROW_SUPERSEDED;
    return flags;
}

/* A state begins where the one before it ended, and ends when it is made an old version. */
static struct row_times times_of(const struct read *r)
{
    bool is_old = strcmp(r->status, NODE_VERSION) == 0;

    return (struct row_times){
        .created = r->created.us, .valid_from = r->valid_from.us, .valid_to = r->valid_to.us, .expires = r->expires.us,
        .known_from = r->before.us ? r->before.us : r->created.us, .known_to = is_old ? r->updated.us : 0,
        .decayed = r->decayed.us, .accessed = r->accessed.us, .updated = r->updated.us, .version = r->version};
}

static void set_vector(struct ctx *c, struct index_row *row, struct bytes blob, struct instant updated)
{
    struct uuid model_id;
    float norm;

    row->times.vector_updated = updated.us;
    if (blob.p && !vector_read_blob(c->arena, blob, &model_id, &row->vector, &row->dim, &norm))
        row->vector = NULL;
}

static void index_store_complete(struct ctx *c, struct read *r)
{
    struct index_row *row = &r->row;
    struct json *attrs = NULL;
    const char *why;

    row->flags = index_store_flags_of(r);
    row->times = times_of(r);
    row->scores = (struct row_scores){(float)r->importance, (float)r->confidence, (float)r->trust, (float)r->decay_rate};
    row->tokens = (uint32_t)(r->tokens < 0 ? 0 : r->tokens);
    if (strcmp(r->attrs, "{}") != 0 && json_parse(c->arena, r->attrs, strlen(r->attrs), &attrs, &why) == JSON_OK)
        row->attrs = attrs;
    if (str_eq(json_get_str(attrs, "memory_type"), "working") || strcmp(r->status, NODE_NAMED) == 0)
        row->flags |= ROW_ASIDE;
    set_vector(c, row, r->vector, r->vector_updated);
}

static err index_store_read_nodes(struct ctx *c, struct db_cursor *q, struct index_row *rows, size_t max, size_t *n)
{
    for (*n = 0; *n < max; (*n)++) {
        struct read r = {0};
        bool found;

        TRY(db_row(q, c, &found, OUT(&r.row.id), OUT(&r.row.space_id), OUT(&r.row.kind), OUT(&r.row.title), OUT(&r.row.body),
                   OUT(&r.attrs), OUT(&r.status), OUT(&r.importance), OUT(&r.confidence), OUT(&r.trust), OUT(&r.decay_rate),
                   OUT_OPT(&r.accessed), OUT(&r.decayed), OUT(&r.is_pinned), OUT(&r.row.author_id),
                   OUT_OPT(&r.superseded_by), OUT(&r.tokens), OUT_OPT(&r.valid_from), OUT_OPT(&r.valid_to), OUT(&r.created),
                   OUT(&r.updated), OUT_OPT(&r.expires), OUT_OPT(&r.forgotten), OUT(&r.version), OUT_OPT(&r.before),
                   OUT_OPT(&r.vector), OUT_OPT(&r.vector_updated)));
        if (!found)
            break;
        index_store_complete(c, &r);
        rows[*n] = r.row;
    }
    return ctx_check_size(c); /* none without its attrs */
}

/* Both in the order of ids. A vector whose node is not among them was written, or its node erased, between the two. */
static err index_store_read_vectors(struct ctx *c, struct db_cursor *q, struct index_row *rows, size_t n)
{
    for (size_t from = 0;;) {
        struct uuid node_id;
        struct bytes data;
        struct instant updated;
        size_t at = from;
        bool found;

        TRY(db_row(q, c, &found, OUT(&node_id), OUT(&data), OUT(&updated)));
        if (!found)
            return ERR_OK;
        while (at < n && !uuid_eq(rows[at].id, node_id))
            at++;
        if (at == n)
            continue;
        set_vector(c, &rows[at], data, updated);
        from = at + 1;
    }
}

/* One table after the other: the server takes twice as long to join rows of such length as to read them in their order. */
err index_store_nodes(struct ctx *c, struct uuid model_id, struct uuid after, size_t limit, struct index_row *rows, size_t *n)
{
    scoped_cursor nodes = {0}, vectors = {0};

    TRY(db_query(c, &nodes, NODE("NULL, NULL") "WHERE n.account_id = ? AND n.id > ? ORDER BY n.id LIMIT ?",
                 IN(c->account_id), IN(after), IN((int64_t)limit)));
    TRY(index_store_read_nodes(c, &nodes, rows, limit, n));
    if (!*n || uuid_is_nil(model_id))
        return ERR_OK;
    TRY(db_query(c, &vectors, "SELECT CAST(node_id AS BINARY(16)), data, updated_at FROM `vector` WHERE account_id = ? "
                              "AND model_id = ? AND node_id > ? AND node_id <= ? ORDER BY node_id",
                 IN(c->account_id), IN(model_id), IN(after), IN(rows[*n - 1].id)));
    return index_store_read_vectors(c, &vectors, rows, *n);
}

err index_store_nodes_of(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, struct index_row *rows,
                         size_t *n_rows)
{
    scoped_cursor q = {0};
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, NODE("v.data, v.updated_at") "LEFT JOIN `vector` v ON v.account_id = n.account_id AND v.node_id = n.id AND "
                "v.model_id = ? WHERE n.account_id = ?", IN(model_id), IN(c->account_id));
    sql_add_in_uuids(&s, "n.id", ids, n);
    sql_add(&s, " ORDER BY n.id");
    TRY(sql_query(c, &q, &s));
    return index_store_read_nodes(c, &q, rows, n, n_rows);
}

static err tell_vectors(struct ctx *c, struct db_cursor *q, index_vector_fn *tell, void *arg, int64_t *n, struct uuid *last)
{
    for (*n = 0;; (*n)++) {
        struct uuid written_by;
        struct bytes blob;
        const float *v;
        size_t dim;
        float norm;
        bool found;

        TRY(db_row(q, c, &found, OUT(last), OUT(&blob)));
        if (!found)
            return ERR_OK;
        if (vector_read_blob(c->arena, blob, &written_by, &v, &dim, &norm))
            tell(arg, *last, v, dim);
    }
}

#define VECTORS "SELECT CAST(node_id AS BINARY(16)), data FROM `vector` WHERE account_id = ? AND model_id = ?"

err index_store_vectors(struct ctx *c, struct uuid model_id, const struct uuid *ids, size_t n, index_vector_fn *tell, void *arg)
{
    scoped_cursor q = {0};
    struct uuid last;
    struct sql s;
    int64_t rows;

    sql_init(&s, c->arena);
    sql_add(&s, VECTORS, IN(c->account_id), IN(model_id));
    sql_add_in_uuids(&s, "node_id", ids, n);
    TRY(sql_query(c, &q, &s));
    return tell_vectors(c, &q, tell, arg, &rows, &last);
}

err index_store_all_vectors(struct ctx *c, struct uuid model_id, struct uuid after, int64_t limit, index_vector_fn *tell,
                            void *arg, int64_t *n, struct uuid *last)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, VECTORS " AND node_id > ? ORDER BY node_id LIMIT ?", IN(c->account_id), IN(model_id), IN(after), IN(limit)));
    return tell_vectors(c, &q, tell, arg, n, last);
}

/* ---- edges ---------------------------------------------------------------------------------------------- */

/* Names in texts are found by the index itself (mentions.h), by the same words: these edges would only take memory. */
#define NO_NAMES "relation <> 'MENTIONS'"
#define EDGE \
    "SELECT id, source_id, target_id, relation, weight, confidence, bidirectional, status = 'archived', valid_from, valid_to, " \
    "recorded_at, retired_at, updated_at, version FROM edge WHERE account_id = ? AND " NO_NAMES

static err add_edges(struct ctx *c, struct db_cursor *q, struct edge_builder *to, int64_t *n, struct uuid *last)
{
    for (;; (*n)++) {
        struct edge_row e = {0};
        struct instant from, until, recorded, retired, updated;
        bool found, both, archived;
        double weight, confidence;
        const struct relation *known;
        const char *relation;

        TRY(db_row(q, c, &found, OUT(&e.id), OUT(&e.source), OUT(&e.target), OUT(&relation), OUT(&weight), OUT(&confidence),
                   OUT(&both), OUT(&archived), OUT_OPT(&from), OUT_OPT(&until), OUT(&recorded), OUT_OPT(&retired),
                   OUT(&updated), OUT(&e.version)));
        if (!found)
            return ERR_OK;
        known = relation_find(relation);
        e.weight = (float)weight;
        e.confidence = (float)confidence;
        e.flags = (both ? EDGE_BOTH_WAYS : 0u) | (archived ? EDGE_OUT_OF_USE : 0u) |
                  (known && (known->flags & REL_PLASTIC) ? EDGE_LEARNS : 0u);
        e.valid_from = from.us;
        e.valid_to = until.us;
        e.recorded = recorded.us;
        e.retired = retired.us;
        e.updated = updated.us;
        edge_builder_add(to, &e, relation);
        *last = e.id;
    }
}

err index_store_edges(struct ctx *c, struct uuid after, int64_t limit, struct edge_builder *to, int64_t *n,
                      struct uuid *last)
{
    scoped_cursor q = {0};

    *n = 0;
    TRY(db_query(c, &q, EDGE " AND id > ? ORDER BY id LIMIT ?", IN(c->account_id), IN(after), IN(limit)));
    return add_edges(c, &q, to, n, last);
}

err index_store_edges_of(struct ctx *c, const struct uuid *ids, size_t n, struct edge_builder *to)
{
    scoped_cursor q = {0};
    struct uuid last;
    struct sql s;
    int64_t rows = 0;

    sql_init(&s, c->arena);
    sql_add(&s, EDGE, IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " ORDER BY id");
    TRY(sql_query(c, &q, &s));
    return add_edges(c, &q, to, &rows, &last);
}

/* ---- changes -------------------------------------------------------------------------------------------- */

err index_store_now(struct ctx *c, struct instant *now)
{
    scoped_cursor q = {0};
    bool found;

    TRY(db_query(c, &q, "SELECT UTC_TIMESTAMP(6)"));
    TRY(db_row(&q, c, &found, OUT(now)));
    *now = clock_of_db(*now);
    return ERR_OK;
}

#define CLOCK_ROW 3

void index_store_ask(struct ctx *c, struct instant since, struct instant vectors_since, struct db_later *later)
{
    db_ask(c, later,
           "SELECT 0, id, NULL, updated_at, version FROM node WHERE account_id = ? AND updated_at > ? UNION ALL "
           "SELECT 1, node_id, model_id, updated_at, 0 FROM `vector` WHERE account_id = ? AND updated_at > ? UNION ALL "
           "SELECT 2, id, NULL, updated_at, version FROM edge WHERE account_id = ? AND updated_at > ? AND " NO_NAMES " UNION ALL "
           "SELECT 3, NULL, NULL, UTC_TIMESTAMP(6), 0",
           IN(c->account_id), IN(since), IN(c->account_id), IN(vectors_since), IN(c->account_id), IN(since));
}

err index_store_changes(struct ctx *c, const struct db_later *later, struct change **out, size_t *n, struct instant *now)
{
    struct change *list = NULL;
    size_t k = 0, cap = 0;
    scoped_cursor q = {0};

    TRY(db_answer(c, later, &q));
    for (;;) {
        struct change change = {.what = CHANGED_NODE};
        struct instant updated;
        int what = 0;
        bool found;

        TRY(db_row(&q, c, &found, OUT(&what), OUT_OPT(&change.id), OUT_OPT(&change.model_id), OUT(&updated),
                   OUT(&change.version)));
        if (!found)
            break;
        if (what == CLOCK_ROW) {
            *now = clock_of_db(updated);
            continue;
        }
        change.what = (enum changed)what;
        change.updated = updated.us;
        if (k == cap) {
            struct change *wider = ARENA_ARRAY(c->arena, struct change, cap = cap ? 2 * cap : 64);

            if (k)
                memcpy(wider, list, k * sizeof *list);
            list = wider;
        }
        list[k++] = change;
    }
    *out = list;
    *n = k;
    return ERR_OK;
}
