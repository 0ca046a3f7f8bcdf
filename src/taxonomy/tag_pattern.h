/* What mining found, night by night, and the ways up and down the tiers. */
#ifndef LOCI_TAG_PATTERN_H
#define LOCI_TAG_PATTERN_H

#include "ctx.h"
#include "page.h"
#include "tag.h"

#define PATTERN_NIGHTS 3 /* of the last seven, to become everybody's */
#define PATTERN_LIFT 1.5 /* likewise, of more than one tag */
#define PATTERN_ROUND 5  /* counts are shown in steps of this */
#define MINING_SHARE .05 /* of all owners must hold a pattern, … */
#define MINING_OWNERS 5  /* … and so many at least */
#define MINING_ROWS 200000

struct tag_pattern {
    struct uuid id;
    const struct json *items; /* ["tag:beach", "tag:yoga"] */
    struct bytes items_hash;
    int64_t size;
    enum tag_tier tier;
    int64_t support_owners, owners_total;
    double support, lift;
    int64_t nights, seen_runs, missed_runs;
};
extern const struct thing TAG_PATTERN;

struct tag_pattern_filter {
    int tier; /* an enum's value, or -1: any */
    int64_t limit;
    const char *cursor;
};
/* Of two tags and more: what everybody may see; for who has graph.manage, transitional ones, too. */
err tag_pattern_list(struct ctx *c, const struct tag_pattern_filter *f, struct page *out);

/* ---- jobs, inside their transaction */

struct tag_mining {
    int64_t owners, rows, found, least; /* least: owners that a pattern needed */
    bool skipped;                       /* there are fewer owners */
};
err tag_pattern_mine(struct ctx *c, int64_t min_owners, struct tag_mining *out);
struct tag_promotion {
    int64_t looked, up, down;
};
err tag_pattern_promote(struct ctx *c, struct tag_promotion *out);

#endif
