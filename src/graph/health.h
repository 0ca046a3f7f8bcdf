/* Is everything there that we need? Asked by /readyz, the health page and `locictl doctor`. */
#ifndef LOCI_HEALTH_H
#define LOCI_HEALTH_H

#include "ctx.h"
#include "json.h"

struct health_part {
    const char *name; /* "mariadb", "redis", "migrations", "model", … */
    bool ok;
    bool needed;        /* not ok and needed: not ready */
    bool off;           /* not configured: there was nothing to ask */
    const char *detail; /* version, or what is wrong and what to do */
    int64_t us;         /* how long the question took */
};

#define HEALTH_PARTS 20 /* at most: four, and each host of db.hosts */

/* An account in the recall index of this process. */
struct health_index {
    struct uuid account_id;
    int64_t nodes, bytes, age_us;
    bool reading;    /* for the first time: it holds nothing yet */
    bool codes_only; /* too large to hold its vectors whole */
};

/* Returns how many parts there are. What does not answer is a part that is not ok. The failure in ctx is forgiven. Hosts of db.hosts
 * are parts of their own ("mariadb 1"; which one that is operators see), none of them needed as long as one is there. */
size_t health_check(struct ctx *c, struct health_part parts[HEALTH_PARTS]);
/* The same, and asks each host now: for an operator, who may wait for it. */
size_t health_check_hosts(struct ctx *c, struct health_part parts[HEALTH_PARTS]);
bool health_ready(const struct health_part *parts, size_t n);

#endif
