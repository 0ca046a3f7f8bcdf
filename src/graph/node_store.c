/* SQL of nodes. */
#include "node_store.h"

#include <string.h>

#include "audit_store.h"
#include "db.h"
#include "like.h"

#define HEAD "id, space_id, kind, title, "
#define TAIL \
    ", attrs, status, importance, confidence, trust, surprise, decay_rate, access_count, referenced_count, last_access_at, " \
    "decayed_at, is_pinned, source_kind, source_id, author_kind, author_id, content_hash, occurrences, version, previous_id, " \
    "superseded_by, tokens, valid_from, valid_to, created_at, updated_at, expires_at, archived_at, forgotten_at"
#define COLUMNS HEAD "body" TAIL
#define EXCERPT "LEFT(body, 300)" /* NODE_EXCERPT */

static err node_store_read_row(struct ctx *c, struct db_cursor *q, bool *found, struct node *n)
{
    const char *attrs = NULL;

    TRY(db_row(q, c, found, OUT(&n->id), OUT(&n->space_id), OUT(&n->kind), OUT(&n->title), OUT(&n->body), OUT(&attrs),
               OUT(&n->status), OUT(&n->importance), OUT(&n->confidence), OUT(&n->trust), OUT(&n->surprise),
               OUT(&n->decay_rate), OUT(&n->access_count), OUT(&n->referenced_count), OUT_OPT(&n->last_access_at),
               OUT(&n->decayed_at), OUT(&n->is_pinned), OUT_OPT(&n->source_kind), OUT_OPT(&n->source_id),
               OUT(&n->author_kind), OUT(&n->author_id), OUT(&n->content_hash), OUT(&n->occurrences), OUT(&n->version),
               OUT_OPT(&n->previous_id), OUT_OPT(&n->superseded_by), OUT(&n->tokens), OUT_OPT(&n->valid_from),
               OUT_OPT(&n->valid_to), OUT(&n->created_at), OUT(&n->updated_at), OUT_OPT(&n->expires_at),
               OUT_OPT(&n->archived_at), OUT_OPT(&n->forgotten_at)));
    if (*found)
        n->attrs = json_raw(c->arena, attrs);
    return ERR_OK;
}

/* ---- writing */

/* Columns that a new node leaves at their defaults are not sent: each costs something on either side, at every create. */
#define INSERT \
    "INSERT INTO node (account_id, id, space_id, kind, title, body, attrs, status, importance, confidence, trust, surprise, " \
    "decay_rate, decayed_at, is_pinned, source_kind, source_id, author_kind, author_id, content_hash, tokens, valid_from, " \
    "valid_to, created_at, updated_at, expires_at, version, same_key) VALUES "
#define ROW "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,IF(?,content_hash,NULL))"
#define VALUES(c, n, is_kept) \
    IN((c)->account_id), IN((n)->id), IN((n)->space_id), IN((n)->kind), IN((n)->title), IN((n)->body), \
        IN(json_text((c)->arena, (n)->attrs)), IN((n)->status), IN((n)->importance), IN((n)->confidence), IN((n)->trust), \
        IN((n)->surprise), IN((n)->decay_rate), IN((n)->decayed_at), IN((n)->is_pinned), IN_OPT((n)->source_kind), \
        IN_OPT((n)->source_id), IN((n)->author_kind), IN((n)->author_id), IN((n)->content_hash), IN((n)->tokens), \
        IN_OPT((n)->valid_from), IN_OPT((n)->valid_to), IN((n)->created_at), IN((n)->updated_at), IN_OPT((n)->expires_at), \
        IN((n)->version), IN(is_kept)

/* The columns of a node that says nothing else, as most notes. Its three instants are one, which is sent once. */
#define INSERT_PLAIN \
    "INSERT INTO node (account_id, id, space_id, kind, title, body, decay_rate, source_kind, author_kind, author_id, " \
    "content_hash, tokens, created_at, updated_at, decayed_at, same_key) " \
    "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,created_at,created_at,IF(?,content_hash,NULL))"
