/* What a text amounts to: its hash and its size in tokens. */
#ifndef LOCI_CONTENT_H
#define LOCI_CONTENT_H

#include <stdint.h>

#include "arena.h"
#include "json.h"
#include "str.h"

/* SHA-256 of title, body and attrs, each with its length; attrs in canonical form (members sorted, 1.0 as 1). */
struct bytes content_hash(struct arena *a, const char *title, const char *body, const struct json *attrs);
/* Hash of a question of somebody ("": of anybody): spaces and the case of ASCII letters make no other question. */
struct bytes content_question_hash(struct arena *a, const char *who, const char *query);
/* The canonical text of a tree; a JSON_RAW inside is taken as it stands. */
void content_canonical(struct buf *out, const struct json *j);
/* An estimate that needs no model: four ASCII characters a token, one for a character of scripts without spaces, two
 * characters of the others. */
int64_t content_tokens(const char *text);

#endif
