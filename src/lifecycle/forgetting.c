/* Forgetting; see forgetting.h. */
#include "forgetting.h"

#include "access.h"
#include "archive_many.h"
#include "audit.h"
#include "db.h"
#include "derived.h"
#include "fact.h"
#include "fact_erase.h"
#include "forgetting_store.h"
#include "node_many.h"

/* What is in this caller's reach and not forgotten yet. */
static err forget_set(struct ctx *c, const struct forget_in *in, struct uuid **ids, size_t *n)
{
    struct derived d;

    *ids = ARENA_NEW(c->arena, struct uuid);
    (*ids)[0] = in->id;
    *n = 1;
    if (!in->cascade)
        return ERR_OK;
    TRY(derived_find(c, &in->id, 1, false, &d));
    *ids = ARENA_ARRAY(c->arena, struct uuid, d.n + 1);
    *n = 0;
    for (size_t i = 0; i < d.n; i++)
        if (!d.nodes[i].is_old && !d.nodes[i].is_forgotten && access_may_write(c, d.nodes[i].space_id))
            (*ids)[(*n)++] = d.nodes[i].id;
    return ERR_OK;
}

static err note_forgetting(struct ctx *c, const char *kind, const struct forget_op *op, size_t n)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "op_id", arena_strdup(c->arena, UUID_STR(op->id)));
    json_set_int(c->arena, o, "nodes", (int64_t)n);
    return audit_add(c, &(struct audit){.kind = kind, .subject_kind = "node", .subject_id = op->node_id, .space_id = op->space_id,
                                        .payload = o});
}

static err forget_node(struct ctx *c, struct uuid id, struct uuid *space_id, bool *is_forgotten)
{
    TRY(forgetting_store_node(c, id, space_id, is_forgotten));
    if (uuid_is_nil(*space_id))
        return fail(c, ERR_NOT_FOUND, "no memory %s", UUID_STR(id));
    return access_require(c, *space_id, ACCESS_WRITE);
}

static err forget_portions(struct ctx *c, const struct uuid *ids, size_t n, struct uuid *done, size_t *n_done)
{
    size_t some;

    *n_done = 0;
    for (size_t i = 0; i < n; i += DERIVED_CHANGED) {
        TRY(memory_forget_many(c, ids + i, n - i < DERIVED_CHANGED ? n - i : DERIVED_CHANGED, done + *n_done, &some));
        *n_done += some;
    }
    return ERR_OK;
}

static err memory_forget_tx(struct ctx *c, const struct forget_in *in, struct forgotten *out)
{
    struct forget_op op = {.id = uuid_new(c->now.us), .node_id = in->id, .reason = in->reason ? in->reason : "",
                           .block_relearn = in->block_relearn};
    struct uuid *ids, *done;
    size_t n, n_done;

    *out = (struct forgotten){0};
    TRY(forget_node(c, in->id, &op.space_id, &out->already_forgotten));
    if (out->already_forgotten)
        return ERR_OK;
    TRY(forget_set(c, in, &ids, &n));
    done = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; in->block_relearn && i < n; i += DERIVED_AT_ONCE)
        TRY(fact_suppress(c, op.id, ids + i, n - i < DERIVED_AT_ONCE ? n - i : DERIVED_AT_ONCE));
    TRY(forget_portions(c, ids, n, done, &n_done));
    TRY(forgetting_store_add(c, &op, done, n_done));
    out->op_id = op.id;
    out->nodes = (int64_t)n_done;
    return note_forgetting(c, "forget", &op, n_done);
}
DB_TX(memory_forget, struct forget_in, struct forgotten)

/* Another fact may answer its question by now: then it comes back as one of the past. */
static err revive(struct ctx *c, const struct uuid *ids, size_t n)
{
    struct node_wish *w = ARENA_ARRAY(c->arena, struct node_wish, n + 1);
    err e;

    if (!n)
        return ERR_OK;
    for (size_t i = 0; i < n; i++)
        w[i] = (struct node_wish){.id = ids[i], .what = NODE_WISH_REVIVE};
    TRY(node_change_many(c, w, n));
    for (size_t i = 0; i < n; i++) {
        e = fact_hold(c, &ids[i], 1, true);
        if (e == ERR_CONFLICT)
            ctx_forgive(c);
        else
            TRY(e);
    }
    return fact_refold_of(c, ids, n);
}

static err memory_unforget_tx(struct ctx *c, const struct unforget_in *in, struct forgotten *out)
{
    struct forget_op op;
    struct list ids;
    bool forgotten;

    *out = (struct forgotten){0};
    TRY(forget_node(c, in->id, &(struct uuid){{0}}, &forgotten));
    TRY(forgetting_store_take(c, in->id, in->op_id, &op));
    if (uuid_is_nil(op.id))
        return fail(c, ERR_NOT_FOUND, "no such forgetting of this memory");
    TRY(forgetting_store_items(c, op.id, &ids));
    for (size_t i = 0; i < ids.n; i += DERIVED_CHANGED)
        TRY(revive(c, (struct uuid *)ids.v + i, ids.n - i < DERIVED_CHANGED ? ids.n - i : DERIVED_CHANGED));
    TRY(forgetting_store_undone(c, op.id));
    out->op_id = op.id;
    out->nodes = (int64_t)ids.n;
    return note_forgetting(c, "unforget", &op, ids.n);
}
DB_TX(memory_unforget, struct unforget_in, struct forgotten)
