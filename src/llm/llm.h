/* Asking a language model for an answer of a given shape, within a time box and the account's daily budget. */
#ifndef LOCI_LLM_H
#define LOCI_LLM_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "enumx.h"
#include "json.h"

/* Which way was taken. Every caller has rules of its own that need no model; it goes by them unless this is `llm`, and
 * says which it was. */
#define LLM_USED(X) \
    X(LLM_USED_RULES, "rules")           /* no model is configured, or the account has switched it off */ \
    X(LLM_USED_LLM, "llm") \
    X(LLM_USED_BUDGET, "budget")         /* the tokens of the day are used up */ \
    X(LLM_USED_TIMEOUT, "timeout") \
    X(LLM_USED_FAILED, "failed")         /* the provider could not be reached, or refused */ \
    X(LLM_USED_BAD_ANSWER, "bad_answer") /* no JSON, or not of the schema, or too large */
ENUMX_DECLARE(llm_used, LLM_USED);

#define LLM_PROMPT_MAX (128 * 1024) /* bytes of system and user text together */
#define LLM_ANSWER_MAX (256 * 1024) /* bytes of what the provider sends */

struct llm_ask {
    const char *purpose;       /* a literal in snake_case: names the schema, and the caller in the metrics */
    const char *system, *user; /* user: also what others wrote; fence it, it is no instruction */
    /* JSON Schema of the answer: an object. Known here: type, properties, required, items, enum, minimum, maximum,
     * minItems, maxItems, minLength, maxLength, additionalProperties false. */
    const struct json *schema;
    int ms;         /* time box; 0: llm.timeout_ms. Never longer than what is left of the request's deadline */
    int max_tokens; /* of the answer; 0: 512 */
};

struct llm_answer {
    enum llm_used used;
    const struct json *json; /* fits the schema; NULL unless used is LLM_USED_LLM */
    const char *why;         /* for explain and logs when a model was asked in vain; else NULL */
    int64_t tokens;          /* what it cost */
};

/* Whether asking could lead to a model at all; costs nothing. */
bool llm_is_configured(const struct ctx *c);
/* Always leaves a usable *out, and c->fault as it was. Not inside a transaction: it touches the network. */
void llm_ask(struct ctx *c, const struct llm_ask *ask, struct llm_answer *out);

/* Tokens of the account: used today (UTC), and its limit. */
struct llm_budget {
    int64_t used, limit;
};
err llm_budget(struct ctx *c, struct llm_budget *out);

#endif
