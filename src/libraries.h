/* The libraries that this program runs with. */
#ifndef LOCI_LIBRARIES_H
#define LOCI_LIBRARIES_H

#include "app.h"
#include "arena.h"

/* For struct app.libraries; what is loaded now says its version itself, where it can. */
const struct library *libraries_list(struct arena *a);

#endif
