/* Snapshots: what a context held at an instant, by reference to versions of its entries. */
#ifndef LOCI_CONTEXT_SNAPSHOT_H
#define LOCI_CONTEXT_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "ctx.h"
#include "page.h"
#include "restore_change.h"

#define SNAPSHOT_ENTRIES 100000
#define SNAPSHOTS 20          /* of a context, taken by somebody */
#define SNAPSHOTS_AUTOMATIC 5 /* taken before a restore: the newest are kept */

struct context_snapshot {
    struct uuid id, context_id;
    const char *name;
    bool is_automatic;
    int64_t entry_count;
    const char *data_hash; /* hex; equal snapshots have equal hashes */
    const char *author_kind;
    struct uuid author_id;
    struct instant created_at;
};

struct context_restored {
    int64_t restored; /* entries that say again what they said then */
    int64_t revived;  /* that had been archived or forgotten */
    int64_t archived; /* that came later */
    int64_t unchanged;
    int64_t missing_erased;         /* whose content is there no more */
    struct uuid safety_snapshot_id; /* what was there just before */
    bool complete;                  /* false: the time was over; restoring again within a minute goes on */
};

/* Each asks the gate: the context must be writable, for the list readable. */
err context_snapshot_create(struct ctx *c, const char *context, const char *name, struct context_snapshot *out);
err context_snapshot_list(struct ctx *c, const char *context, int64_t limit, const char *cursor, struct page *out);
/* The newest that hold this node of the context, or what it was then. */
err context_snapshot_with(struct ctx *c, struct uuid space_id, struct uuid node_id, int64_t limit, struct context_snapshot **rows,
                          size_t *n);
/* What a restore would do, and the keys that differ (struct restore_change) in their order; changes nothing. */
err context_snapshot_compare(struct ctx *c, const char *context, struct uuid id, int64_t limit, const char *cursor, struct context_snapshot *out,
                             struct restore_counts *counts, struct page *rows);
err context_snapshot_delete(struct ctx *c, const char *context, struct uuid id);
/* Contents come back as new versions, and context_data with them: in one transaction up to a portion's bounds (entry_impl.h), else in
 * several, while nobody else may change entries. */
err context_snapshot_restore(struct ctx *c, const char *context, struct uuid id, struct context_restored *out);

/* struct app.states_held: marks those of the old states that a snapshot holds. */
err context_snapshot_holds(struct ctx *c, const struct uuid *ids, size_t n, bool *held);

#endif
