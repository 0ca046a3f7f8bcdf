/* Erasing what facts were read from; see fact_erase.h. */
#include "fact_erase.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "fact_claim_store.h"
#include "fact_put.h"
#include "node_many.h"

err fact_erase_claims(struct ctx *c, const struct uuid *ids, size_t n, struct list *slots)
{
    TRY(claim_store_slots_of(c, ids, n, slots));
    return claim_store_delete_of(c, ids, n);
}

static const struct json *attrs_of_wording(struct ctx *c, const struct fact_wording *w)
{
    struct json *o = json_obj(c->arena);

    json_set_str(c->arena, o, "predicate", w->predicate);
    json_set(c->arena, o, "object", json_raw(c->arena, w->object));
    json_set_str(c->arena, o, "fact_type", w->fact_type);
    if (w->negative)
        json_set_bool(c->arena, o, "negative", true);
    return o;
}

/* Those of one fact, the best first. The text stays if one of them still says it. */
static err reword_fact(struct ctx *c, const struct fact_wording *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(w[i].body, w[i].statement) == 0)
            return ERR_OK;
    TRY(claim_store_object(c, w->fact_id, w->object));
    return node_reword(c, w->fact_id, w->statement, attrs_of_wording(c, w));
}

static err reword_slot(struct ctx *c, struct bytes slot_key)
{
    const struct fact_wording *w;
    struct list all;

    TRY(claim_store_wordings(c, slot_key, &all));
    w = all.v;
    for (size_t i = 0, k; i < all.n; i = k) {
        for (k = i; k < all.n && uuid_eq(w[k].fact_id, w[i].fact_id); k++)
            ;
        TRY(reword_fact(c, &w[i], k - i));
    }
    return ERR_OK;
}

err fact_erase_settle(struct ctx *c, const struct list *slots)
{
    const struct fact_erased_slot *v = slots->v;

    for (size_t i = 0; i < slots->n; i++) {
        TRY(fact_refold(c, v[i].slot_key));
        TRY(reword_slot(c, v[i].slot_key));
        TRY(claim_store_drop_empty(c, v[i].slot_key));
    }
    return ERR_OK;
}

err fact_refold_of(struct ctx *c, const struct uuid *ids, size_t n)
{
    const struct fact_erased_slot *v;
    struct list slots;

    TRY(claim_store_slots_of(c, ids, n, &slots));
    v = slots.v;
    for (size_t i = 0; i < slots.n; i++)
        TRY(fact_refold(c, v[i].slot_key));
    return ERR_OK;
}

/* ---- not to be learned again */

struct bytes fact_suppress_key(struct ctx *c, struct bytes slot_key, struct bytes object_key, bool negative)
{
    uint8_t *mac = arena_alloc(c->arena, crypto_auth_hmacsha256_BYTES);
    crypto_auth_hmacsha256_state s;

    crypto_auth_hmacsha256_init(&s, c->app->secret, sizeof c->app->secret);
    crypto_auth_hmacsha256_update(&s, slot_key.p, slot_key.n);
    crypto_auth_hmacsha256_update(&s, object_key.p, object_key.n);
    crypto_auth_hmacsha256_update(&s, (const uint8_t *)(negative ? "-" : "+"), 1);
    crypto_auth_hmacsha256_final(&s, mac);
    return (struct bytes){mac, crypto_auth_hmacsha256_BYTES};
}

err fact_suppress(struct ctx *c, struct uuid op, const struct uuid *ids, size_t n)
{
    const struct fact_said_key *k;
    struct list keys;

    TRY(claim_store_keys(c, ids, n, &keys));
    k = keys.v;
    for (size_t i = 0; i < keys.n; i++)
        TRY(claim_store_suppress(c, op, fact_suppress_key(c, k[i].slot_key, k[i].object_key, k[i].negative)));
    return ERR_OK;
}
