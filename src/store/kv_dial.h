/* Opening a connection to Redis; only the files of store/kv*.c include this. */
#ifndef LOCI_KV_DIAL_H
#define LOCI_KV_DIAL_H

#include <hiredis/hiredis.h>
#include <stdbool.h>

struct config;
struct kv_watch;

/* Connected, signed in, with time-outs; NULL when that cannot be had: then *nobody (may be NULL) says whether that is
 * because nobody listens there. What is not answered goes to w (may be NULL). */
redisContext *kv_dial(const struct config *conf, struct kv_watch *w, bool *nobody);
/* After a command without an answer: has Redis said nothing so far? Else the connection has ended. */
bool kv_is_mute(const redisContext *rc);

#endif