#define VALUES_PLAIN(c, n, is_kept) \
    IN((c)->account_id), IN((n)->id), IN((n)->space_id), IN((n)->kind), IN((n)->title), IN((n)->body), IN((n)->decay_rate), \
        IN_OPT((n)->source_kind), IN((n)->author_kind), IN((n)->author_id), IN((n)->content_hash), IN((n)->tokens), \
        IN((n)->created_at), IN(is_kept)

static bool node_store_is_plain(const struct node *n)
{
    return json_is(n->attrs, JSON_OBJ) && !n->attrs->first && strcmp(n->status, NODE_ACTIVE) == 0 && n->importance == 0.5 &&
           n->confidence == 1 && n->trust == 0.5 && n->surprise == 0 && !n->is_pinned && !n->source_id && n->version == 1 &&
           !n->valid_from.us && !n->valid_to.us && !n->expires_at.us && n->updated_at.us == n->created_at.us &&
           n->decayed_at.us == n->created_at.us;
}

err node_store_create(struct ctx *c, const struct node *n, bool is_kept, const struct audit_event *e)
{
    if (node_store_is_plain(n) && !e->before && !e->payload)
        return db_atomic(c, INSERT_PLAIN "; " AUDIT_MADE_INSERT, VALUES_PLAIN(c, n, is_kept), AUDIT_MADE_VALUES(c, e));
    return db_atomic(c, INSERT ROW "; " AUDIT_INSERT AUDIT_ROW, VALUES(c, n, is_kept), AUDIT_VALUES(c, e));
}

err node_store_insert_many(struct ctx *c, const struct node *rows, const bool *is_kept, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, INSERT);
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, ROW, VALUES(c, &rows[i], is_kept[i]));
    }
    return sql_exec(c, NULL, &s);
}

err node_store_keep_versions(struct ctx *c, const struct node_kept *kept, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO node (account_id, " COLUMNS ") SELECT account_id, kept.version_id, space_id, kind, title, body, attrs, 'version', "
                "importance, confidence, trust, surprise, decay_rate, access_count, referenced_count, last_access_at, "
                "decayed_at, is_pinned, source_kind, source_id, author_kind, author_id, content_hash, occurrences, version, "
                "previous_id, id, tokens, valid_from, valid_to, created_at, ?, NULL, NULL, NULL FROM (", IN(c->now));
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS of_id, CAST(? AS UUID) AS version_id", IN(kept[i].id), IN(kept[i].version_id));
    }
    sql_add(&s, ") AS kept JOIN node ON node.account_id = ? AND node.id = kept.of_id", IN(c->account_id));
    return sql_exec(c, NULL, &s);
}

/* ---- reading */

err node_store_get(struct ctx *c, struct uuid id, bool *found, struct node *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM node WHERE account_id = ? AND id = ?", IN(c->account_id), IN(id)));
    return node_store_read_row(c, &q, found, out);
}

err node_store_get_settled(struct ctx *c, struct uuid id, bool *found, struct node *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM node WHERE account_id = ? AND id = ? LOCK IN SHARE MODE SKIP LOCKED",
                 IN(c->account_id), IN(id)));
    return node_store_read_row(c, &q, found, out);
}

err node_store_lock(struct ctx *c, struct uuid id, bool *found, struct node *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM node WHERE account_id = ? AND id = ? FOR UPDATE", IN(c->account_id), IN(id)));
    return node_store_read_row(c, &q, found, out);
}

/* The column `body` of a list holds the body or only its beginning. */
static err node_store_read_rows(struct ctx *c, struct sql *s, bool with_body, struct node *rows, size_t *n)
{
    scoped_cursor q = {0};
    bool found;
    size_t k = 0;

    TRY(sql_query(c, &q, s));
    for (;; k++) {
        TRY(node_store_read_row(c, &q, &found, &rows[k]));
        if (!found)
            break;
        rows[k].excerpt = rows[k].body;
        if (!with_body)
            rows[k].body = NULL;
    }
    *n = k;
    return ERR_OK;
}

