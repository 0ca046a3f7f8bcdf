/* The pages of the room, and what they have in common. */
#ifndef LOCI_STEER_HTML_H
#define LOCI_STEER_HTML_H

#include "page_call.h"
#include "parts_html.h"

extern const struct page_row proposals_pages[], interventions_pages[], recommendations_pages[];

/* The tabs of these pages; at: the path of the one that is shown. */
void steer_tabs(struct ctx *c, struct page_call *p, const char *at);
/* Agents, or active people, to choose from: at most LIMIT_PAGE; the first choice, with an empty value, is called any. */
err steer_agents(struct ctx *c, const char *any, const char *chosen, struct json **out);
err steer_people(struct ctx *c, const char *any, const char *chosen, struct json **out);
/* What such a list calls the id; NULL for nil, the id for one that is not in it. */
const char *steer_name(struct ctx *c, const struct json *choices, struct uuid id);
/* What is before and after a change that is {name: {from, to}}, {before, after} or {name: value}, as a diff. */
struct json *steer_diff(struct ctx *c, const struct json *changes);

#endif
