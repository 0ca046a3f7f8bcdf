/* Opening a connection to Redis; only the files of store/kv*.c include this. */
#ifndef LOCI_KV_DIAL_H
#define LOCI_KV_DIAL_H

#include <hiredis/hiredis.h>
#include <stdbool.h>

struct config;

/* Connected, signed in, with time-outs; NULL when that cannot be had: then *nobody (may be NULL) says whether that is
 * because nobody listens there. */
redisContext *kv_dial(const struct config *conf, bool *nobody);

#endif
