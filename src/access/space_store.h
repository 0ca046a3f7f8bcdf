/* The rows of spaces; only the space and grant services include this. */
#ifndef LOCI_SPACE_STORE_H
#define LOCI_SPACE_STORE_H

#include "space.h"

/* Locked until the transaction ends; deleted and expired ones too: callers look. */
err space_store_lock(struct ctx *c, struct uuid id, bool *found, struct space *out);
err space_store_by_slug(struct ctx *c, enum space_kind kind, const char *slug, bool *found, struct space *out);
/* Of these (ids NULL: of all), those with an id below `before`; f->deleted: those that can still be restored. */
err space_store_list(struct ctx *c, const struct space_filter *f, const struct uuid *ids, size_t n_ids, struct uuid before,
                     struct page *out);
/* Until the transaction ends, nobody else moves a space of the account to another place in the tree. */
err space_store_lock_tree(struct ctx *c);
/* Is `below` the space itself or somewhere under it? */
err space_store_is_below(struct ctx *c, struct uuid id, struct uuid below, bool *yes);
err space_store_has_agent(struct ctx *c, struct uuid id, bool *yes);
err space_store_has_team(struct ctx *c, struct uuid id, bool *yes);
/* With its grants. */
err space_store_delete(struct ctx *c, struct uuid id);

#endif
