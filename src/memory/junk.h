/* The junk audit: every memory of an account is looked at, space by space, and what is the matter with it is written down.
 * It changes no memory; a person does, with junk_clean. */
#ifndef LOCI_JUNK_H
#define LOCI_JUNK_H

#include <stdbool.h>
#include <stdint.h>

#include "ctx.h"
#include "finding.h"
#include "health.h"
#include "list.h"
#include "page.h"

#define JUNK_SAMPLES 20
#define JUNK_DAYS 90        /* the curve goes back so far */
#define JUNK_SPACES 1000    /* spaces that a report names: those with most junk */
#define JUNK_CLEAN_MAX 1000 /* memories archived by one call */

/* Where an audit stands. */
struct junk_position {
    struct uuid space_id, node_id; /* nil: before the first */
};

struct junk_counts {
    int64_t covered, found[FINDING_CLASSES];
};

/* Accounts above `above` that have memories, ascending. */
err junk_due(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
/* Inside the caller's transaction: at most about limit memories from *p on. *more false: all were looked at, and counted for the
 * day. */
err junk_audit(struct ctx *c, struct junk_position *p, size_t limit, struct junk_counts *out, bool *more);

/* ---- what was found; the caller holds memory.manage, which covers the whole account */

struct junk_class {
    enum finding_class class;
    int64_t found;
    double share;        /* of all memories */
    struct strs samples; /* ids, the worst first */
};

struct junk_space {
    struct uuid space_id;
    const char *name; /* NULL: the caller may not read it */
    int64_t nodes, junk;
    double junk_ratio;
};

struct junk_day {
    const char *day; /* YYYY-MM-DD */
    int64_t nodes, junk;
    double junk_ratio;
};

struct junk_report {
    const char *day; /* of the last audit; NULL: there was none */
    int64_t nodes, junk;
    double junk_ratio;
    struct list classes, spaces, curve;
};
err junk_report(struct ctx *c, struct junk_report *out);

struct junk_item {
    struct uuid node_id, space_id, other_id;
    const char *kind, *title, *other_title; /* titles NULL: the caller may not read it */
    enum finding_class class;
    double value;
    struct instant found_at;
};

struct junk_filter {
    int class;            /* a finding_class, or -1: what counts as junk, each memory once */
    struct uuid space_id; /* nil: any */
    int64_t limit;
    const char *cursor;
};
err junk_items(struct ctx *c, const struct junk_filter *f, struct page *out);

struct junk_cleaned {
    struct uuid run_id; /* stands in the reason of each archived one */
    int64_t matched, archived;
    bool dry_run, has_more;
};
/* Archives memories of these classes, pinned ones and keys of pools aside; only (may be NULL): none but these. */
err junk_clean(struct ctx *c, const bool classes[FINDING_CLASSES], const struct uuids *only, bool dry_run, struct junk_cleaned *out);

/* Recommends to archive it where it is more than a fifth of all memories. Inside a transaction. */
err junk_advise(struct ctx *c);

struct junk_undone {
    int64_t restored;
    int64_t kept; /* away: another memory has their key by now, or they were archived again */
    bool has_more;
};
/* Brings back what the clean of that run archived, JUNK_UNDO_MAX at a time. */
#define JUNK_UNDO_MAX 200
err junk_undo(struct ctx *c, struct uuid run_id, struct junk_undone *out);

/* In health.h's words: how much of the account is junk, and how much waits for review; off: nobody has looked yet. */
#define JUNK_TOO_MUCH 0.2
err junk_health(struct ctx *c, struct health_part *p);

#endif
