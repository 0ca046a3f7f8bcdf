/* Two changes of one value put together, member by member. */
#ifndef LOCI_THREE_WAY_H
#define LOCI_THREE_WAY_H

#include "json.h"
#include "list.h"

#define THREE_WAY_CLASHES 20 /* paths that are named */

/* What base becomes when both changes are made. Where both changed the same thing otherwise, mine stays and its path is added to
 * clashes (v: room for THREE_WAY_CLASHES). base NULL: not known, so that all that differs clashes. */
struct json *three_way(struct arena *a, const struct json *base, const struct json *mine, const struct json *theirs, struct strs *clashes);

#endif
