/* Deciding about pairs that are nearly the same; see duplicate.h. */
#include "duplicate.h"

#include "access.h"
#include "audit.h"
#include "db.h"
#include "duplicate_store.h"
#include "governed.h"

ENUMX_DEFINE(duplicate_reason, DUPLICATE_REASON);
ENUMX_DEFINE(duplicate_state, DUPLICATE_STATE);

err duplicate_note(struct ctx *c, const struct duplicate *rows, size_t n)
{
    return n ? duplicate_store_add(c, rows, n) : ERR_OK;
}

/* By the ids, so that a pair is there once. */
err duplicate_decided(struct ctx *c, const struct duplicate *in)
{
    struct duplicate d = *in;
    bool in_order = uuid_cmp(in->a_id, in->b_id) < 0;

    d.a_id = in_order ? in->a_id : in->b_id;
    d.b_id = in_order ? in->b_id : in->a_id;
    d.decided_at = c->now;
    d.decided_by = c->who->id;
    return duplicate_store_decided(c, &d);
}

err duplicate_known(struct ctx *c, const struct uuid *a, const struct uuid *b, size_t n, bool *known)
{
    return n ? duplicate_store_known(c, a, b, n, known) : ERR_OK;
}

err duplicate_list(struct ctx *c, int64_t limit, const char *cursor, struct page *out)
{
    struct duplicate *rows;
    struct uuid before, *spaces;
    size_t n;

    TRY(governed_may_list(c));
    TRY(page_begin(c, cursor, &before));
    TRY(duplicate_store_list(c, before, limit, &rows, &n));
    spaces = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    for (size_t i = 0; i < n; i++)
        spaces[i] = rows[i].space_id;
    TRY(governed_note(c, spaces, n));
    PAGE_END(c, out, rows, n, limit, struct duplicate, id);
    return ERR_OK;
}

/* ---- deciding */

/* Missing and forbidden look the same. */
err duplicate_get(struct ctx *c, struct uuid id, struct duplicate *out)
{
    bool found;
    err e;

    TRY(duplicate_store_get(c, id, &found, out));
    e = found ? governed_require(c, out->space_id, ACCESS_WRITE) : ERR_NOT_FOUND;
    return e == ERR_NOT_FOUND ? fail(c, ERR_NOT_FOUND, "no such pair") : e;
}

struct deciding {
    struct uuid id, keeper;
    enum duplicate_state state;
    struct duplicate pair;
    struct merge merged;
};

static err duplicate_take(struct ctx *c, struct deciding *h)
{
    bool found, done;

    TRY(duplicate_store_get(c, h->id, &found, &h->pair));
    if (!found)
        return fail(c, ERR_NOT_FOUND, "no such pair");
    TRY(access_require(c, h->pair.space_id, ACCESS_WRITE));
    TRY(duplicate_store_decide(c, h->id, h->state, &done));
    return done ? ERR_OK : fail(c, ERR_CONFLICT, "already decided: the pair was %s",
                                enumx_name(&duplicate_state_enumx, (int)h->pair.state));
}

static err keep_body(struct ctx *c, void *arg)
{
    struct deciding *h = arg;
    struct json *after = json_obj(c->arena);
    bool found;

    TRY(duplicate_take(c, h));
    TRY(duplicate_store_get(c, h->id, &found, &h->pair));
    json_set_str(c->arena, after, "other", arena_strdup(c->arena, UUID_STR(h->pair.b_id)));
    return audit_add(c, &(struct audit){.kind = "memory.keep", .subject_kind = "node", .subject_id = h->pair.a_id,
                                        .space_id = h->pair.space_id, .after = after});
}

err duplicate_keep(struct ctx *c, struct uuid id, struct duplicate *out)
{
    struct deciding h = {.id = id, .state = DUPLICATE_KEPT};

    TRY(duplicate_get(c, id, &h.pair));
    TRY(db_tx(c, keep_body, &h));
    *out = h.pair;
    return ERR_OK;
}

static err duplicate_merge_body(struct ctx *c, void *arg)
{
    struct deciding *h = arg;

    TRY(duplicate_take(c, h));
    return merge_nodes(c, &(struct merge_wish){.a = h->pair.a_id, .b = h->pair.b_id, .similarity = h->pair.similarity,
                                               .rule = MERGE_REVIEW, .keeper = h->keeper}, &h->merged);
}

err duplicate_merge(struct ctx *c, struct uuid id, struct uuid keeper, struct merge *out)
{
    struct deciding h = {.id = id, .keeper = keeper, .state = DUPLICATE_MERGED};

    TRY(duplicate_get(c, id, &h.pair));
    if (!uuid_is_nil(keeper) && !uuid_eq(keeper, h.pair.a_id) && !uuid_eq(keeper, h.pair.b_id))
        return fail_field(c, "/keeper_id", "keeper_id must be one of the pair");
    TRY(db_tx(c, duplicate_merge_body, &h));
    *out = h.merged;
    return ERR_OK;
}
