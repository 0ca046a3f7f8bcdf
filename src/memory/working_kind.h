/* Keys of working memory that mean something by their name: what they may hold and how long they live. */
#ifndef LOCI_WORKING_KIND_H
#define LOCI_WORKING_KIND_H

#include "ctx.h"
#include "json.h"

struct working_kind {
    const char *name;
    bool is_prefix;
    int64_t ttl_s;
    const char *entry_type; /* of the entry that it becomes when it is persisted */
    /* *value becomes what is kept. ERR_INVALID naming /value. NULL: anything is kept as it is. */
    err (*check)(struct ctx *c, const struct json **value);
};

/* Never NULL: a key without a special name is an observation. */
const struct working_kind *working_kind_of(const char *key);

#endif
