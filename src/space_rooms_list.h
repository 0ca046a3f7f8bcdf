/* All kinds of space of the house, by the room that owns them. */
#ifndef LOCI_SPACE_ROOMS_LIST_H
#define LOCI_SPACE_ROOMS_LIST_H

struct space_room;

extern const struct space_room *const SPACE_ROOMS_ALL[];

#endif
