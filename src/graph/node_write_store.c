/* Every statement that changes rows of nodes; each is told to those who hold nodes in memory. tests/layers keeps it so. */
#include "node_write_store.h"

#include "changes.h"
#include "db.h"

err node_write_state(struct ctx *c, const struct node *n, bool is_kept, int64_t old_version)
{
    int64_t changed;

    TRY(db_exec(c, &changed,
                "UPDATE node SET space_id = ?, title = ?, body = ?, attrs = ?, status = ?, importance = ?, confidence = ?, trust = ?, "
                "surprise = ?, decay_rate = ?, decayed_at = ?, is_pinned = ?, author_kind = ?, author_id = ?, content_hash = ?, "
                "version = ?, previous_id = ?, superseded_by = ?, tokens = ?, valid_from = ?, valid_to = ?, updated_at = ?, expires_at = ?, "
                "archived_at = ?, forgotten_at = ?, same_key = IF(?, content_hash, NULL) WHERE account_id = ? AND id = ? AND version = ?",
                IN(n->space_id), IN(n->title), IN(n->body), IN(json_text(c->arena, n->attrs)), IN(n->status),
                IN(n->importance), IN(n->confidence), IN(n->trust), IN(n->surprise), IN(n->decay_rate), IN(n->decayed_at), IN(n->is_pinned),
                IN(n->author_kind), IN(n->author_id), IN(n->content_hash), IN(n->version), IN_OPT(n->previous_id),
                IN_OPT(n->superseded_by), IN(n->tokens), IN_OPT(n->valid_from), IN_OPT(n->valid_to), IN(n->updated_at), IN_OPT(n->expires_at),
                IN_OPT(n->archived_at), IN_OPT(n->forgotten_at), IN(is_kept), IN(c->account_id), IN(n->id), IN(old_version)));
    if (!changed)
        return fail(c, ERR_CONFLICT, "the node was changed by someone else meanwhile; read it again");
    return changes_of_nodes(c, c->account_id, &n->id, 1);
}

#define STATE_COLUMNS \
    "space_id, title, body, attrs, status, importance, confidence, trust, surprise, decay_rate, decayed_at, is_pinned, author_kind, " \
    "author_id, content_hash, version, previous_id, superseded_by, tokens, valid_from, valid_to, updated_at, expires_at, archived_at, " \
    "forgotten_at"
#define STATE_AGAIN \
    " ON DUPLICATE KEY UPDATE space_id = VALUE(space_id), title = VALUE(title), body = VALUE(body), attrs = VALUE(attrs), " \
    "status = VALUE(status), importance = VALUE(importance), confidence = VALUE(confidence), trust = VALUE(trust), " \
    "surprise = VALUE(surprise), decay_rate = VALUE(decay_rate), decayed_at = VALUE(decayed_at), is_pinned = VALUE(is_pinned), " \
    "author_kind = VALUE(author_kind), author_id = VALUE(author_id), content_hash = VALUE(content_hash), version = VALUE(version), " \
    "previous_id = VALUE(previous_id), superseded_by = VALUE(superseded_by), tokens = VALUE(tokens), valid_from = VALUE(valid_from), " \
    "valid_to = VALUE(valid_to), updated_at = VALUE(updated_at), expires_at = VALUE(expires_at), archived_at = VALUE(archived_at), " \
    "forgotten_at = VALUE(forgotten_at), same_key = NULL"

err node_write_states(struct ctx *c, const struct node *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO node (account_id, id, kind, created_at, " STATE_COLUMNS ") VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct node *r = &rows[i];

        ids[i] = r->id;
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(r->id), IN(r->kind),
                IN(r->created_at), IN(r->space_id), IN(r->title), IN(r->body), IN(json_text(c->arena, r->attrs)), IN(r->status),
                IN(r->importance), IN(r->confidence), IN(r->trust), IN(r->surprise), IN(r->decay_rate), IN(r->decayed_at),
                IN(r->is_pinned), IN(r->author_kind), IN(r->author_id), IN(r->content_hash), IN(r->version), IN_OPT(r->previous_id),
                IN_OPT(r->superseded_by), IN(r->tokens), IN_OPT(r->valid_from), IN_OPT(r->valid_to), IN(r->updated_at),
                IN_OPT(r->expires_at), IN_OPT(r->archived_at), IN_OPT(r->forgotten_at));
    }
    sql_add(&s, STATE_AGAIN);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_space(struct ctx *c, const struct uuid *ids, size_t n, struct uuid space_id)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node SET space_id = ? WHERE account_id = ?", IN(space_id), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_references(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node SET referenced_count = referenced_count + 1 WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_instant(struct ctx *c, struct uuid id)
{
    TRY(db_exec(c, NULL, "UPDATE node SET updated_at = GREATEST(?, updated_at + INTERVAL 1 MICROSECOND) "
                         "WHERE account_id = ? AND id = ?", IN(c->now), IN(c->account_id), IN(id)));
    return changes_of_nodes(c, c->account_id, &id, 1);
}

