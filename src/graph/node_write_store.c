/* Every statement that changes rows of nodes; each is told to those who hold nodes in memory. tests/layers keeps it so. */
#include "node_write_store.h"

#include "changes.h"
#include "db.h"

err node_write_state(struct ctx *c, const struct node *n, int64_t old_version)
{
    int64_t changed;

    TRY(db_exec(c, &changed,
                "UPDATE node SET title = ?, body = ?, attrs = ?, status = ?, importance = ?, confidence = ?, trust = ?, "
                "surprise = ?, decay_rate = ?, decayed_at = ?, is_pinned = ?, author_kind = ?, author_id = ?, content_hash = ?, "
                "version = ?, previous_id = ?, tokens = ?, valid_from = ?, valid_to = ?, updated_at = ?, expires_at = ?, "
                "archived_at = ?, forgotten_at = ? WHERE account_id = ? AND id = ? AND version = ?",
                IN(n->title), IN(n->body), IN(json_text(c->arena, n->attrs)), IN(n->status), IN(n->importance),
                IN(n->confidence), IN(n->trust), IN(n->surprise), IN(n->decay_rate), IN(n->decayed_at), IN(n->is_pinned),
                IN(n->author_kind), IN(n->author_id), IN(n->content_hash), IN(n->version), IN_OPT(n->previous_id),
                IN(n->tokens), IN_OPT(n->valid_from), IN_OPT(n->valid_to), IN(n->updated_at), IN_OPT(n->expires_at),
                IN_OPT(n->archived_at), IN_OPT(n->forgotten_at), IN(c->account_id), IN(n->id), IN(old_version)));
    if (!changed)
        return fail(c, ERR_CONFLICT, "the node was changed by somebody else meanwhile; read it again");
    return changes_of_nodes(c, c->account_id, &n->id, 1);
}

err node_write_reference(struct ctx *c, struct uuid id)
{
    TRY(db_exec(c, NULL, "UPDATE node SET referenced_count = referenced_count + 1 WHERE account_id = ? AND id = ?",
                IN(c->account_id), IN(id)));
    return changes_of_nodes(c, c->account_id, &id, 1);
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
            "version = IF(status IN ('version','forgotten'), version, version + 1), expires_at = NULL, updated_at = ? "
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
        sql_add(&s, "SELECT CAST(? AS UUID) AS node_id, ? AS uses, ? AS score, ? AS t", IN(rows[i].id), IN(rows[i].uses),
                IN(rows[i].life.score), IN(rows[i].life.decayed_at));
    }
    sql_add(&s, ") AS use_of ON node.account_id = ? AND node.id = use_of.node_id SET node.importance = use_of.score, "
                "node.decayed_at = use_of.t, node.last_access_at = ?, node.access_count = node.access_count + use_of.uses",
            IN(account_id), IN(c->now));
    TRY(sql_exec(c, NULL, &s));
    return changes_of_uses(c, account_id, ids, n);
}
