/* What the files of the Redis client share; only store/kv.c and store/kv_publish.c include this. */
#ifndef LOCI_KV_IMPL_H
#define LOCI_KV_IMPL_H

#include "kv.h"
#include "kv_watch.h"

#define SCRIPTS_MAX 64
#define SHA_TEXT 41

/* Digests are of the text alone, so they outlive a connection. */
struct script {
    const char *text; /* a literal, known by its address */
    char sha[SHA_TEXT];
};

struct kv {
    const struct config *conf;
    redisContext *rc; /* NULL: not connected */
    bool owed;        /* an answer that nobody waited for is still to come */
    int64_t sent_us;  /* when the last command was sent */
    struct kv_watch *watch;
    uint64_t master; /* which one it is connected to (kv_master_number) */
    int64_t refused_us;
    struct script scripts[SCRIPTS_MAX];
    size_t n_scripts;
};

enum kv_told { KV_TOLD, KV_REFUSED, KV_CLOSED, KV_GONE, KV_MUTE };

void kv_hang_up(struct kv *kv);
/* Dials; kv->rc NULL: in vain. */
void kv_take_line(struct kv *kv, bool *nobody);
/* Between two commands Redis has nothing to say: a readable socket is a goodbye. */
bool kv_is_alive(const redisContext *rc);
/* After a command without an answer: KV_CLOSED or KV_MUTE. Ends the connection, or leaves it to the watch. */
enum kv_told kv_no_answer(struct kv *kv);
/* Reads the answer that is owed, so that it is not taken for the next one's. What it says is too late for anybody. */
enum kv_told kv_settle(struct kv *kv);
/* Counted, and ERR_UNAVAILABLE. */
err kv_away(struct ctx *c);

#endif