err node_store_lock_many(struct ctx *c, const struct uuid *ids, size_t n, struct node *rows, size_t *found)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " COLUMNS " FROM node FORCE INDEX (PRIMARY) WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " FOR UPDATE");
    return node_store_read_rows(c, &s, true, rows, found);
}

/* A program of an older release changes rows without their key. */
#define TRUE_KEY " AND content_hash = same_key AND status = 'active' AND archived_at IS NULL AND forgotten_at IS NULL"

err node_store_equal(struct ctx *c, const struct node *like, bool *found, struct node *out)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT " COLUMNS " FROM node WHERE account_id = ? AND space_id = ? AND same_key = ? AND kind = ?" TRUE_KEY,
                 IN(c->account_id), IN(like->space_id), IN(like->content_hash), IN(like->kind)));
    return node_store_read_row(c, &q, found, out);
}

err node_store_equal_many(struct ctx *c, const struct node *like, size_t n, struct node *rows, size_t *found)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " HEAD "''" TAIL " FROM node WHERE account_id = ? AND (0", IN(c->account_id));
    for (size_t i = 0; i < n; i++)
        sql_add(&s, " OR (space_id = ? AND same_key = ? AND kind = ?)", IN(like[i].space_id), IN(like[i].content_hash), IN(like[i].kind));
    sql_add(&s, ")" TRUE_KEY);
    return node_store_read_rows(c, &s, true, rows, found);
}

static void node_store_conditions(struct ctx *c, struct sql *s, const struct node_filter *f)
{
    if (f->kind)
        sql_add(s, " AND kind = ?", IN(f->kind));
    if (f->status)
        sql_add(s, " AND status = ?", IN(f->status));
    else
        sql_add(s, " AND status NOT IN ('version', 'forgotten') AND forgotten_at IS NULL");
    if (!f->status && !f->include_archived)
        sql_add(s, " AND status <> 'archived' AND archived_at IS NULL");
    if (!str_empty(f->q))
        sql_add(s, " AND title COLLATE utf8mb4_general_ci LIKE ?", IN(like_part(c->arena, f->q)));
    sql_add(s, " AND (expires_at IS NULL OR expires_at > ?)", IN(c->now));
}

/* Named, the key costs the server a quarter less than looking for one. */
err node_store_get_many(struct ctx *c, const struct uuid *ids, size_t n, int64_t chars, bool settled, struct node *rows,
                        size_t *found)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT " HEAD "LEFT(body, ?)" TAIL " FROM node FORCE INDEX (PRIMARY) WHERE account_id = ?", IN(chars),
            IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    if (settled)
        sql_add(&s, " LOCK IN SHARE MODE SKIP LOCKED");
    return node_store_read_rows(c, &s, true, rows, found);
}

err node_store_list(struct ctx *c, const struct node_filter *f, struct uuid before, const struct uuid *spaces, size_t n_spaces,
                    struct node **rows, size_t *n)
{
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct node, (size_t)f->limit + 2);
    sql_init(&s, c->arena);
    if (f->with_body)
        sql_add(&s, "SELECT " COLUMNS " FROM node WHERE account_id = ?", IN(c->account_id));
    else
        sql_add(&s, "SELECT " HEAD EXCERPT TAIL " FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add(&s, " AND id < ?", IN(before));
    if (f->made_from.us)
        sql_add(&s, " AND id >= ?", IN(uuid_floor(f->made_from.us)));
    if (f->made_to.us)
        sql_add(&s, " AND id < ?", IN(uuid_floor(f->made_to.us)));
    if (n_spaces == 1)
        sql_add(&s, " AND space_id = ?", IN(spaces[0]));
    else
        sql_add_in_uuids(&s, "space_id", spaces, n_spaces);
    node_store_conditions(c, &s, f);
    sql_add(&s, " ORDER BY id DESC LIMIT ?", IN(f->limit + 1));
    return node_store_read_rows(c, &s, f->with_body, *rows, n);
}

