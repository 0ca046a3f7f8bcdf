/* Shared by the files of index. */
#ifndef LOCI_INDEX_IMPL_H
#define LOCI_INDEX_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "db.h"
#include "index.h"

#define OVERLAP_US (35 * SECOND_US)        /* a commit may come half a minute after the instant it carries, clocks differ … */
#define SWEEP_OVERLAP_US (900 * SECOND_US) /* … and a job's so long: asked for now and then, beside requests */
#define HASTY_OVERLAP_US (2 * SECOND_US)   /* where so much changes that a request cannot read all of it again … */
#define FLOOD_ROWS 512                     /* … which is more than that many; then index_keep() reads the whole overlap */
#define INDEX_KEEP_US 250000               /* the keeper looks as often as that … */
#define INDEX_WHOLE_US (5 * SECOND_US)     /* … and so often with the whole overlap */
#define VECTORS_SHARE 8                    /* of the budget: a larger account holds codes only */
#define MERGE_HERE_ROWS 4096               /* more than that is merged by a thread of its own */

/* What is read of nodes at once is opened in an arena of its own. It is small, so that an index that is read takes no memory from
 * requests: a piece that does not fit is read in halves. */
#define INDEX_PIECE_BYTES (48u * 1024 * 1024)

static inline struct arena *index_piece_arena(void)
{
    return arena_new_soft(INDEX_PIECE_BYTES, REQUEST_ARENA_CAP);
}

struct loading;

/* What an account has of what index_stats counts. */
struct index_stock {
    size_t bytes, nodes, edges, segments, dead, codes_only;
};

/* Many changes of an account at once; guarded by the lock of recall_index. */
struct index_flood {
    bool rows, vectors;            /* of which there are so many */
    int64_t kept_mark, whole_mark; /* the keeper's last look, and the last one with the whole overlap; as watermark */
    int64_t kept_us, whole_us;     /* when these were, on the monotonic clock */
};

/* One account, with the vectors of one model: a knowledge base may have another one than its account. `busy` is held by whoever reads
 * from MariaDB for it or changes what `current` will be. */
struct account_index {
    struct uuid account, model; /* model nil: the account's, whichever that is */
    struct account_index *next;
    pthread_mutex_t busy;
    /* Guarded by the lock of recall_index. */
    struct snapshot *current; /* NULL: nothing was read yet */
    int users;                /* it is not evicted while there are any */
    uint64_t used;
    size_t bytes;
    struct index_stock counted; /* its part of the sums in index_stats */
    bool wants_merge;
    int64_t asked_us, swept_us; /* the last request, the last sweep; on the monotonic clock */
    atomic_bool replaced;       /* current is to be forgotten; set by anybody, at any time */
    int64_t sweep_mark;         /* when that was, as watermark */
    int64_t late_us;            /* a change of this instant was committed late in this process; 0: none */
    uint64_t n_late;            /* how often that happened */
    struct index_flood flood;
    /* Guarded by busy. */
    struct loading *loading; /* NULL: nothing is being read */
    int64_t watermark;       /* the last look: what was committed up to then has been read */
    uint64_t languages;      /* of its spaces, as they were when it was loaded */
    int64_t checked_us;      /* on the monotonic clock */
    int64_t changed_us;      /* the last look that found something; likewise */
    int64_t loaded_us;       /* likewise; set with the lock held, too */
    uint64_t applied;        /* how often changes were put in */
    bool lacks_vectors;      /* it was read before the account had a model, and now there is one */
};

#define BUCKETS 1024
#define CODECS_MAX 64 /* lengths of vectors; those of further models are not searched */

struct recall_index {
    struct recall_options options;
    struct metrics *metrics;
    pthread_mutex_t lock; /* held for a few instructions only */
    pthread_cond_t work, idle;
    pthread_t merger;
    bool ends, merging;
    struct index_keeper *keeper; /* NULL: nobody keeps accounts current but requests */
    uint64_t tick;
    struct account_index *bucket[BUCKETS];
    struct codec *codecs[CODECS_MAX]; /* one for each length of vectors, made at first use */
    size_t n_codecs;
    struct index_stats stats;
};

/* ---- index.c */
/* Puts next (taken over) in the place of the current one. The caller holds busy. */
void index_swap(struct recall_index *ri, struct account_index *e, struct snapshot *next);
/* An account whose index is larger holds codes of its vectors only. */
size_t index_room_for_vectors(const struct recall_index *ri);
/* NULL: dim is 0, or one too many. */
const struct codec *index_codec(struct recall_index *ri, size_t dim);
void index_let_go(struct recall_index *ri, struct account_index *e);
struct snapshot *index_current(struct recall_index *ri, struct account_index *e); /* held; NULL */

/* ---- index_load.c; the caller holds busy */
/* Reads on until it is done or the monotonic clock says until; at least one piece. *done: current is complete. */
err index_load(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t until, bool *done);
void index_load_begin(struct ctx *c, struct account_index *e);
void index_load_abandon(struct account_index *e);
size_t index_load_bytes(const struct account_index *e);

/* ---- index_delta.c; the caller holds busy */
/* Where the model or a language is another now, or it became too large to hold vectors, it is read anew beside the requests,
 * which it still answers; where it has no model at all, lacks_vectors says that it does not. */
err index_delta(struct ctx *c, struct recall_index *ri, struct account_index *e);

/* Puts in what the keeper's next look finds; the caller does not hold busy. */
err index_delta_keep(struct ctx *c, struct recall_index *ri, struct account_index *e);

/* The question alone, and whether the answer holds something that `then` lacks. *asked: as a watermark. */
struct index_since {
    struct instant rows, vectors;
    uint64_t n_late;
};
struct index_since index_delta_ask(struct ctx *c, struct recall_index *ri, struct account_index *e, int64_t watermark,
                                   struct db_later *later);
err index_delta_any(struct ctx *c, struct recall_index *ri, struct account_index *e, struct snapshot *then, const struct db_later *later,
                    bool *any, int64_t *asked);
/* What was asked for since then has been put in, or is there already. */
void index_delta_seen(struct recall_index *ri, struct account_index *e, const struct index_since *since);

/* ---- index.c, for index_look.c */
struct account_index *index_entry(struct recall_index *ri, struct uuid account, struct uuid model); /* until index_let_go() */
/* tell is called for each entry of the account, with the lock of recall_index held. */
void index_each(struct recall_index *ri, struct uuid account, void (*tell)(struct account_index *e, void *arg), void *arg);
bool index_is_fresh(const struct recall_index *ri, const struct account_index *e, int64_t arrived);
bool index_is_old(const struct recall_index *ri, const struct account_index *e); /* it is to be read anew */

/* ---- index_keep.c */
void index_keep_wake(struct recall_index *ri); /* the caller holds the lock of recall_index */

/* ---- index_merge.c */
void index_merge_soon(struct recall_index *ri, struct account_index *e); /* the caller holds busy */
void *index_merger(void *arg);

#endif
