/* SQL of folding: what the slices of a run add up to. */
#ifndef LOCI_FOLD_STORE_H
#define LOCI_FOLD_STORE_H

#include "run.h"

/* The running run that was folded longest ago, before that instant; locked, others' are passed over. */
err fold_store_next(struct ctx *c, struct instant folded_before, struct run *out, bool *found);

struct fold_sums {
    int64_t slices, ended, succeeded, failed, partial, cancelled;
    int64_t rows_scanned, rows_changed, rows_failed, rows_skipped;
    const char *error, *reason; /* of some slice that has one */
    struct instant last_end;    /* of the slice that ended last */
};
err fold_store_sums(struct ctx *c, struct uuid parent_id, struct fold_sums *out);
/* Named counts added up, and the first notes. */
err fold_store_named(struct ctx *c, struct uuid parent_id, struct json **counts, struct json **notes);
/* counts and notes NULL: as they are. heartbeat 0: no sign of life. */
err fold_store_save(struct ctx *c, struct uuid id, const struct fold_sums *s, const struct json *counts,
                    const struct json *notes, struct instant heartbeat, struct instant now);
err fold_store_lose_slices(struct ctx *c, struct uuid parent_id, struct instant now);
/* Slices that found nothing, at most 5,000; *n says how many. */
err fold_store_drop_empty(struct ctx *c, struct uuid parent_id, int64_t *n);

/* History: ended runs of before that instant, with their slices, at most limit rows. */
err fold_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);

struct empty_run {
    struct uuid id;
    struct instant fire_at;
};
/* Runs of a job that found nothing, in order of firing, behind that instant and before the other. */
err fold_store_empty_runs(struct ctx *c, const char *job_name, struct instant after, struct instant before,
                          struct empty_run *rows, size_t max, size_t *n);
err fold_store_delete(struct ctx *c, const struct uuid *ids, size_t n);

#endif