err node_store_versions(struct ctx *c, struct uuid id, struct uuid from, bool with_body, int64_t limit, struct node **rows, size_t *n)
{
    struct sql s;

    *rows = ARENA_ARRAY(c->arena, struct node, (size_t)limit + 2);
    sql_init(&s, c->arena);
    sql_add(&s,
            "WITH RECURSIVE chain (older, depth) AS ("
            "SELECT previous_id, 1 FROM node WHERE account_id = ? AND id = ? AND (id = ? OR superseded_by = ?) "
            "UNION ALL SELECT v.previous_id, chain.depth + 1 FROM chain JOIN node v ON v.account_id = ? AND v.id = chain.older "
            "WHERE chain.depth <= ?) ",
            IN(c->account_id), IN(from), IN(id), IN(id), IN(c->account_id), IN(limit));
    if (with_body)
        sql_add(&s, "SELECT " COLUMNS);
    else
        sql_add(&s, "SELECT " HEAD EXCERPT TAIL);
    sql_add(&s, " FROM chain JOIN node ON node.account_id = ? AND node.id = chain.older ORDER BY chain.depth", IN(c->account_id));
    return node_store_read_rows(c, &s, with_body, *rows, n);
}

err node_store_lock_loose(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;
    bool more;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, space_id, status FROM node WHERE account_id = ? AND is_pinned = 0 AND archived_at IS NULL "
                "AND forgotten_at IS NULL AND status NOT IN ('version','forgotten')", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " FOR UPDATE");
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        struct node_brief b = {0};

        TRY(db_row(&q, c, &more, OUT(&b.id), OUT(&b.space_id), OUT(&b.status)));
        if (!more)
            break;
        rows[k] = b;
    }
    *found = k;
    return ERR_OK;
}

err node_store_briefs(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief *rows, size_t *found)
{
    scoped_cursor q = {0};
    struct sql s;
    bool more;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT id, space_id, kind, title, status FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    sql_add(&s, " AND forgotten_at IS NULL AND status <> 'forgotten' AND (expires_at IS NULL OR expires_at > ?)", IN(c->now));
    sql_add(&s,
            " AND (status <> 'version' OR EXISTS (SELECT 1 FROM node head WHERE head.account_id = node.account_id"
            " AND head.id = node.superseded_by AND head.forgotten_at IS NULL AND head.status <> 'forgotten'"
            " AND (head.expires_at IS NULL OR head.expires_at > ?)))",
            IN(c->now));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        struct node_brief b = {0};

        TRY(db_row(&q, c, &more, OUT(&b.id), OUT(&b.space_id), OUT(&b.kind), OUT(&b.title), OUT(&b.status)));
        if (!more)
            break;
        rows[k] = b;
    }
    *found = k;
    return ERR_OK;
}

err node_store_ids_of_space(struct ctx *c, struct uuid space_id, struct uuid *ids, size_t max, size_t *n)
{
    scoped_cursor q = {0};

    TRY(db_query(c, &q, "SELECT id FROM node WHERE account_id = ? AND space_id = ? LIMIT ?", IN(c->account_id), IN(space_id),
                 IN((int64_t)max)));
    return db_ids(c, &q, ids, max, n);
}

err node_store_counts(struct ctx *c, const struct uuid *spaces, size_t n_spaces, struct node_count *rows, size_t max, size_t *n)
{
    scoped_cursor q = {0};
    struct sql s;
    bool more;
    size_t k = 0;

    sql_init(&s, c->arena);
    sql_add(&s, "SELECT kind, COUNT(*), SUM(status = 'archived') FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "space_id", spaces, n_spaces);
    sql_add(&s, " AND status NOT IN ('version', 'forgotten') AND (expires_at IS NULL OR expires_at > ?)", IN(c->now));
    sql_add(&s, " GROUP BY kind ORDER BY kind LIMIT ?", IN((int64_t)max));
    TRY(sql_query(c, &q, &s));
    for (;; k++) {
        struct node_count r = {0};

        TRY(db_row(&q, c, &more, OUT(&r.kind), OUT(&r.n), OUT(&r.archived)));
        if (!more)
            break;
        rows[k] = r;
    }
    *n = k;
    return ERR_OK;
}
