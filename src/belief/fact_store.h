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
};

/* The fact that answers this slot, locked until the transaction ends. */
err fact_store_current(struct ctx *c, struct bytes slot_key, bool *found, struct fact_row *out);
err fact_store_insert(struct ctx *c, const struct fact_row *f);
err fact_store_mention(struct ctx *c, struct uuid node_id);
err fact_store_hold(struct ctx *c, struct uuid node_id, bool holds);

err fact_store_leave(struct ctx *c, const struct uuid *ids, size_t n);

#endif
