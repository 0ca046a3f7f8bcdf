/* Is everything done that goes on behind the answers? Asked by tests and operators, who wait for it; docs/decisions/0026-clock.md. */
#ifndef LOCI_SETTLE_H
#define LOCI_SETTLE_H

#include "ctx.h"
#include "enumx.h"
#include "list.h"

struct app;
struct config;
struct kv_feed;

#define SETTLE_PART(X) \
    X(SETTLE_RELAY, "relay") X(SETTLE_VECTORS, "vectors") X(SETTLE_USES, "uses") X(SETTLE_QUEUE, "queue") X(SETTLE_RUNS, "runs")
ENUMX_DECLARE(settle_part, SETTLE_PART);
#define LIMIT_SETTLE_KINDS 16
#define LIMIT_SETTLE_WAIT_S 25 /* below what a request may take */
#define SETTLE_PARTS (SETTLE_RUNS + 1)

struct settle_wish {
    const char *account;      /* its slug; NULL: all accounts */
    struct strs parts, kinds; /* none: all of them */
    int64_t wait_s;
};

/* How much each part still has to do; a part that was not asked for has nothing. */
struct settle_state {
    bool settled;
    int64_t relay;   /* events without a number, or not published */
    int64_t vectors; /* nodes that wait for a vector; counted up to a limit */
    int64_t uses;    /* processes that hold uses and reads which are not written */
    int64_t queue;   /* tasks that are due or running */
    int64_t runs;    /* runs of jobs that wait or are under way */
    int64_t later;   /* tasks that wait for their time; they do not count */
};

/* Waits until all is done, at most wait_s seconds, and says how it stands. ERR_UNAVAILABLE: Redis is away: no process can be asked. */
err settle_wait(struct ctx *c, const struct settle_wish *w, struct settle_state *out);

/* ---- the other side: a process that holds something (struct app.settle_feed, struct app.settle_own) */

struct kv_feed *settle_feed_new(const struct config *conf);
void settle_feed_free(struct kv_feed *f);
/* Readable: somebody asks. -1: not connected. */
int settle_feed_fd(const struct app *app);
/* Writes what this process holds and answers those who ask. By the one thread that keeps the feed. */
void settle_hear(struct ctx *c);
/* The same, about once a second: it also keeps the connection. */
void settle_tick(struct ctx *c);

#endif
