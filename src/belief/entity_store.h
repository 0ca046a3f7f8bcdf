/* SQL of entities and their names; only entity.c includes this. */
#ifndef LOCI_ENTITY_STORE_H
#define LOCI_ENTITY_STORE_H

#include "entity.h"

struct entity_alias {
    const char *norm, *surface, *source;
    struct uuid entity_id;
    int64_t count;
};
/* The live owners of these names in the space, locked; the one met most often first. */
err entity_store_owners(struct ctx *c, struct uuid space_id, const char *const *norms, size_t n, struct list *out);
/* Counts the names once more, or adds them. */
err entity_store_met(struct ctx *c, struct uuid space_id, const struct entity_alias *rows, size_t n);
err entity_store_get(struct ctx *c, struct uuid id, bool *found, struct entity *out);
err entity_store_aliases(struct ctx *c, struct uuid id, struct strs *out);
err entity_store_list(struct ctx *c, const struct entity_filter *f, const char *norm, struct uuids spaces, struct uuid before,
    struct page *out);

#endif
