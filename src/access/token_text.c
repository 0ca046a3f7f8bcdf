/* How a token is written, taken apart and hashed. */
#include "token_text.h"

#include <sodium.h>
#include <string.h>

#include "str.h"

static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static bool is_digits(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!s[i] || !strchr(DIGITS, s[i]))
            return false;
    return true;
}

bool token_parse(const char *text, char prefix[TOKEN_PREFIX + 1], const char **secret)
{
    if (!text || strlen(text) != TOKEN_TEXT - 1 || !str_starts(text, "loci_") || text[5 + TOKEN_PREFIX] != '_' ||
        !is_digits(text + 5, TOKEN_PREFIX) || !is_digits(text + 6 + TOKEN_PREFIX, TOKEN_SECRET))
        return false;
    memcpy(prefix, text + 5, TOKEN_PREFIX);
    prefix[TOKEN_PREFIX] = 0;
    *secret = text + 6 + TOKEN_PREFIX;
    return true;
}

void token_hash(const struct app *app, const char *secret, uint8_t hash[TOKEN_HASH])
{
    crypto_generichash(hash, TOKEN_HASH, (const unsigned char *)secret, strlen(secret), app->secret, SECRET_BYTES);
}

/* The bytes as one number, its digits from the last to the first. */
void token_random(char out[TOKEN_SECRET + 1])
{
    uint8_t n[32];

    randombytes_buf(n, sizeof n);
    out[TOKEN_SECRET] = 0;
    for (int d = TOKEN_SECRET - 1; d >= 0; d--) {
        unsigned rest = 0;

        for (size_t i = 0; i < sizeof n; i++) {
            unsigned v = rest << 8 | n[i];

            n[i] = (uint8_t)(v / 62);
            rest = v % 62;
        }
        out[d] = DIGITS[rest];
    }
    sodium_memzero(n, sizeof n);
}
