/* Which files below static/ there are, in a word: their addresses carry it, so that no browser shows an old one for a new one. */
#ifndef LOCI_STATICS_H
#define LOCI_STATICS_H

#include "arena.h"

/* Another text when a file of data_dir/static has another content or another name. A folder that is not there is an empty one. */
const char *statics_mark(struct arena *a, const char *data_dir);

#endif
