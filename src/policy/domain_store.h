/* SQL of domains; only domain.c and domain_room.c include this. */
#ifndef LOCI_DOMAIN_STORE_H
#define LOCI_DOMAIN_STORE_H

#include "domain.h"

err domain_store_insert(struct ctx *c, struct uuid id, const char *role);
err domain_store_get(struct ctx *c, struct uuid id, bool *found, struct domain *out);
err domain_store_list(struct ctx *c, struct uuids spaces, struct uuid before, int64_t limit, struct page *out);
/* Memories that are not forgotten. */
err domain_store_is_empty(struct ctx *c, struct uuid id, bool *yes);

#endif
