/* Recording facts; see fact.h. */
#include "fact.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "content.h"
#include "db.h"
#include "edge.h"
#include "fact_claim_store.h"
#include "fact_store.h"
#include "inert.h"
#include "node_many.h"
#include "outbox.h"
#include "principal.h"

ENUMX_DEFINE(fact_outcome, FACT_OUTCOME);

#define SUPERSEDED "superseded"
#define OBJECT_KEY 16   /* bytes of its hash that are kept */
#define VERACITY 0.8    /* of what nobody vouches for */
#define MENTION 0.3     /* share of what is missing to 1 that another author's word gives */
#define OWN_MENTION 0.1 /* part of that for the same author's, once a day */
#define CONFIDENCE_MAX 0.99

static struct bytes fact_slot_of(struct ctx *c, const struct fact_new *in)
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

/* ---- new facts, and what they supersede */

/* One question, what answers it now, and what is said to it. */
struct saying {
    const struct fact_new *in;
    struct bytes slot, key;
    const struct fact_row *old; /* NULL: nothing was believed */
    struct uuid id;             /* of the new fact */
    struct instant from;
    struct fact_recorded *out;
};

static struct node_new fact_node_of(const struct saying *s)
{
    const struct fact_new *in = s->in;
    struct node_new n = {NODE_NEW_DEFAULTS, .id = s->id, .space_id = in->space_id, .kind = "fact", .title = in->subject,
                         .body = in->statement, .attrs = in->attrs, .is_pinned = in->is_pinned,
                         .version = s->old ? s->old->version + 1 : 1, .source_kind = in->source_kind, .source_id = in->source_id,
                         .valid_from = s->from, .expires_at = in->expires_at};

    n.importance = in->importance;
    n.confidence = in->confidence;
    n.decay_rate = in->decay_rate;
    return n;
}

static err make_all(struct ctx *c, const struct saying *says, size_t n)
{
    struct node_new *nodes = ARENA_ARRAY(c->arena, struct node_new, n + 1);
    struct fact_row *rows = ARENA_ARRAY(c->arena, struct fact_row, n + 1);
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);

    for (size_t i = 0; i < n; i++) {
        nodes[i] = fact_node_of(&says[i]);
        rows[i] = (struct fact_row){.node_id = says[i].id, .space_id = says[i].in->space_id, .slot_key = says[i].slot,
                                    .predicate = says[i].in->predicate, .object = says[i].in->object, .object_key = says[i].key};
    }
    TRY(node_create_many(c, nodes, n, ids, NULL));
    for (size_t i = 0; i < n; i++) {
        struct node *made = &says[i].out->node;

        *made = (struct node){.id = says[i].id, .space_id = says[i].in->space_id, .version = nodes[i].version, .kind = "fact"};
    }
    return fact_store_insert(c, rows, n);
}

/* What a writer of the space says directly takes over, so appending its claim is one step of the fold: no other claim is looked at. */
static err claim_all(struct ctx *c, const struct saying *says, size_t n)
{
    struct fact_claim *claims = ARENA_ARRAY(c->arena, struct fact_claim, n + 1);
    struct fact_slot *slots = ARENA_ARRAY(c->arena, struct fact_slot, n + 1);

    for (size_t i = 0; i < n; i++) {
        const struct fact_new *in = says[i].in;
        struct uuid *id = ARENA_NEW(c->arena, struct uuid);

        *id = uuid_new(c->now.us);
        slots[i] = (struct fact_slot){.slot_key = says[i].slot, .space_id = in->space_id, .predicate = in->predicate};
        claims[i] = (struct fact_claim){
            .id = *id, .slot_key = says[i].slot, .derive_key = {id, sizeof *id}, .space_id = in->space_id, .fact_id = says[i].id,
            .object_key = says[i].key, .object_json = in->object, .statement = text_cut(c->arena, in->statement, FACT_STATEMENT, false),
            .at = says[i].from, .author_kind = enumx_name(&principal_kind_enumx, (int)c->who->kind), .author_id = c->who->id,
            .role = trust_direct_role(c), .confidence = in->confidence, .trust = trust_of_role(c, trust_direct_role(c)),
            .state = CLAIM_ACCEPTED};
    }
    return claim_store_append(c, claims, slots, n);
}

