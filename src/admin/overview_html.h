/* The parts of the overview that are figures and curves; each adds members to the page's model. */
#ifndef LOCI_OVERVIEW_HTML_H
#define LOCI_OVERVIEW_HTML_H

#include "page_call.h"

extern const struct page_row overview_pages[];

/* `kinds` and `week`; *of_kinds is what was counted: nodes, archived, week. */
err put_kinds(struct ctx *c, struct json *m, const struct json **of_kinds);
/* `tiers`, for those who may manage memory. */
err put_tiers(struct ctx *c, struct json *m);
/* `junk`, likewise. */
err put_junk(struct ctx *c, struct json *m);
/* `speed`, once something was asked or written in the last day. */
err put_speed(struct ctx *c, struct json *m);

#endif
