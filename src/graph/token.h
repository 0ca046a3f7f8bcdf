/* Bearer tokens of users and agents: `loci_<8 characters>_<43 characters>`; only a keyed hash of the last part is kept. */
#ifndef LOCI_TOKEN_H
#define LOCI_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app.h"
#include "ctx.h"
#include "enumx.h"
#include "list.h"
#include "page.h"
#include "principal.h"
#include "thing_table.h"

#define TOKEN_PREFIX 8
#define TOKEN_SECRET 43 /* 32 random bytes in base 62 */
#define TOKEN_HASH 32
#define TOKEN_TEXT (5 + TOKEN_PREFIX + 1 + TOKEN_SECRET + 1)

struct token {
    struct uuid id, user_id, agent_id; /* one of the owners is nil; of one that is created, both: the caller */
    const char *name, *prefix;
    struct strs scopes; /* n == 0: all that its owner may */
    struct bytes hash;  /* never read */
    struct instant expires_at, revoked_at, last_used_at, created_at;
    const char *last_ip;
    enum toolset toolset;
    const char *secret; /* the whole token: in the answer of token_create only */
};
extern const struct thing TOKEN;

struct token_filter {
    struct uuid user_id, agent_id; /* nil: any */
    bool with_revoked;
    int64_t limit;
    const char *cursor;
};

/* For oneself, or with account.manage for somebody else who may no more than the caller. A token never gives more than
 * its maker has, and never outlives the token it was made with. */
err token_create(struct ctx *c, const struct token *in, struct token *out);
/* Without account.manage one sees one's own only. */
err token_get(struct ctx *c, struct uuid id, struct token *out);
err token_list(struct ctx *c, const struct token_filter *f, struct page *out);
/* Stops it with the next request, everywhere. Doing it twice is doing it once. */
err token_revoke(struct ctx *c, const struct thing_key *key);

/* ---- the text of a token */

/* Splits a well-formed token; false: it is none. secret points into text. */
bool token_parse(const char *text, char prefix[TOKEN_PREFIX + 1], const char **secret);
void token_hash(const struct app *app, const char *secret, uint8_t hash[TOKEN_HASH]);
/* 32 random bytes in base 62. */
void token_random(char out[TOKEN_SECRET + 1]);

#endif
