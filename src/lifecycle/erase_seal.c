/* Keyed hashes of what was erased; see erase_seal.h. */
#include "erase_seal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "principal.h"

struct sealing {
    crypto_auth_hmacsha256_state state;
};

static void sealing_begin(struct ctx *c, struct sealing *s, const char *what)
{
    crypto_auth_hmacsha256_init(&s->state, c->app->secret, sizeof c->app->secret);
    crypto_auth_hmacsha256_update(&s->state, (const uint8_t *)what, strlen(what) + 1);
    crypto_auth_hmacsha256_update(&s->state, (const uint8_t *)&c->account_id, sizeof c->account_id);
}

static void sealing_add(struct sealing *s, const void *p, size_t n)
{
    crypto_auth_hmacsha256_update(&s->state, p, n);
}

static struct bytes sealing_end(struct ctx *c, struct sealing *s)
{
    uint8_t *mac = arena_alloc(c->arena, crypto_auth_hmacsha256_BYTES);

    crypto_auth_hmacsha256_final(&s->state, mac);
    return (struct bytes){mac, crypto_auth_hmacsha256_BYTES};
}

struct bytes seal_of_content(struct ctx *c, struct bytes content_hash)
{
    struct sealing s;

    sealing_begin(c, &s, "erased content");
    sealing_add(&s, content_hash.p, content_hash.n);
    return sealing_end(c, &s);
}

struct bytes seal_of_receipt(struct ctx *c, const struct erase_receipt *r, const struct list *items)
{
    const struct erase_item *v = items->v;
    struct sealing s;

    sealing_begin(c, &s, "receipt");
    sealing_add(&s, &r->id, sizeof r->id);
    sealing_add(&s, r->reason, strlen(r->reason) + 1);
    sealing_add(&s, &r->actor_id, sizeof r->actor_id);
    sealing_add(&s, &r->at.us, sizeof r->at.us);
    for (size_t i = 0; i < items->n; i++) {
        sealing_add(&s, &v[i].node_id, sizeof v[i].node_id);
        sealing_add(&s, v[i].seal.p, v[i].seal.n);
    }
    return sealing_end(c, &s);
}

const char *erase_confirm_of(struct ctx *c, const struct derived *d, int64_t until_us)
{
    char hex[2 * crypto_auth_hmacsha256_BYTES + 1];
    struct sealing s;
    struct bytes mac;

    sealing_begin(c, &s, "confirm");
    sealing_add(&s, &c->who->id, sizeof c->who->id);
    sealing_add(&s, &until_us, sizeof until_us);
    for (size_t i = 0; i < d->n; i++) {
        sealing_add(&s, &d->nodes[i].id, sizeof d->nodes[i].id);
        sealing_add(&s, d->nodes[i].content_hash.p, d->nodes[i].content_hash.n);
    }
    mac = sealing_end(c, &s);
    hex_encode(mac.p, 16, hex);
    return arena_printf(c->arena, "%lld.%s", (long long)until_us, hex);
}

err erase_check_confirm(struct ctx *c, const char *said, const struct derived *d)
{
    int64_t until = said ? strtoll(said, NULL, 10) : 0;

    if (!said)
        return fail_reason(c, ERR_INVALID, "confirm_missing", "erasing needs `confirm` of a dry run");
    if (until < c->now.us)
        return fail_reason(c, ERR_INVALID, "confirm_expired", "this confirm is no longer good; make another dry run");
    return str_eq(said, erase_confirm_of(c, d, until)) ? ERR_OK
           : fail_reason(c, ERR_INVALID, "confirm_mismatch", "what would be erased is no longer what the dry run showed");
}
