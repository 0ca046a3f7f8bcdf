/* The recall index of a process: for each account in use a cache of its nodes, vectors and edges, read from MariaDB. */
#ifndef LOCI_INDEX_H
#define LOCI_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "snapshot.h"

struct buf;
struct metrics;
struct simd_kernels;
struct recall_index; /* struct app.recall */

struct recall_options {
    const struct simd_kernels *simd;
    size_t budget;            /* bytes of all accounts; one that is larger alone is kept */
    int64_t max_staleness_us; /* what was read so long ago is asked for again; 0: always */
    int64_t reload_after_us;  /* an index of this age is read anew, beside its use */
    bool packs;               /* an account that was packed is read from there; see index_pack.h */
    int64_t sweep_every_us;   /* see index_tick(); 0: RECALL_SWEEP_US */
    size_t cells_from;        /* vectors of a segment that are put into cells; 0: DENSE_CELLS_FROM */
};
#define RECALL_RELOAD_US DAY_US
#define RECALL_SWEEP_US (30 * SECOND_US)

struct recall_index *recall_index_new(const struct recall_options *o, struct metrics *m);
void recall_index_free(struct recall_index *ri);

/* The caller's account as it is now; it is the caller's until the end of the request (arena_reset). At first use it is
 * read, which takes what time the deadline leaves; what is not done then, the next call goes on with.
 * *degraded: NULL; "index_loading" (*out may be empty), "index_stale" (MariaDB could not be asked what changed). */
err index_snapshot(struct ctx *c, const struct snapshot **out, const char **degraded);

/* For work that may be done twice: begins it with the account as it was at the last look while MariaDB is asked what has
 * changed since, and says at its end whether something has: then it is to be done again with *out. *look: NULL when *out is
 * as index_snapshot() has it, and nothing is open. */
struct index_look;
err index_look_begin(struct ctx *c, const struct snapshot **out, const char **degraded, struct index_look **look);
err index_look_end(struct ctx *c, struct index_look *look, const struct snapshot **out, const char **degraded, bool *changed);

/* To be called every second or so, by one thread of a program that stays: looks for what committed very late, and whether
 * an account's model is another now, for one account that is in use. */
void index_tick(struct ctx *c);

/* Starts a thread that keeps accounts current while so much changes in them that requests do not read all of it again; begin and
 * end are called by it around its life. Before the first request; without it requests read everything. */
void index_keep_begin(const struct app *app, void (*begin)(struct ctx *c), void (*end)(struct ctx *c));
/* After the last request. false: it waits for a server, and still runs. */
bool index_keep_end(struct recall_index *ri);

/* For struct app.wrote_late: the next look reads what changed since then, however much that is. */
void index_wrote_late(const struct app *app, const struct uuid *account_id, int64_t since_us);

/* Forgets what is held of the caller's account; the next use reads it anew. */
void index_forget(struct ctx *c);

/* For struct app.account_replaced: what is held of it does not know of rows that came with older instants; the next use reads
 * it anew. */
void index_replaced(const struct app *app, const struct uuid *account_id);

struct index_stats {
    size_t accounts, nodes, edges, segments, bytes;
    size_t codes_only;                       /* accounts that hold codes of their vectors only */
    size_t dead;                             /* rows that were replaced or are gone, and still take memory */
    int64_t oldest_us;                       /* since the account that was read first was read */
    int64_t loads, packs, evictions, merges; /* packs: loads from one */
};
void index_stats(struct recall_index *ri, struct index_stats *out);
void index_metrics(struct ctx *c, struct buf *out); /* for /metrics */
struct index_account {
    struct uuid account_id;
    size_t nodes, bytes;
    int64_t age_us;
    bool reading, codes_only;
};
/* At most max of them, or only that one (NULL: all); how many there are in rows. */
size_t index_accounts(struct recall_index *ri, const struct uuid *only, struct index_account *rows, size_t max);
/* Returns once no merge is under way or due. */
void index_settle(struct recall_index *ri);

#endif
