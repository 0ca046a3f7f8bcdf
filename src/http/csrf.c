/* Random bytes, and behind them the token's combined with them, in base64; see csrf.h. */
#include "csrf.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#define LONGEST 64 /* bytes of a token */
#define ALPHABET sodium_base64_VARIANT_URLSAFE_NO_PADDING

static void combine(unsigned char *out, const unsigned char *veil, const unsigned char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = veil[i] ^ text[i];
}

const char *csrf_veiled(struct arena *a, const char *token)
{
    unsigned char both[2 * LONGEST];
    size_t n = strlen(token), room = sodium_base64_ENCODED_LEN(2 * n, ALPHABET);

    assert(n <= LONGEST);
    randombytes_buf(both, n);
    combine(both + n, both, (const unsigned char *)token, n);
    return sodium_bin2base64(arena_alloc(a, room), room, both, 2 * n, ALPHABET);
}

bool csrf_fits(const char *veiled, const char *token)
{
    unsigned char both[2 * LONGEST];
    size_t got = 0, n = token ? strlen(token) : 0;

    if (!veiled || !n || n > LONGEST ||
        sodium_base642bin(both, sizeof both, veiled, strlen(veiled), NULL, &got, NULL, ALPHABET) || got != 2 * n)
        return false;
    combine(both, both, both + n, n);
    return sodium_memcmp(both, token, n) == 0;
}
