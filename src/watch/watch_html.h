/* The tables of pages of this room, each ended by a row without path. */
#ifndef LOCI_REACH_HTML_H
#define LOCI_REACH_HTML_H

#include "page_call.h"

extern const struct page_row goal_pages[];
extern const struct page_row observation_pages[];

/* Options of a select: any (its words; NULL: none), then the account's agents. */
err watch_put_agents(struct ctx *c, struct page_call *p, const char *name, const char *any, const char *chosen_id);
/* The id that a filter names; nil: none. */
err watch_agent_asked(struct ctx *c, const struct page_call *p, struct uuid *out);

#endif