static err leave_all(struct ctx *c, const struct saying *says, size_t n)
{
    struct uuid *ids = ARENA_ARRAY(c->arena, struct uuid, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        if (says[i].old)
            ids[k++] = says[i].old->node_id;
    return k ? fact_store_hold(c, ids, k, false) : ERR_OK;
}

/* The old facts are true until the new ones are, and joined to them. Who waits hears which is no longer true, and which is. */
static err supersede_all(struct ctx *c, const struct saying *says, size_t n)
{
    struct outbox_event *events = ARENA_ARRAY(c->arena, struct outbox_event, n + 1);
    struct node_wish *olds = ARENA_ARRAY(c->arena, struct node_wish, n + 1);
    struct edge_new *edges = ARENA_ARRAY(c->arena, struct edge_new, n + 1);
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        const struct saying *s = &says[i];
        struct json *said;

        if (!s->old)
            continue;
        said = json_obj(c->arena);
        json_set_str(c->arena, said, "superseded_by", arena_strdup(c->arena, UUID_STR(s->id)));
        events[k] = (struct outbox_event){s->old->node_id, said};
        olds[k] = (struct node_wish){.id = s->old->node_id, .what = NODE_WISH_PATCH,
                                     .patch = {.set = NODE_SET_STATUS | NODE_SET_VALID_TO | NODE_SET_SUPERSEDED, .status = SUPERSEDED,
                                               .valid_to = s->from, .superseded_by = s->id}};
        edges[k++] = (struct edge_new){EDGE_NEW_DEFAULTS, .source_id = s->old->node_id, .target_id = s->id, .relation = "SUPERSEDED_BY",
                                       .valid_from = s->from};
    }
    if (!k)
        return ERR_OK;
    TRY(node_change_many(c, olds, k));
    TRY(outbox_add_many(c, "fact.superseded", says->in->space_id, events, k));
    return edge_record(c, edges, k, says->in->space_id);
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

/* ---- recording */

static int fact_by_slot(const void *a, const void *b)
{
    return memcmp(((const struct fact_row *)a)->slot_key.p, ((const struct fact_row *)b)->slot_key.p, crypto_hash_sha256_BYTES);
}

static err read_current(struct ctx *c, const struct fact_new *in, struct saying *says, size_t n)
{
    struct fact_row *rows = ARENA_ARRAY(c->arena, struct fact_row, n + 1);
    struct bytes *slots = ARENA_ARRAY(c->arena, struct bytes, n + 1);
    size_t found;

    for (size_t i = 0; i < n; i++) {
        slots[i] = fact_slot_of(c, &in[i]);
        says[i] = (struct saying){.in = &in[i], .slot = slots[i], .key = object_key(c, in[i].object), .from = c->now};
    }
    TRY(fact_store_current(c, slots, n, rows, &found));
    qsort(rows, found, sizeof *rows, fact_by_slot);
    for (size_t i = 0; i < n; i++)
        says[i].old = bsearch(&(struct fact_row){.slot_key = slots[i]}, rows, found, sizeof *rows, fact_by_slot);
    return ERR_OK;
}

err fact_record(struct ctx *c, const struct fact_new *in, size_t n, struct fact_recorded *out)
{
    struct saying *says = ARENA_ARRAY(c->arena, struct saying, n + 1);
    size_t k = 0;

    assert(db_in_tx(c));
    if (!n)
        return ERR_OK;
    TRY(access_require(c, in->space_id, ACCESS_WRITE));
    TRY(read_current(c, in, says, n));
    for (size_t i = 0; i < n; i++) {
        struct saying s = says[i];

        out[i] = (struct fact_recorded){.outcome = s.old ? FACT_SUPERSEDING : FACT_CREATED};
        if (s.old && memcmp(s.old->object_key.p, s.key.p, OBJECT_KEY) == 0) {
            TRY(corroborate(c, s.old, &out[i]));
            continue;
        }
        s.out = &out[i];
        s.id = uuid_new(c->now.us);
        if (s.old) {
            out[i].before = s.old->node_id;
            /* A request that began earlier may come later: what it says is true after what was said before it. */
            s.from = c->now.us < s.old->valid_from.us ? s.old->valid_from : c->now;
        }
        says[k++] = s;
    }
    TRY(leave_all(c, says, k));
    TRY(make_all(c, says, k));
    TRY(claim_all(c, says, k));
    return supersede_all(c, says, k);
}

err fact_hold(struct ctx *c, const struct uuid *ids, size_t n, bool holds)
{
    err e;

    assert(db_in_tx(c));
    if (!n)
        return ERR_OK;
    e = fact_store_hold(c, ids, n, holds);
    if (e != ERR_CONFLICT || !db_was_duplicate(c))
        return e;
    ctx_forgive(c);
    return fail(c, ERR_CONFLICT, "another fact is now valid for the same subject and predicate");
}
