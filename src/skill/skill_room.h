/* The row of spaces of kind skills; see space_room.h. */
#ifndef LOCI_SKILL_ROOM_H
#define LOCI_SKILL_ROOM_H

#include "space_room.h"

extern const struct space_room SKILLS_ROOM;

#endif
