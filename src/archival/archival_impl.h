/* What the files of the room share; no other room includes this. */
#ifndef LOCI_ARCHIVAL_IMPL_H
#define LOCI_ARCHIVAL_IMPL_H

#include "archival.h"

/* Whose text it is: where it lives, and whether it is an agent. */
struct archival_home {
    struct uuid subject_id, space_id;
    bool is_agent;
};

/* Lines for each section, of what is known now. */
struct archival_made {
    struct archival_line lines[ARCHIVAL_LINES];
    size_t n;
    struct bytes hash;
};
err archival_collect(struct ctx *c, const struct archival_home *home, struct archival_made *sections);
/* Of the lines as they are. */
struct bytes archival_hash(struct arena *a, const struct archival_line *v, size_t n);

#endif