err node_write_expired(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s,
            "UPDATE node SET archived_at = IF(status = 'version', archived_at, COALESCE(archived_at, expires_at)), "
            "status = IF(status IN ('version','forgotten'), status, 'archived'), "
            "version = IF(status IN ('version','forgotten'), version, version + 1), expires_at = NULL, same_key = NULL, updated_at = ? "
            "WHERE account_id = ?",
            IN(c->now), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_cut(struct ctx *c, struct uuid last, struct uuid next, struct instant known_from, const struct uuid *gone, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM node WHERE account_id = ? AND status = 'version'", IN(c->account_id));
    sql_add_in_uuids(&s, "id", gone, n);
    TRY(sql_exec(c, NULL, &s));
    TRY(db_exec(c, NULL, "UPDATE node SET previous_id = ?, created_at = GREATEST(created_at, ?) WHERE account_id = ? AND id = ?",
                IN_OPT(next), IN(known_from), IN(c->account_id), IN(last)));
    TRY(changes_of_nodes(c, c->account_id, &last, 1));
    return changes_of_nodes(c, c->account_id, gone, n);
}

#define PUT_COLUMNS \
    "account_id, id, space_id, kind, title, body, attrs, importance, confidence, decay_rate, decayed_at, is_pinned, " \
    "source_kind, author_kind, author_id, content_hash, tokens, created_at, updated_at, expires_at, status"
#define PUT_AGAIN \
    " ON DUPLICATE KEY UPDATE title = VALUE(title), body = VALUE(body), attrs = VALUE(attrs), author_kind = VALUE(author_kind), " \
    "author_id = VALUE(author_id), content_hash = VALUE(content_hash), tokens = VALUE(tokens), status = VALUE(status), " \
    "archived_at = NULL, forgotten_at = NULL, expires_at = VALUE(expires_at), version = version + 1, " \
    "updated_at = GREATEST(VALUE(updated_at), updated_at + INTERVAL 1 MICROSECOND)"

err node_write_put(struct ctx *c, const struct node *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "INSERT INTO node (" PUT_COLUMNS ") VALUES ");
    for (size_t i = 0; i < n; i++) {
        const struct node *r = &rows[i];

        ids[i] = r->id;
        if (i)
            sql_add(&s, ", ");
        sql_add(&s, "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", IN(c->account_id), IN(r->id), IN(r->space_id), IN(r->kind),
                IN(r->title), IN(r->body), IN(json_text(c->arena, r->attrs)), IN(r->importance), IN(r->confidence),
                IN(r->decay_rate), IN(r->decayed_at), IN(r->is_pinned), IN_OPT(r->source_kind), IN(r->author_kind),
                IN(r->author_id), IN(r->content_hash), IN(r->tokens), IN(r->created_at), IN(r->updated_at), IN_OPT(r->expires_at),
                IN(r->status));
    }
    sql_add(&s, PUT_AGAIN);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_drop(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node SET status = 'forgotten', forgotten_at = ?, same_key = NULL, version = version + 1, "
                "updated_at = GREATEST(?, updated_at + INTERVAL 1 MICROSECOND) WHERE account_id = ? AND space_id = ?",
            IN(c->now), IN(c->now), IN(c->account_id), IN(space_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

#define MOVE \
    "UPDATE node SET space_id = ?, same_key = NULL, version = version + 1, updated_at = GREATEST(?, updated_at + INTERVAL 1 MICROSECOND) " \
    "WHERE account_id = ? AND space_id = ? AND kind = ?"

/* An old state names the node that took its place. */
err node_write_moved(struct ctx *c, const char *kind, struct uuid from, struct uuid to, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, MOVE, IN(to), IN(c->now), IN(c->account_id), IN(from), IN(kind));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    sql_init(&s, c->arena);
    sql_add(&s, MOVE " AND status = 'version'", IN(to), IN(c->now), IN(c->account_id), IN(from), IN(kind));
    sql_add_in_uuids(&s, "superseded_by", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_purge(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "DELETE FROM node WHERE account_id = ?", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_older_gone(struct ctx *c, struct uuid id)
{
    TRY(db_exec(c, NULL, "DELETE FROM node WHERE account_id = ? AND superseded_by = ? AND status = 'version'", IN(c->account_id), IN(id)));
    return changes_of_nodes(c, c->account_id, &id, 1);
}

err node_write_uses(struct ctx *c, struct uuid account_id, const struct touched *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node JOIN (");
    for (size_t i = 0; i < n; i++) {
        ids[i] = rows[i].id;
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS node_id, ? AS uses, ? AS score, ? AS t, ? AS last", IN(rows[i].id), IN(rows[i].uses),
                IN(rows[i].life.score), IN(rows[i].life.decayed_at), IN(rows[i].life.last_access_at));
    }
    sql_add(&s, ") AS use_of ON node.account_id = ? AND node.id = use_of.node_id SET node.importance = use_of.score, "
                "node.decayed_at = use_of.t, node.last_access_at = use_of.last, node.access_count = node.access_count + use_of.uses",
            IN(account_id));
    TRY(sql_exec(c, NULL, &s));
    return changes_of_uses(c, account_id, ids, n);
}

#define AFTERWARDS "version = version + 1, updated_at = GREATEST(?, updated_at + INTERVAL 1 MICROSECOND) WHERE account_id = ?"

err node_write_settled(struct ctx *c, const struct uuid *ids, size_t n, double floor)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node SET importance = GREATEST(?, importance * EXP(-decay_rate * TIMESTAMPDIFF(MICROSECOND, decayed_at, ?) "
                "/ 86400000000)), decayed_at = ? WHERE account_id = ? AND is_pinned = 0 AND decayed_at < ?",
            IN(floor), IN(c->now), IN(c->now), IN(c->account_id), IN(c->now));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_uses(c, c->account_id, ids, n);
}

err node_write_archived(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node SET status = 'archived', archived_at = ?, same_key = NULL, " AFTERWARDS, IN(c->now), IN(c->now),
            IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_status(struct ctx *c, const struct uuid *ids, size_t n, const char *status)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node SET status = ?, same_key = NULL, " AFTERWARDS, IN(status), IN(c->now), IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_nodes(c, c->account_id, ids, n);
}

err node_write_count(struct ctx *c, struct uuid id, int64_t uses)
{
    TRY(db_exec(c, NULL, "UPDATE node SET access_count = GREATEST(access_count + ?, 0) WHERE account_id = ? AND id = ?", IN(uses),
                IN(c->account_id), IN(id)));
    return changes_of_uses(c, c->account_id, &id, 1);
}

err node_write_again(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE node JOIN (SELECT one_id, COUNT(*) AS times FROM (");
    for (size_t i = 0; i < n; i++) {
        if (i)
            sql_add(&s, " UNION ALL ");
        sql_add(&s, "SELECT CAST(? AS UUID) AS one_id", IN(ids[i]));
    }
    sql_add(&s, ") AS each_one GROUP BY one_id) AS again ON node.account_id = ? AND node.id = again.one_id "
                "SET node.occurrences = node.occurrences + again.times", IN(c->account_id));
    TRY(sql_exec(c, NULL, &s));
    return changes_of_uses(c, c->account_id, ids, n);
}

err node_write_found(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct sql s;

    sql_init(&s, c->arena);
    sql_add(&s, "UPDATE IGNORE node SET same_key = content_hash WHERE account_id = ? AND kind IN ('note', 'entity', 'goal') "
                "AND status = 'active' AND archived_at IS NULL AND forgotten_at IS NULL AND superseded_by IS NULL "
                "AND valid_from IS NULL AND valid_to IS NULL AND expires_at IS NULL", IN(c->account_id));
    sql_add_in_uuids(&s, "id", ids, n);
    TRY(sql_exec(c, NULL, &s));
    return changes_of_uses(c, c->account_id, ids, n);
}
