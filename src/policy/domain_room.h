/* The row of spaces of kind domain; see space_room.h. */
#ifndef LOCI_DOMAIN_ROOM_H
#define LOCI_DOMAIN_ROOM_H

#include "space_room.h"

extern const struct space_room DOMAIN_ROOM;

#endif
