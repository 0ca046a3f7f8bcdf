/* The kind of space that shared tags live in. */
#ifndef LOCI_TAXONOMY_ROOM_H
#define LOCI_TAXONOMY_ROOM_H

#include "space_room.h"

extern const struct space_room TAXONOMY_ROOM;

#endif
