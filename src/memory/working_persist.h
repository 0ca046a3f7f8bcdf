/* Working memory that outlives Redis: entries of "<agent> Working Memory", for a day. */
#ifndef LOCI_WORKING_PERSIST_H
#define LOCI_WORKING_PERSIST_H

#include "working_store.h"

#define WORKING_PERSIST_HOURS 24

#define WORKING_ARCHIVED 1000

struct working_persisted {
    int64_t persisted, unchanged;
    struct strs skipped;    /* keys that are absent, too large for an entry, or another agent's */
    struct strs archived;   /* keys of older entries that had to make room: the first WORKING_ARCHIVED */
    int64_t archived_count; /* of all those */
};

/* keys.n 0: all. In one transaction: an entry for each; one with the same content lives on, other content is a new version. */
err working_persist(struct ctx *c, const struct working_scope *s, struct strs keys, double importance, struct working_persisted *out);

struct working_loaded {
    int64_t loaded, kept;
};

/* What was persisted and has not expired comes back; keys that are there stay, unless overwrite. */
err working_load(struct ctx *c, const struct working_scope *s, bool overwrite, struct working_loaded *out);

/* After a write: where the agent has as many scopes as it may, the one written to least recently is persisted and dropped, and the write is
 * to be made *again. ERR_CONFLICT when something in it cannot be persisted. */
err working_made_room(struct ctx *c, const struct working_written *w, bool *again);

#endif
