/* What holds for spaces of kind knowledge_base at every door; see space_room.h. */
#ifndef LOCI_KNOWLEDGE_ROOM_H
#define LOCI_KNOWLEDGE_ROOM_H

#include "space_room.h"

extern const struct space_room KNOWLEDGE_ROOM;

/* For POST /spaces: a base with the default settings. */
err knowledge_base_make_space(struct ctx *c, const struct space *in, struct space *out);

#endif
