/* The text of a bearer token: `loci_<8 characters>_<43 characters>`; only a keyed hash of the last part is kept. */
#ifndef LOCI_TOKEN_TEXT_H
#define LOCI_TOKEN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "app.h"

#define TOKEN_PREFIX 8
#define TOKEN_SECRET 43 /* 32 random bytes in base 62 */
#define TOKEN_HASH 32
#define TOKEN_TEXT (5 + TOKEN_PREFIX + 1 + TOKEN_SECRET + 1)

/* Splits a well-formed token; false: it is none. secret points into text. */
bool token_parse(const char *text, char prefix[TOKEN_PREFIX + 1], const char **secret);
void token_hash(const struct app *app, const char *secret, uint8_t hash[TOKEN_HASH]);
/* 32 random bytes in base 62. */
void token_random(char out[TOKEN_SECRET + 1]);

#endif
