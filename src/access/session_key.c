/* Session cookies, written and taken apart; see session_key.h. */
#include "session_key.h"

#include <string.h>

#include "str.h"

static void session_key_of(const struct app *app, const char *secret, struct session_key *out)
{
    uint8_t hash[TOKEN_HASH];

    token_hash(app, secret, hash);
    hex_encode(hash, sizeof hash, out->id);
}

bool session_key(const struct app *app, const char *cookie, struct session_key *out)
{
    if (!cookie || strlen(cookie) != SESSION_COOKIE - 1 || cookie[32] != '.' ||
        !hex_decode(cookie, 32, out->account_id.b) ||
        strspn(cookie + 33, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != TOKEN_SECRET)
        return false;
    session_key_of(app, cookie + 33, out);
    return true;
}

const char *session_cookie(struct ctx *c, struct session_key *out)
{
    char account[33], secret[TOKEN_SECRET + 1];

    token_random(secret);
    hex_encode(c->account_id.b, 16, account);
    out->account_id = c->account_id;
    session_key_of(c->app, secret, out);
    return arena_printf(c->arena, "%s.%s", account, secret);
}
