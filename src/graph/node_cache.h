/* Nodes of one process that were read by their id: rows as MariaDB has them, shared by reference; the longest unused go
 * first. It decides nothing about who may see what. How it stays true: docs/decisions/0008-node-cache.md. */
#ifndef LOCI_NODE_CACHE_H
#define LOCI_NODE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node.h"

#define NODE_CACHE_ENTRY 65536             /* a larger node is not kept */
#define NODE_CACHE_AGE_US (60 * SECOND_US) /* read again after this in any case */

struct node_cache;

struct node_key {
    struct uuid account_id, id;
};

/* budget: bytes. NULL, which every function accepts, when that is 0. */
struct node_cache *node_cache_new(size_t budget);
void node_cache_free(struct node_cache *cache);

/* What was known at one moment; a row read later may be kept while nothing else is. */
struct node_moment {
    uint64_t subscription, node, account;
};

/* The row, whose texts live as long as the arena; false: none. at gets the moment, for node_cache_keep. */
bool node_cache_find(struct node_cache *cache, uint64_t subscription, const struct node_key *key, struct arena *a,
                     struct node *out, struct node_moment *at);
/* The same for who looks neither at counters nor at the score and the instants that reading moves: they may be older. */
bool node_cache_find_content(struct node_cache *cache, uint64_t subscription, const struct node_key *key, struct arena *a,
                             struct node *out, struct node_moment *at);
/* Keeps a copy of a row that was read after `at` while no transaction had it locked for a change, unless something was heard
 * of it since. */
void node_cache_keep(struct node_cache *cache, const struct node_moment *at, const struct node_key *key, const struct node *n);

void node_cache_forget(struct node_cache *cache, const struct node_key *key);
/* Its counters and its score are other ones now. */
void node_cache_used(struct node_cache *cache, const struct node_key *key);
void node_cache_forget_account(struct node_cache *cache, struct uuid account_id);
void node_cache_forget_all(struct node_cache *cache);

/* Which connection to MariaDB lives (db_connection). Another one than before ends everything: a server that died may have
 * lost a change that could be read and was not acknowledged yet. */
void node_cache_source(struct node_cache *cache, uint64_t connection);

struct node_cache_state {
    size_t entries, bytes;
    uint64_t hits, misses;
};
struct node_cache_state node_cache_state(struct node_cache *cache);
/* For /metrics. */
void node_cache_metrics(struct ctx *c, struct buf *out);

#endif
