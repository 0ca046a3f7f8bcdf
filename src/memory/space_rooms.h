/* The rows of memory's kinds of space; see space_room.h. */
#ifndef LOCI_MEMORY_SPACE_ROOMS_H
#define LOCI_MEMORY_SPACE_ROOMS_H

#include "space_room.h"

extern const struct space_room CONTEXT_ROOM, POOL_ROOM;

#endif
