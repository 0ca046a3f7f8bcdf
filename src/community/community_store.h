/* The rows of communities. */
#ifndef LOCI_COMMUNITY_STORE_H
#define LOCI_COMMUNITY_STORE_H

#include "community.h"
#include "str.h"

/* One as it was at the last run. */
struct community_was {
    struct uuid id;
    int64_t level;
    struct bytes members_hash;
    bool is_whole; /* its node is there, and so is what it quotes */
};
struct community_place {
    struct uuid community_id, node_id;
    int64_t level;
};
err community_store_was(struct ctx *c, struct uuid space_id, struct list *out);
err community_store_places(struct ctx *c, struct uuid space_id, struct list *out);
/* Names whose mentions or edges changed after that instant; *seen: the newest of them. */
err community_store_touched(struct ctx *c, struct uuid space_id, struct instant since, struct list *out, struct instant *seen);
err community_store_seen(struct ctx *c, struct uuid space_id, struct instant *seen);
err community_store_ran(struct ctx *c, struct uuid space_id, struct instant seen);
err community_store_due_spaces(struct ctx *c, struct uuid *ids, size_t max, size_t *n);
err community_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

struct community_row {
    struct uuid id, space_id, parent_id;
    int64_t level, size;
    double edge_weight, density;
    struct bytes members_hash;
    const char *algorithm;
    bool is_written; /* its summary is new */
};
err community_store_put(struct ctx *c, const struct community_row *rows, size_t n);
err community_store_put_members(struct ctx *c, struct uuid id, const struct uuid *nodes, const double *strength, size_t n);
err community_store_drop(struct ctx *c, const struct uuid *ids, size_t n);

/* What a summary is made of: chunks that name most of these. */
struct community_chunk {
    struct uuid id;
    const char *body, *document;
    int64_t names;
};
err community_store_chunks(struct ctx *c, const struct uuid *nodes, size_t n, int64_t limit, struct list *out);
err community_store_names(struct ctx *c, const struct uuid *nodes, size_t n, struct list *out);

err community_store_list(struct ctx *c, const struct community_filter *f, struct uuids spaces, int64_t skip, struct list *out);
err community_store_get(struct ctx *c, struct uuid id, bool *found, struct community *out);
err community_store_members(struct ctx *c, struct uuid id, struct list *out);
err community_store_count(struct ctx *c, struct uuids spaces, int64_t *n);
err community_store_holding(struct ctx *c, const struct uuid *nodes, size_t n, struct list *communities, struct list *members);

#endif
