/* SQL of consolidation; only files of this room include this. */
#ifndef LOCI_CONSOLIDATE_STORE_H
#define LOCI_CONSOLIDATE_STORE_H

#include "consolidate.h"

/* One thing said that waits: an episode (seq 1) or a further occurrence of one. */
struct consolidate_item {
    struct uuid id, space_id, author_id;
    const char *body, *author_kind, *session_id, *role_name;
    const struct json *origin;
    struct instant at;
    double trust;
    int64_t seq, attempts;
};
err consolidate_store_items(struct ctx *c, struct uuid space_id, size_t max, struct list *out);
/* false: somebody else has it, or it is done. */
err consolidate_store_claim(struct ctx *c, const struct consolidate_item *i, bool *mine);
/* Still ours? Locks it. */
err consolidate_store_lock(struct ctx *c, const struct consolidate_item *i, bool *mine);
err consolidate_store_done(struct ctx *c, const struct consolidate_item *i, const char *rule_set);
err consolidate_store_failed(struct ctx *c, const struct consolidate_item *i, bool for_good, struct instant next, const char *why);
err consolidate_store_spaces(struct ctx *c, size_t max, struct uuids *out);
err consolidate_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err consolidate_store_status(struct ctx *c, struct uuids spaces, struct consolidation_status *out);

#endif
