/* SQL of entities, their names and roots; only entity*.c includes this. */
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
err entity_store_aliases(struct ctx *c, struct uuids ids, struct strs *out);
/* Names of these go to another of them, or, to nil, away; how many. */
err entity_store_alias_move(struct ctx *c, struct uuids ids, const char *const *norms, size_t n, struct uuid to, int64_t *moved);
/* Claims about these that are of one of the facts or sources; to nil: only counted. */
err entity_store_claims_move(struct ctx *c, struct uuids ids, struct uuids facts, struct uuids sources, struct uuid to, int64_t *moved);
/* Facts of which all claims are about it are, too. */
err entity_store_facts_move(struct ctx *c, struct uuids ids, struct uuid to, int64_t *moved);
err entity_store_list(struct ctx *c, const struct entity_filter *f, const char *norm, struct uuids spaces, struct uuid before,
    struct page *out);

/* A new one, past the look for its name; apart: even where a node has it. entity.c has it. */
err entity_mint(struct ctx *c, struct uuid space_id, struct entity_name *name, bool apart);

/* ---- entities that are one */

struct entity_rooted {
    struct uuid entity_id, parent_id;
};
/* Those that stand under it; of struct entity_rooted. */
err root_store_under(struct ctx *c, struct uuid root, struct list *out);
err root_store_add(struct ctx *c, struct uuid id, struct uuid keeper);
err root_store_drop(struct ctx *c, struct uuid id);
/* Those of them that are part of something are part of this one. */
err root_store_set(struct ctx *c, const struct uuid *ids, size_t n, struct uuid root);
err root_store_get(struct ctx *c, struct uuid id, struct uuid *root);
err root_store_members(struct ctx *c, const struct uuid *ids, size_t n, struct uuids *out);
/* The roots of those that have the name. */
err root_store_named(struct ctx *c, const char *norm, struct uuids spaces, struct uuids *out);

#endif
