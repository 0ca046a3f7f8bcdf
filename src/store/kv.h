/* Redis behind a small door: commands with lengths, time-outs, reconnecting; "away" is an answer, not a
 * crash. */
#ifndef LOCI_KV_H
#define LOCI_KV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "str.h"

struct config;
struct kv;
struct kv_watch;

/* What the threads of a process share (struct app.kv_watch; may be NULL): once one of them has waited in vain for an answer,
 * Redis counts as away for all of them until it says something. */
struct kv_watch *kv_watch_new(void);
void kv_watch_free(struct kv_watch *w);

/* A connection of one thread; it connects at first use and again after a loss (not more often than once a
 * second). */
struct kv *kv_open(const struct config *conf);
void kv_close(struct kv *kv);

/* For an operator: connects once, and names the address and the reason when that fails; NULL: it works. */
const char *kv_why_away(struct arena *a, const struct config *conf);

/* Counts the masters that Sentinels have named since the program began; what was learned from another one may have vanished. */
uint64_t kv_master_number(void);
/* Which one it is, for an operator; "": there are no Sentinels, or none has named one. */
const char *kv_master_text(struct arena *a, const struct config *conf);

enum kv_type { KV_NIL, KV_INT, KV_TEXT, KV_LIST };

struct kv_reply {
    enum kv_type type;
    int64_t i;
    const char *s; /* NUL-terminated, in the request's arena */
    size_t len;
    struct kv_reply *items; /* KV_LIST */
    size_t n;
};

struct kv_arg {
    const char *p;
    size_t n;
};
struct kv_arg kv_text(const char *s);
struct kv_arg kv_bytes(struct bytes b);
struct kv_arg kv_i64(struct ctx *c, int64_t v);
struct kv_arg kv_fmt(struct ctx *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One command. ERR_UNAVAILABLE when Redis is away, ERR_INTERNAL when it refuses the command. reply may be
 * NULL. What must happen together is a script: between MULTI and EXEC a connection may end and another
 * take its place. A command whose answer got lost is not repeated: it may have happened. */
#define kv_cmd(c, reply, ...)                                                                                \
    kv_cmd_((c), (reply), (const struct kv_arg[]){ __VA_ARGS__ },                                            \
            sizeof((const struct kv_arg[]){ __VA_ARGS__ }) / sizeof(struct kv_arg))
err kv_cmd_(struct ctx *c, struct kv_reply *reply, const struct kv_arg *args, size_t n);

/* A Lua script (a literal), sent by its digest and, where Redis does not know it yet, by its text. The
 * first n_keys arguments are its KEYS. */
#define kv_eval(c, reply, script, n_keys, ...)                                                               \
    kv_eval_((c), (reply), (script), (n_keys), (const struct kv_arg[]){ __VA_ARGS__ },                       \
             sizeof((const struct kv_arg[]){ __VA_ARGS__ }) / sizeof(struct kv_arg))
err kv_eval_(struct ctx *c, struct kv_reply *reply, const char *script, int n_keys, const struct kv_arg *args,
             size_t n);

/* The same for a script whose answer matters to nobody: it is sent, and its answer is read before the connection's next
 * command. ERR_OK says that it is on its way; whether it happened nobody learns. */
err kv_eval_later_(struct ctx *c, const char *script, int n_keys, const struct kv_arg *args, size_t n);

err kv_ping(struct ctx *c);

/* Publishes to those who listen by kv_feed.h. When it returns ERR_OK, each of them has the message in its socket, or will not
 * trust its line any more before it has a new one: where Redis cannot be reached it waits until that is so, which
 * takes no longer than KV_FEED_TRUST_US and a little, and no time at all once it has been away for so long; when it comes back
 * they hear an empty message, which stands for any. ERR_UNAVAILABLE: Redis is there and refuses. channel is a literal and,
 * like text, holds no NUL. */
err kv_publish(struct ctx *c, const char *channel, const char *text);

#endif
