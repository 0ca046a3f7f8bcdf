/* What a snapshot of a context or of a pool says otherwise than what is there now. */
#ifndef LOCI_RESTORE_CHANGE_H
#define LOCI_RESTORE_CHANGE_H

#include "ctx.h"
#include "json.h"

/* A key whose value is not the same in both. */
struct restore_change {
    const char *key;
    struct uuid node_id;                 /* of what is there, or was */
    const struct json *then, *now;       /* NULL: it was not there, is not there */
    bool is_lost;                        /* it was there, and cannot be brought back */
};

/* How many keys each, which is what a restore would do. */
struct restore_counts {
    int64_t changed;                     /* that say something else now */
    int64_t missing;                     /* that are gone now */
    int64_t later;                       /* that came since: a restore takes them away */
    int64_t lost;                        /* that a restore cannot bring back */
    int64_t same;
};

#endif
