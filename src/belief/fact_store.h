/* The rows of facts; only fact.c includes this. */
#ifndef LOCI_FACT_STORE_H
#define LOCI_FACT_STORE_H

#include "fact.h"

struct fact_row {
    struct uuid node_id, space_id;
    struct bytes slot_key, object_key;
    const char *predicate;
    const struct json *object;
    int64_t mention_count;
    struct instant last_seen_at;
    int64_t version; /* of its node */
    struct instant valid_from;
};

/* The facts that answer these slots, in any order, locked until the transaction ends; room for n + 1. */
err fact_store_current(struct ctx *c, const struct bytes *slot_keys, size_t n, struct fact_row *rows, size_t *found);
err fact_store_insert(struct ctx *c, const struct fact_row *rows, size_t n);
err fact_store_mention(struct ctx *c, struct uuid node_id);
err fact_store_hold(struct ctx *c, const struct uuid *ids, size_t n, bool holds);

#endif
