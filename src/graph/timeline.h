/* What was captured and what was derived, day by day. */
#ifndef LOCI_TIMELINE_H
#define LOCI_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctx.h"
#include "list.h"

#define TIMELINE_DAYS 90

/* Derived: made from other nodes (DERIVED_FROM), or by Loci's own jobs. */
struct timeline_day {
    int64_t captured, derived;
};

struct timeline_kind {
    const char *kind;
    struct timeline_day *days; /* as many as were asked for */
};
/* Of the n days (UTC) from first on, up to TIMELINE_DAYS, kind by kind: those without any are left out, old states and what is
 * forgotten or expired do not count. *kinds: of struct timeline_kind. */
err timeline_kinds(struct ctx *c, struct instant first, int n, struct list *kinds);
/* Which of these nodes are derived. */
err timeline_derived(struct ctx *c, const struct uuid *ids, size_t n, bool *derived);

#endif
