/* Recording facts; see fact.h. */
#include "fact.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "access.h"
#include "content.h"
#include "db.h"
#include "edge.h"
#include "fact_store.h"
#include "outbox.h"

ENUMX_DEFINE(fact_outcome, FACT_OUTCOME);

#define SUPERSEDED "superseded"
#define OBJECT_KEY 16                /* bytes of its hash that are kept */
#define VERACITY 0.8                 /* of what nobody vouches for */
#define MENTION 0.3                  /* share of what is missing to 1 that another author's word gives */
#define OWN_MENTION 0.1              /* part of that for the same author's, once a day */
#define CONFIDENCE_MAX 0.99

static struct bytes slot_of(struct ctx *c, const struct fact_new *in)
{
    const char *text = arena_printf(c->arena, "%s\n%s\n%s", UUID_STR(in->space_id), in->predicate, in->subject);
    uint8_t *hash = arena_alloc(c->arena, crypto_hash_sha256_BYTES);

    crypto_hash_sha256(hash, (const uint8_t *)text, strlen(text));
    return (struct bytes){hash, crypto_hash_sha256_BYTES};
}

static struct bytes object_key(struct ctx *c, const struct json *object)
{
    return (struct bytes){content_hash(c->arena, "", "", object).p, OBJECT_KEY};
}

/* ---- a new fact */

static err make(struct ctx *c, const struct fact_new *in, struct bytes slot, int64_t version, struct instant from, struct node *out)
{
    struct node_new n = {NODE_NEW_DEFAULTS, .space_id = in->space_id, .kind = "fact", .title = in->subject, .body = in->statement,
                         .attrs = in->attrs, .is_pinned = in->is_pinned, .version = version, .source_kind = in->source_kind,
                         .source_id = in->source_id, .valid_from = from, .expires_at = in->expires_at};

    n.importance = in->importance;
    n.confidence = in->confidence;
    n.decay_rate = in->decay_rate;
    TRY(node_create(c, &n, out));
    return fact_store_insert(c, &(struct fact_row){.node_id = out->id, .space_id = in->space_id, .slot_key = slot,
                                                   .predicate = in->predicate, .object = in->object,
                                                   .object_key = object_key(c, in->object)});
}

/* Who waits hears which fact is no longer true, and which is. */
static err tell_superseded(struct ctx *c, struct uuid space_id, struct uuid old, struct uuid now)
{
    struct json *said = json_obj(c->arena);

    json_set_str(c->arena, said, "superseded_by", arena_strdup(c->arena, UUID_STR(now)));
    return outbox_add(c, "fact.superseded", old, space_id, said);
}

static err supersede(struct ctx *c, const struct fact_new *in, const struct fact_row *old, struct bytes slot, struct fact_recorded *out)
{
    struct instant at;
    struct node before;

    TRY(node_get(c, old->node_id, &before));
    /* A request that began earlier may come later: what it says is true after what was said before it. */
    at = c->now.us < before.valid_from.us ? before.valid_from : c->now;
    TRY(fact_store_hold(c, old->node_id, false));
    TRY(make(c, in, slot, before.version + 1, at, &out->node));
    TRY(node_update(c, old->node_id,
                    &(struct node_patch){.set = NODE_SET_STATUS | NODE_SET_VALID_TO | NODE_SET_SUPERSEDED, .status = SUPERSEDED,
                                         .valid_to = at, .superseded_by = out->node.id}, &before));
    out->outcome = FACT_SUPERSEDING;
    out->before = old->node_id;
    TRY(tell_superseded(c, in->space_id, old->node_id, out->node.id));
    return edge_record(c, &(struct edge_new){EDGE_NEW_DEFAULTS, .source_id = old->node_id, .target_id = out->node.id,
                                             .relation = "SUPERSEDED_BY", .valid_from = at}, in->space_id);
}

/* ---- the same again */

static bool same_day(struct instant a, struct instant b)
{
    return a.us / DAY_US == b.us / DAY_US;
}

static err corroborate(struct ctx *c, const struct fact_row *row, struct fact_recorded *out)
{
    struct node *n = &out->node;
    double share = VERACITY * MENTION;

    TRY(node_get(c, row->node_id, n));
    TRY(fact_store_mention(c, row->node_id));
    out->outcome = FACT_CORROBORATED;
    if (uuid_eq(n->author_id, c->who->id))
        share *= same_day(row->last_seen_at, c->now) ? 0 : OWN_MENTION;
    if (share <= 0 || n->confidence >= CONFIDENCE_MAX)
        return ERR_OK;
    double surer = n->confidence + (1 - n->confidence) * share;
    return node_update(c, n->id, &(struct node_patch){.set = NODE_SET_CONFIDENCE,
                                                      .confidence = surer > CONFIDENCE_MAX ? CONFIDENCE_MAX : surer}, n);
}

err fact_record(struct ctx *c, const struct fact_new *in, struct fact_recorded *out)
{
    struct bytes slot = slot_of(c, in), key = object_key(c, in->object);
    struct fact_row row = {0};
    bool found;

    assert(db_in_tx(c));
    *out = (struct fact_recorded){0};
    TRY(access_require(c, in->space_id, ACCESS_WRITE));
    TRY(fact_store_current(c, slot, &found, &row));
    if (found && memcmp(row.object_key.p, key.p, OBJECT_KEY) == 0)
        return corroborate(c, &row, out);
    if (found)
        return supersede(c, in, &row, slot, out);
    out->outcome = FACT_CREATED;
    return make(c, in, slot, 1, c->now, &out->node);
}

err fact_hold(struct ctx *c, struct uuid node_id, bool holds)
{
    err e;

    assert(db_in_tx(c));
    e = fact_store_hold(c, node_id, holds);
    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "another fact answers the same question now");
}

err fact_leave_many(struct ctx *c, const struct uuid *ids, size_t n)
{
    assert(db_in_tx(c));
    return n ? fact_store_leave(c, ids, n) : ERR_OK;
}
