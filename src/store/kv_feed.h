/* A subscription to one Redis channel, shared by the threads of a process: what was published before a question is
 * asked (kv_publish has returned) has been heard when it is answered, without a round trip. */
#ifndef LOCI_KV_FEED_H
#define LOCI_KV_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "clock.h"

struct config;
struct kv_feed;

/* A line is trusted for so long after a PING was sent on it that Redis has answered; then it is given up. */
#define KV_FEED_TRUST_US (3 * SECOND_US)

/* channel is a literal. Nothing is connected yet. */
struct kv_feed *kv_feed_new(const struct config *conf, const char *channel);
void kv_feed_free(struct kv_feed *f);

/* About once a second, by one thread, after a kv_feed_drain: connects and subscribes where needed, and makes sure that the
 * line still lives. */
void kv_feed_keep(struct kv_feed *f);

/* Takes what has arrived, without waiting; heard() gets each message, one thread at a time. Returns which subscription
 * this is: another number means that messages may have been missed in between, 0 that just now nobody knows whether something
 * was missed. */
uint64_t kv_feed_drain(struct kv_feed *f, void (*heard)(void *arg, const char *message), void *arg);

/* For the one thread that keeps it: readable when there is something to drain; -1: not connected. */
int kv_feed_fd(const struct kv_feed *f);

#endif
