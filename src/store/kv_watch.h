/* A Redis that hangs makes one thread of a process wait, not all of them time and again; only the files of store/kv*.c include
 * this. Whoever waited in vain leaves his connection here: as long as nothing comes on it, Redis has served nobody since. */
#ifndef LOCI_KV_WATCH_H
#define LOCI_KV_WATCH_H

#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdint.h>

#include "kv.h"

/* Takes over a connection that a command was sent on then and that is not answered. w NULL: nobody watches, it ends. */
void kv_watch_leave(struct kv_watch *w, redisContext *rc, int64_t sent_us);
/* Since when (monotonic) Redis answers nobody; 0: it may answer. */
int64_t kv_watch_mute_since(struct kv_watch *w);
/* Puts an empty message for those who listen to the channel where Redis will find it before it serves anybody else. One is
 * enough, however often this is called. false: it answers again, or cannot be told. */
bool kv_watch_leave_word(struct kv_watch *w, const char *channel);

#endif
