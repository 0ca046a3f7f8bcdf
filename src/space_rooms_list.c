/* Every kind of space that a room registers stands here once; kinds without a row cannot be created. */
#include "space_rooms_list.h"

#include "domain_room.h"
#include "knowledge_room.h"
#include "skill_room.h"
#include "space_rooms.h"
#include "taxonomy_room.h"
#include "wiki_space.h"

const struct space_room *const SPACE_ROOMS_ALL[] = {
    &CONTEXT_ROOM,
    &POOL_ROOM,
    &KNOWLEDGE_ROOM,
    &SKILLS_ROOM,
    &PAGES_ROOM,
    &DOMAIN_ROOM,
    &TAXONOMY_ROOM,
    NULL,
};
