/* The four spaces of pages: what is published and what is not, of pages and of articles. They are made when the first page is. */
#ifndef LOCI_WIKI_SPACE_H
#define LOCI_WIKI_SPACE_H

#include "space_room.h"
#include "wiki_page.h"

extern const struct space_room PAGES_ROOM;

/* Where a page with that status lies. */
err wiki_space_of(struct ctx *c, enum wiki_type type, enum wiki_status status, struct uuid *id);
/* Those of the caller that hold pages; some may be of the other type. */
struct uuids wiki_spaces_readable(struct ctx *c);

#endif
