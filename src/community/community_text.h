/* The words of a community: its title, and a summary that quotes its texts. */
#ifndef LOCI_COMMUNITY_TEXT_H
#define LOCI_COMMUNITY_TEXT_H

#include "ctx.h"
#include "list.h"
#include "name_graph.h"

struct community_text {
    const char *title, *summary;
    struct uuids quoted; /* chunks */
};
/* Of these nodes of g, with their strength. */
err community_text_make(struct ctx *c, const struct name_graph *g, const uint32_t *nodes, const double *strength, size_t n,
                        struct community_text *out);

#endif
