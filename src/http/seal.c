/* XChaCha20-Poly1305 over JSON with the time it was sealed at; see seal.h. */
#include "seal.h"

#include <sodium.h>
#include <string.h>

#include "app.h"

#define NONCE crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define TAG crypto_aead_xchacha20poly1305_ietf_ABYTES
#define KEY crypto_aead_xchacha20poly1305_ietf_KEYBYTES
#define CLOCKS_DIFFER (60 * SECOND_US) /* of two hosts, at most */

/* A key of its own: what this one is used for must not touch the hashes of tokens. */
static void seal_key_of(const struct app *app, uint8_t key[KEY])
{
    static const char PURPOSE[] = "loci admin seal";

    crypto_generichash(key, KEY, (const uint8_t *)PURPOSE, sizeof PURPOSE - 1, app->secret, SECRET_BYTES);
}

const char *seal(struct ctx *c, const char *binding, const struct json *what)
{
    struct json *j = json_obj(c->arena);
    const char *text;
    unsigned long long n;
    uint8_t key[KEY], *out;

    json_set_int(c->arena, j, "at", c->now.us);
    json_set(c->arena, j, "what", arena_memdup(c->arena, what, sizeof *what));
    text = json_text(c->arena, j);
    out = arena_alloc(c->arena, NONCE + strlen(text) + TAG);
    randombytes_buf(out, NONCE);
    seal_key_of(c->app, key);
    crypto_aead_xchacha20poly1305_ietf_encrypt(out + NONCE, &n, (const uint8_t *)text, strlen(text),
                                               (const uint8_t *)binding, strlen(binding), NULL, out, key);
    sodium_memzero(key, sizeof key);
    return b64url_encode(c->arena, out, NONCE + (size_t)n);
}

const struct json *seal_open(struct ctx *c, const char *binding, const char *text, int64_t max_age_us)
{
    struct bytes raw;
    struct json *j;
    const char *why;
    uint8_t key[KEY], *plain;
    unsigned long long n;
    int64_t age;
    int bad;

    if (!text || !b64url_decode(c->arena, text, &raw) || raw.n < NONCE + TAG)
        return NULL;
    plain = arena_alloc(c->arena, raw.n);
    seal_key_of(c->app, key);
    bad = crypto_aead_xchacha20poly1305_ietf_decrypt(plain, &n, NULL, (const uint8_t *)raw.p + NONCE, raw.n - NONCE,
                                                     (const uint8_t *)binding, strlen(binding), raw.p, key);
    sodium_memzero(key, sizeof key);
    if (bad || json_parse(c->arena, (const char *)plain, (size_t)n, &j, &why) != JSON_OK)
        return NULL;
    age = c->now.us - json_get_int(j, "at", 0);
    return age >= -CLOCKS_DIFFER && age <= max_age_us ? json_get(j, "what") : NULL;
}
