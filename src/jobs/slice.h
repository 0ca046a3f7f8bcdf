/* Working through one account's part of a run, batch by batch. */
#ifndef LOCI_SLICE_H
#define LOCI_SLICE_H

#include "engine.h"
#include "run_store.h"

enum slice_end {
    SLICE_DONE,          /* nothing is left */
    SLICE_BOUND,         /* as many rows as one run may take */
    SLICE_RUN_BOX,       /* the run's time is over */
    SLICE_TURN,          /* the account's turn is over: others first, then on from the cursor */
    SLICE_CANCELLED,
    SLICE_STOP,          /* the scheduler stops */
    SLICE_LEASE_LOST,    /* somebody else has it now: nothing more may be written */
    SLICE_FAILED         /* an error outside rows, or more than half of the rows failed */
};

struct slice_work {
    struct slice s;
    struct engine *engine;
    const struct json *params; /* merged: job, account, run */
    struct lease *lease;
    struct uuid task_id;        /* nil: a pass */
    struct uuid run_row;        /* where the sums go: the slice's row, or the hour's of a continuous job */
    struct instant run_ends_at; /* 0: no box */
    int64_t turn_ends_us;       /* monotonic */
    struct arena *batch_arena;
    /* Sums: of all turns of a slice, or of this account's part of a pass. */
    int64_t scanned, changed, failed;
    int64_t limit;          /* rows of the next batch: halved when one fails */
    struct job_state saved; /* as the last committed batch left it */
    bool uses_state, is_new_state;
    struct json *counts, *notes; /* of the batch under way */
    size_t n_notes;              /* kept so far */
    int64_t event_at;            /* monotonic: when progress was last told */
    const char *error;
};

/* Begins with the account's state; scanned and failed are what earlier turns of the slice have counted. */
err slice_open(struct ctx *c, struct slice_work *w);
/* Until one of the ends. An error is of a kind that passes: the caller tries again later. */
err slice_loop(struct ctx *c, struct slice_work *w, enum slice_end *end);
/* What becomes of the row of a slice at that end. */
enum run_status slice_status(const struct slice_work *w, enum slice_end end, const char **reason);

#endif
