/* What a snapshot of a context or of a pool says otherwise than what is there now. */
#ifndef LOCI_RESTORE_CHANGE_H
#define LOCI_RESTORE_CHANGE_H

#include <string.h>

#include "ctx.h"
#include "json.h"
#include "str.h"

#define RESTORE_SHOWN 16384  /* characters of a value that are compared; of a longer one only the beginning is shown */
#define RESTORE_READ "16385" /* one more, for SQL */

/* A key whose value is not the same in both. */
struct restore_change {
    const char *key;
    struct uuid node_id;           /* of what is there, or was */
    const struct json *then, *now; /* NULL: it was not there, is not there; of a long one the beginning, as text */
    bool is_cut;                   /* one of both is such a beginning */
    bool is_lost;                  /* it was there, and cannot be brought back */
};

/* What is shown of a value, of which RESTORE_READ characters were read. */
static inline const struct json *restore_shown(struct ctx *c, const char *text, struct restore_change *of)
{
    if (!text || str_code_points(text, strlen(text)) <= RESTORE_SHOWN)
        return text ? json_opened(c->arena, json_raw(c->arena, text)) : NULL;
    of->is_cut = true;
    return json_str(c->arena, text + (*text == '"'));
}

/* How many keys each, which is what a restore would do. */
struct restore_counts {
    int64_t changed; /* that say something else now */
    int64_t missing; /* that are gone now */
    int64_t later;   /* that came since: a restore takes them away */
    int64_t lost;    /* that a restore cannot bring back */
    int64_t same;
};

#endif
