/* The audit trail: one event per change, written in the transaction of the change. */
#ifndef LOCI_AUDIT_H
#define LOCI_AUDIT_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"

struct audit {
    const char *kind;         /* "node.update": subject and verb */
    const char *subject_kind; /* "node" */
    struct uuid subject_id, space_id;
    const struct json *before, *after, *payload; /* NULL: nothing to say; never secrets, never erased content */
    /* Subscribers who may read the space (nil: all of the account's) hear of it, too: kind, subject, space and time. */
    bool is_news;
};

/* Inside the transaction of the change. Actor, request id, address and time come from ctx. */
err audit_add(struct ctx *c, const struct audit *a);
/* The same for n events, in one statement. */
err audit_add_many(struct ctx *c, const struct audit *a, size_t n);
/* A refusal with a security cause, in a transaction of its own; a failure to write it is logged, not passed on. */
void audit_refusal(struct ctx *c, const char *kind, const char *subject_kind, struct uuid subject_id, const char *why);

/* ---- reading; the caller has audit.read, which covers the whole account, or asks for events of spaces that it may read ---- */

struct audit_event {
    struct uuid id;
    struct instant at;
    const char *kind, *actor_kind, *subject_kind;
    struct uuid actor_id, subject_id, space_id;
    const char *request_id, *ip;
    const struct json *before, *after, *payload;
    bool is_news; /* written, not read */
};

/* What audit_add would write, for a store that writes it along with its row. */
struct audit_event audit_event_of(struct ctx *c, const struct audit *a);

struct audit_filter {
    struct uuid subject_id, actor_id; /* nil: any */
    const char *kind;                 /* what it begins with: "node" or "node.update"; NULL: any */
    struct instant from, to;          /* from ≤ at < to; 0: open */
    bool of_spaces;                   /* only events of these spaces */
    struct uuids spaces;
    int64_t limit;
    const char *cursor;
};

/* Newest first. */
err audit_list(struct ctx *c, const struct audit_filter *f, struct page *out);
/* Deletes at most limit events of the account that are older than that: for the retention job only. */
err audit_purge(struct ctx *c, struct instant older_than, int64_t limit, int64_t *n);

#endif
