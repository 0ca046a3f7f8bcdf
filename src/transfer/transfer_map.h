/* Ids of an import that mean something which is in the account already, under another id. */
#ifndef LOCI_TRANSFER_MAP_H
#define LOCI_TRANSFER_MAP_H

#include "transfer_table.h"

struct transfer_map {
    struct arena *arena;
    struct transfer_pair *slots;
    size_t n, size;
};

void transfer_map_add(struct transfer_map *m, struct uuid from, struct uuid to);
/* The other id, or this one. */
struct uuid transfer_map_of(const struct transfer_map *m, struct uuid id);
/* Puts what the ids of the row mean in their place, also where a text ends in one or a vector names its model; new texts are in the arena. */
void transfer_map_row(const struct transfer_map *m, struct arena *a, struct transfer_row *row);

#endif
