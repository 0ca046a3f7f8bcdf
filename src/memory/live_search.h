/* Live keys of an agent that have the words of a query: working and short-term memory, which nobody embeds. */
#ifndef LOCI_LIVE_SEARCH_H
#define LOCI_LIVE_SEARCH_H

#include "memory_search.h"

#define LIVE_KEYS 2000  /* of working memory, looked at by one search: the scopes written to last first */
#define LIVE_ROWS 500   /* of short-term memory that may have a word of the query: the newest */
#define LIVE_CHARS 4096 /* of a value, in which words are looked for */

/* A key with the beginning of what it holds, as JSON. */
struct live_key {
    const char *scope, *key, *value;
    struct uuid id;
    struct instant created_at, expires_at; /* 0: not asked for */
};

/* Those that have a word of in->query, in no order; past the gate. ERR_UNAVAILABLE: Redis is away. */
err live_search_working(struct ctx *c, const struct memory_search *in, struct list *hits);
err live_search_short_term(struct ctx *c, const struct memory_search *in, struct list *hits);

/* What is in the agent's working memory, in all its scopes, the one written to last first; at most LIVE_KEYS. Asks the gate. */
err live_working(struct ctx *c, struct uuid agent_id, struct live_key **keys, size_t *n);

#endif
