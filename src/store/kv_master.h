/* Which Redis is the master now, as its Sentinels say; only the files of store/kv*.c include this. Without redis.sentinels there
 * is one that never changes. docs/decisions/0063-hosts.md says why the times below hold. */
#ifndef LOCI_KV_MASTER_H
#define LOCI_KV_MASTER_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "kv_feed.h"

struct config;

#define MASTER_HOST 256
/* What one Sentinel knows all know this much later. */
#define MASTER_LAG_US (2 * SECOND_US)
/* Who publishes has asked within this. */
#define MASTER_SURE_US SECOND_US
/* A line to a master is not trusted before others have left the one before, … */
#define MASTER_LISTEN_US (MASTER_LAG_US + MASTER_SURE_US + SECOND_US / 5)
/* … and nobody publishes there before all lines to the one before have lapsed. */
#define MASTER_RIPE_US (MASTER_LAG_US + KV_FEED_TRUST_US + SECOND_US / 5)

/* Asks a Sentinel, if nobody did within max_age_us. false: none answers, or none knows. Always true without Sentinels. */
bool kv_master_confirm(const struct config *conf, int64_t max_age_us);
/* Where it was when it was last asked. false: nobody has said yet. */
bool kv_master_at(const struct config *conf, char host[MASTER_HOST], int *port);
/* A new connection: is it one to the master, and since when has that been the one? What it needs to know for kv_master_ripe_us. */
bool kv_master_greet(const struct config *conf, redisContext *rc);
/* When (monotonic) messages may be published; 0: now. */
int64_t kv_master_ripe_us(const struct config *conf);

#endif
