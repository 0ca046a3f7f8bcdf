/* Nodes changed many at a time; see node_many.h. */
#include "node_many.h"

#include <assert.h>

#include "access.h"
#include "audit.h"
#include "content.h"
#include "db.h"
#include "edge_store.h"
#include "node_impl.h"
#include "node_kind.h"
#include "node_store.h"
#include "node_write_store.h"
#include "vector_store.h"

err node_put_many(struct ctx *c, const struct node_new *in, size_t n)
{
    struct node *rows = ARENA_ARRAY(c->arena, struct node, n + 1);

    assert(db_in_tx(c));
    for (size_t i = 0; i < n; i++)
        TRY(node_prepare(c, &in[i], &rows[i]));
    return n ? node_write_put(c, rows, n) : ERR_OK;
}

err node_drop_many(struct ctx *c, struct uuid space_id, const struct uuid *ids, size_t n)
{
    assert(db_in_tx(c));
    TRY(access_require(c, space_id, ACCESS_WRITE));
    return n ? node_write_drop(c, space_id, ids, n) : ERR_OK;
}

err node_move_many(struct ctx *c, const char *kind, struct uuid from, struct uuid to, const struct uuid *ids, size_t n)
{
    assert(db_in_tx(c));
    TRY(access_require(c, from, ACCESS_WRITE));
    TRY(access_require(c, to, ACCESS_WRITE));
    return n ? node_write_moved(c, kind, from, to, ids, n) : ERR_OK;
}

err node_ids_of_space(struct ctx *c, struct uuid space_id, struct uuid *ids, size_t max, size_t *n)
{
    return node_store_ids_of_space(c, space_id, ids, max, n);
}

err node_purge_many(struct ctx *c, const struct uuid *ids, size_t n)
{
    assert(db_in_tx(c));
    if (!n)
        return ERR_OK;
    TRY(vector_store_delete_nodes(c, ids, n));
    TRY(edge_store_delete_nodes(c, ids, n));
    return node_write_purge(c, ids, n);
}

err node_reword(struct ctx *c, struct uuid id, const char *body, const struct json *attrs)
{
    struct node n;
    bool found;

    assert(db_in_tx(c));
    TRY(node_store_lock(c, id, &found, &n));
    if (!found)
        return ERR_OK;
    n.body = body;
    n.attrs = attrs;
    n.tokens = content_tokens(n.title) + content_tokens(body);
    n.content_hash = content_hash(c->arena, n.title, body, attrs);
    n.previous_id = (struct uuid){{0}};
    n.updated_at = c->now;
    n.version++;
    TRY(vector_store_delete_nodes(c, &id, 1));
    TRY(node_write_older_gone(c, id));
    TRY(node_write_state(c, &n, false, n.version - 1));
    TRY(node_promise_vectors(c, &id, 1));
    node_written(c, &id, 1);
    return ERR_OK;
}

err node_find_by_content(struct ctx *c, const struct uuid *ids, size_t n)
{
    return n ? node_write_found(c, ids, n) : ERR_OK;
}

err node_find_rows_again(struct ctx *c, const struct node *rows, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (node_is_found_by_content(&rows[i]))
            ids[k++] = rows[i].id;
    return node_find_by_content(c, ids, k);
}

/* ---- for jobs */

static err node_many_record(struct ctx *c, const struct node_brief *rows, size_t n, const char *kind, const char *status,
                            const char *reason)
{
    struct audit *events = ARENA_ARRAY(c->arena, struct audit, n + 1);
    struct json *why = json_obj(c->arena);

    json_set_str(c->arena, why, "reason", reason);
    for (size_t i = 0; i < n; i++) {
        struct json *before = json_obj(c->arena), *after = json_obj(c->arena);

        json_set_str(c->arena, before, "status", rows[i].status);
        json_set_str(c->arena, after, "status", status);
        events[i] = (struct audit){.kind = kind, .subject_kind = "node", .subject_id = rows[i].id, .space_id = rows[i].space_id,
                                   .before = before, .after = after, .payload = why, .is_news = true};
    }
    return audit_add_many(c, events, n);
}

static err node_many_take(struct ctx *c, const struct uuid *ids, size_t n, struct node_brief **rows, struct uuid *done, size_t *n_done)
{
    assert(db_in_tx(c));
    *rows = ARENA_ARRAY(c->arena, struct node_brief, n + 1);
    *n_done = 0;
    if (n)
        TRY(node_store_lock_loose(c, ids, n, *rows, n_done));
    for (size_t i = 0; i < *n_done; i++)
        done[i] = (*rows)[i].id;
    return ERR_OK;
}

err node_archive_many(struct ctx *c, const struct uuid *ids, size_t n, const char *reason, struct uuid *done, size_t *n_done)
{
    struct node_brief *rows;

    TRY(node_many_take(c, ids, n, &rows, done, n_done));
    if (!*n_done)
        return ERR_OK;
    TRY(node_write_archived(c, done, *n_done));
    return node_many_record(c, rows, *n_done, "node.archive", NODE_ARCHIVED, reason);
}

err node_status_many(struct ctx *c, const struct uuid *ids, size_t n, const char *status, const char *reason, struct uuid *done,
                     size_t *n_done)
{
    struct node_brief *rows;

    TRY(node_many_take(c, ids, n, &rows, done, n_done));
    if (!*n_done)
        return ERR_OK;
    TRY(node_write_status(c, done, *n_done, status));
    return node_many_record(c, rows, *n_done, "node.update", status, reason);
}

err node_settle_many(struct ctx *c, const char *kind, const struct uuid *ids, size_t n)
{
    assert(db_in_tx(c));
    return n ? node_write_settled(c, ids, n, node_kind_floor(kind)) : ERR_OK;
}
