/* Secrets and signatures of webhooks: those of Standard Webhooks, so that a receiver verifies them with a stock library. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "webhook_impl.h"

#define NONCE crypto_secretbox_NONCEBYTES
#define MAC crypto_secretbox_MACBYTES

/* A key of its own for each webhook: a sealed secret that is copied to another row does not open there. */
static void webhook_sign_key_of(const struct app *app, struct uuid id, uint8_t key[crypto_secretbox_KEYBYTES])
{
    static const char PURPOSE[] = "loci webhook secret";
    uint8_t what[sizeof PURPOSE - 1 + sizeof id.b];

    memcpy(what, PURPOSE, sizeof PURPOSE - 1);
    memcpy(what + sizeof PURPOSE - 1, id.b, sizeof id.b);
    crypto_generichash(key, crypto_secretbox_KEYBYTES, what, sizeof what, app->secret, SECRET_BYTES);
}

void webhook_secret_make(uint8_t secret[WEBHOOK_SECRET])
{
    randombytes_buf(secret, WEBHOOK_SECRET);
}

static char *base64(struct arena *a, const uint8_t *p, size_t n)
{
    size_t size = sodium_base64_encoded_len(n, sodium_base64_VARIANT_ORIGINAL);
    char *out = arena_alloc(a, size);

    return sodium_bin2base64(out, size, p, n, sodium_base64_VARIANT_ORIGINAL);
}

const char *webhook_secret_text(struct arena *a, const uint8_t secret[WEBHOOK_SECRET])
{
    return arena_printf(a, "whsec_%s", base64(a, secret, WEBHOOK_SECRET));
}

struct bytes webhook_seal(struct ctx *c, struct uuid id, const uint8_t secret[WEBHOOK_SECRET])
{
    uint8_t *out = arena_alloc(c->arena, NONCE + MAC + WEBHOOK_SECRET), key[crypto_secretbox_KEYBYTES];

    randombytes_buf(out, NONCE);
    webhook_sign_key_of(c->app, id, key);
    crypto_secretbox_easy(out + NONCE, secret, WEBHOOK_SECRET, out, key);
    sodium_memzero(key, sizeof key);
    return (struct bytes){out, NONCE + MAC + WEBHOOK_SECRET};
}

err webhook_unseal(struct ctx *c, const struct webhook *w, uint8_t secret[WEBHOOK_SECRET])
{
    const uint8_t *in = w->sealed.p;
    uint8_t key[crypto_secretbox_KEYBYTES];
    int bad = 1;

    webhook_sign_key_of(c->app, w->id, key);
    if (w->sealed.n == NONCE + MAC + WEBHOOK_SECRET)
        bad = crypto_secretbox_open_easy(secret, in + NONCE, MAC + WEBHOOK_SECRET, in, key);
    sodium_memzero(key, sizeof key);
    return bad ? fail(c, ERR_INVALID, "security.secret was changed: rotate the webhook's secret") : ERR_OK;
}

const char *webhook_signature(struct arena *a, const uint8_t secret[WEBHOOK_SECRET], const char *id, int64_t timestamp, const char *body)
{
    const char *text = arena_printf(a, "%s.%lld.%s", id, (long long)timestamp, body);
    crypto_auth_hmacsha256_state h;
    uint8_t mac[crypto_auth_hmacsha256_BYTES];

    crypto_auth_hmacsha256_init(&h, secret, WEBHOOK_SECRET);
    crypto_auth_hmacsha256_update(&h, (const uint8_t *)text, strlen(text));
    crypto_auth_hmacsha256_final(&h, mac);
    return arena_printf(a, "v1,%s", base64(a, mac, sizeof mac));
}
