/* The Recall playground: its page, and the parts that its files share. */
#ifndef LOCI_PLAYGROUND_HTML_H
#define LOCI_PLAYGROUND_HTML_H

#include "field.h"
#include "json.h"
#include "page_call.h"

#define PLAYGROUND_OPERATION "recall.explain" /* as recall, with reasons; it counts as nobody's use */

extern const struct page_row playground_pages[];

/* playground_form_html.c: every field of the operation as a setting. */

/* What the person set, as the operation takes it; settings left as they are, are left out. */
struct json *playground_args(struct ctx *c, const struct page_call *p, const struct field *table);
/* Adds `parts` with groups of settings to the model, filled as they were sent; faults of ctx stand beside their fields. */
err playground_form(struct ctx *c, struct page_call *p, const struct field *table);

/* playground_chips_html.c: what is set otherwise than usual, and the way back to the usual. */

/* Adds `chips`, one for each such setting of the parts. */
void playground_chips(struct ctx *c, struct page_call *p, const struct json *parts);
/* This page with a name of its query set to something else; NULL: without it. */
const char *playground_href(struct ctx *c, const struct page_call *p, const char *name, const char *value);

/* playground_compare_html.c: adds `compared`: the answer to the arguments that were kept (`keep`, JSON) beside this one. */
err playground_compare(struct ctx *c, struct page_call *p, const struct json *args, const struct json *data);

/* playground_answer_html.c: adds `answer`, made of what the operation said. */
void playground_answer(struct ctx *c, struct page_call *p, const struct json *data);
/* playground_names_html.c: the names behind the ids in what was cut, evicted and rejected, read in one go. */
err playground_names(struct ctx *c, struct page_call *p);

/* playground_why_html.c: adds `reasons` to a hit, made of its own explanation and of what was understood. */
void playground_why(struct ctx *c, struct json *hit, const struct json *explain, const struct json *understood);

#endif
