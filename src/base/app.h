/* What the process owns and every request may read. */
#ifndef LOCI_APP_H
#define LOCI_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define SECRET_BYTES 32

struct buf;
struct change_hearer;
struct config;
struct ctx;
struct embed;
struct health_index;
struct health_part;
struct helpers;
struct job_list;
struct kv_feed;
struct kv_watch;
struct log;
struct metrics;
struct model_cache;
struct access_cache;
struct access_reads;
struct node_cache;
struct notification_rule;
struct node_touches;
struct op_table;
struct pace;
struct query_vectors;
struct question;
struct question_state;
struct recall_index;
struct recall_tools;
struct relay;
struct simd_kernels;
struct space_room;
struct uuid;
struct vector_feed;
struct views;

struct library {
    const char *name, *version;
};

#define VECTORS_COUNTED 10001 /* nodes without a vector; more are not counted to the end */

struct app {
    const struct config *conf;
    struct log *log;
    struct metrics *metrics;
    struct pace *pace;                           /* calls that were answered, until they are flushed (graph/speed.h); NULL: not counted */
    struct access_cache *access_cache;           /* compiled access sets, checked against Redis on each use */
    struct node_touches *touches;                /* reads that count as use, until they are flushed; NULL: not counted */
    struct access_reads *access_reads;           /* reads of contexts for their access log, until they are flushed; NULL: not noted */
    struct recall_index *recall;                 /* the accounts' nodes in memory; NULL in programs without recall */
    struct recall_tools *recall_tools;           /* what recalls share beside it; NULL without it */
    struct helpers *helpers;                     /* threads that do a part of a request's work (errand.h); NULL: none do */
    struct node_cache *node_cache;               /* nodes that were read by their id; NULL: none are kept */
    struct kv_watch *kv_watch;                   /* whether Redis hangs, for all threads; NULL: each finds out for itself */
    struct kv_feed *feed;                        /* tells what others change of what is held here; NULL: nothing is trusted */
    const struct change_hearer *const *hearers;  /* who holds such things (record/changes.h); ended by NULL; NULL: nobody */
    const struct op_table *ops;                  /* the call table; NULL in programs without transports */
    const struct space_room *const *space_rooms; /* kinds of space by room, ended by NULL; NULL in tests of the graph alone */
    const struct job_list *jobs;                 /* jobs and kinds of task; NULL in programs that promise none */
    const struct views *views;                   /* parsed templates; NULL in programs without pages */
    /* what /metrics adds from the stores, such as the queue's depth; ended by NULL; may be NULL */
    void (*const *gauges)(struct ctx *c, struct buf *out);
    uint8_t secret[SECRET_BYTES];        /* key of token hashes and signed cursors */
    struct helpers *embed_crew;          /* threads that make vectors while a processor is idle; NULL: who wants them makes them */
    struct embed *embed;                 /* who makes vectors of texts; NULL: nobody, in programs and tests without */
    struct model_cache *model_cache;     /* embedding models of accounts; NULL: read each time */
    struct query_vectors *query_vectors; /* of queries of the last minute; NULL: not kept */
    struct vector_feed *vector_feed;     /* nodes that wait for their vectors; NULL: the jobs find them */
    /* Told of nodes whose content is new, once their transaction is over (committed or not); quick; NULL: nobody listens. */
    void (*nodes_written)(struct ctx *c, const struct uuid *ids, size_t n);
    /* Told inside the transaction in which nodes are erased: whatever else holds their words must not, once it commits;
     * NULL in tests without recall. */
    err (*nodes_erased)(struct ctx *c);
    /* Told inside the transaction in which nodes whose time was over are archived: they give up what they hold; NULL in programs
     * that archive none. */
    err (*nodes_expired)(struct ctx *c, const struct uuid *ids, size_t n);
    /* Told when rows of an account were put in place with instants of their own, as an import does; quick; NULL: nobody listens. */
    void (*account_replaced)(const struct app *app, const struct uuid *account_id);
    /* Told when a call that writes took long: what it committed may carry an instant that others have looked beyond; quick; NULL:
     * nobody listens. */
    void (*wrote_late)(const struct app *app, const struct uuid *account_id, int64_t since_us);
    /* Those among old states of nodes that something else still refers to, which stay; marks them. NULL in tests without memory. */
    err (*states_held)(struct ctx *c, const struct uuid *ids, size_t n, bool *held);
    /* Says in health.h's words how the embedding model is; NULL in tests without one. */
    err (*ask_model)(struct ctx *c, struct health_part *p);
    /* The same, after asking it for something; for people who press a button. */
    err (*try_model)(struct ctx *c, struct health_part *p);
    err (*try_llm)(struct ctx *c, struct health_part *p); /* of the language model */
    const struct library *libraries;                      /* what the program runs with, ended by one without a name; NULL: not said */
    /* What is in memory of the caller's account, or of all where everywhere is; at most max rows. NULL in programs without recall. */
    void (*list_indexes)(struct ctx *c, bool everywhere, struct health_index *rows, size_t max, size_t *n);
    err (*ask_index)(struct ctx *c, struct health_part *p);       /* the same of the recall index; NULL in programs without */
    err (*ask_escalations)(struct ctx *c, struct health_part *p); /* whether a person has each of the account's; NULL in programs without */
    err (*ask_junk)(struct ctx *c, struct health_part *p);        /* of the account's memories; NULL in programs without memory */
    /* Told when a transaction is over that has made news (record/outbox.h), committed or not; quick; NULL: the jobs find them. */
    void (*news_made)(struct ctx *c);
    /* What is left to do in the caller's account: events without a number, nodes without a vector. NULL: there are none. */
    err (*events_waiting)(struct ctx *c, int64_t *n);
    err (*vectors_waiting)(struct ctx *c, int64_t max, int64_t *n); /* counted up to max: the fewer, the cheaper */
    /* Those who wait until all is settled ask there (jobs/settle.h); NULL: this process holds nothing. */
    struct kv_feed *settle_feed;
    /* Writes what this process has gathered. Returns what it holds of the relay's work in that account (nil: in all);
     * -1: it could not write. */
    int64_t (*settle_own)(struct ctx *c, struct uuid account_id);
    struct relay *relay; /* puts news into the event streams at once; NULL: the jobs do */
    /* Promises that these deliveries of webhooks are made (ids, and which promise of each it is); inside the transaction that
     * makes it their turn. NULL in programs without. */
    err (*deliver_later)(struct ctx *c, const struct uuid *ids, const int64_t *rounds, size_t n);
    const struct simd_kernels *simd; /* the widest this processor has, or what LOCI_SIMD names */
    /* Asks a person what recall did not find (recall/ask.h); NULL in programs without people. */
    err (*ask_human)(struct ctx *c, const struct question *q, struct question_state *out);
    /* What an agent's work proved to be worth (trust/trust.h), in the transaction that found it out; NULL in programs without trust. */
    err (*trust_evidence)(struct ctx *c, const struct uuid *agent_id, const char *kind, const struct uuid *subject, double quality);
    /* What the policies say to a notification that an agent sends this person (notify/notification.h); NULL: nothing. */
    err (*ask_alert)(struct ctx *c, const struct uuid *user_id, int severity, struct notification_rule *out);
    /* Promises, in the transaction of the use that made it worth it, that a short-term memory (by its version) is put into
     * long-term memory; NULL in programs without: there the nightly job finds it. */
    err (*promote_later)(struct ctx *c, const struct uuid *id, int64_t version);
    /* Promises vectors for nodes that change often, half a minute from now; inside the transaction of their change. NULL: the
     * job embedding_backfill finds them. */
    err (*embed_later)(struct ctx *c, const struct uuid *ids, size_t n);
    /* Promises vectors for nodes whose content is new, inside the transaction of their change: in a program that ends before it
     * could make them itself (CGI). NULL where nodes_written sees to it. */
    err (*vectors_later)(struct ctx *c, const struct uuid *ids, size_t n);
    /* The id behind a name that a caller wrote where an id is wanted ("me", a slug); ERR_INVALID with a sentence: it is no name. NULL:
     * ids only, in tests. */
    err (*id_of_agent)(struct ctx *c, const char *name, struct uuid *out);
    err (*id_of_space)(struct ctx *c, const char *name, struct uuid *out);
    /* What others write to an account, they write on its own node of the database: a read there need not ask the other nodes. */
    bool reads_at_home;
    const char *host;
};

#endif
