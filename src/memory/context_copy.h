/* Entries of a context on their way to another one, or out of the house and in again. */
#ifndef LOCI_CONTEXT_COPY_H
#define LOCI_CONTEXT_COPY_H

#include "entry.h"

#define COPY_BATCH 100 /* entries of one transaction at most: ENTRIES_AT_ONCE */

struct copied {
    struct uuid id; /* of the context that got them */
    const char *context_id;
    int64_t created, updated;
    bool complete; /* false: the time was over; doing it again goes on */
};

struct copy_wanted {
    struct strs entry_types; /* none: all */
    double min_importance;
};

/* A new context with what the source says and holds: its live entries with their vectors, not its grants, versions and snapshots. */
err context_clone(struct ctx *c, const char *ref, const char *name, struct copied *out);
/* What the source says otherwise, or has alone, comes into the context; what only the context has stays. */
err context_sync(struct ctx *c, const char *ref, const char *source, const struct copy_wanted *w, struct copied *out);

/* ---- export: in the order of keys */

/* Asks the gate, and says so in the access log. */
err context_export_begin(struct ctx *c, const char *ref, struct context *out);
/* The next portion of live entries behind that key; more: it is not the last. */
err context_export_next(struct ctx *c, struct uuid id, const char *after, struct entry **out, size_t *n, bool *more);

/* ---- import */

/* The context is there and may be written to: by its id or handle. */
err context_import_begin(struct ctx *c, const char *ref, struct context *out);

struct imported {
    int64_t created, updated, unchanged;
};
/* All of them in one transaction, or none. Adds to *out. */
err context_import_many(struct ctx *c, const struct context *x, const struct entry_new *in, size_t n, enum entry_merging how,
                        struct imported *out);

/* ---- entries of one context become facts of another, the most important ones first */

struct facts_wanted {
    double min_importance;
    int64_t limit;
    bool overwrite; /* new versions of keys that are there; else these count as unchanged */
};
/* Portion by portion, each in a transaction of its own. Adds to *out. */
err context_copy_facts(struct ctx *c, const char *target, const char *source, const struct facts_wanted *w, struct imported *out);

#endif
