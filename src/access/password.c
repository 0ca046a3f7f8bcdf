/* Argon2id by libsodium; see password.h. */
#include "password.h"

#include <sodium.h>
#include <string.h>

#include "app.h"
#include "config.h"
#include "limit.h"

struct cost {
    unsigned long long ops;
    size_t mem;
};

static struct cost cost(const struct ctx *c)
{
    if (c->app->conf->argon_fast)
        return (struct cost){crypto_pwhash_OPSLIMIT_MIN, crypto_pwhash_MEMLIMIT_MIN};
    return (struct cost){crypto_pwhash_OPSLIMIT_INTERACTIVE, crypto_pwhash_MEMLIMIT_INTERACTIVE};
}

err password_hash(struct ctx *c, const char *pointer, const char *password, const char **out)
{
    struct cost k = cost(c);
    char *text = arena_alloc(c->arena, crypto_pwhash_STRBYTES);
    size_t n = password ? strlen(password) : 0;

    if (n < LIMIT_PASSWORD_MIN || n > LIMIT_PASSWORD)
        return fail_field(c, pointer, "a password must be %d to %d bytes long", LIMIT_PASSWORD_MIN, LIMIT_PASSWORD);
    if (crypto_pwhash_str(text, password, n, k.ops, k.mem) != 0)
        return fail(c, ERR_UNAVAILABLE, "not enough memory to hash a password; try again");
    *out = text;
    return ERR_OK;
}

/* The same work as a check, for nobody. */
static void password_work(struct ctx *c, const char *password, size_t n)
{
    static const unsigned char salt[crypto_pwhash_SALTBYTES];
    struct cost k = cost(c);
    unsigned char key[32];

    (void)!crypto_pwhash(key, sizeof key, password, n, salt, k.ops, k.mem, crypto_pwhash_ALG_ARGON2ID13);
    sodium_memzero(key, sizeof key);
}

bool password_matches(struct ctx *c, const char *hash, const char *password)
{
    size_t n = password ? strlen(password) : 0;

    if (n > LIMIT_PASSWORD)
        return false;
    if (!hash) {
        password_work(c, password ? password : "", n);
        return false;
    }
    return crypto_pwhash_str_verify(hash, password ? password : "", n) == 0;
}
