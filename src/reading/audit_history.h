/* What happened to memories, for whoever may read them. */
#ifndef LOCI_AUDIT_HISTORY_H
#define LOCI_AUDIT_HISTORY_H

#include "audit.h"

#define AUDIT_HISTORY_MAX 50
#define AUDIT_HISTORY_CHARS 240 /* of the details of an event */

struct audit_history_in {
    struct uuid subject_id, actor_id;
    const char *kind;
    struct instant since, until;
    bool verbose;
    int64_t limit;
    const char *cursor;
};

struct audit_history_row {
    struct uuid id, actor_id, subject_id, space_id;
    struct instant at;
    const char *kind, *actor_kind, *subject_kind;
    const char *details; /* of verbose: the beginning of its payload, inert; else NULL */
};

/* Events of spaces that the caller may read; with audit.read, all of the account. */
err audit_history(struct ctx *c, const struct audit_history_in *in, struct page *out);

#endif
