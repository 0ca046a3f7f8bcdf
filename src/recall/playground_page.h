/* The Recall playground: its page, and the parts that its files share. */
#ifndef LOCI_PLAYGROUND_PAGE_H
#define LOCI_PLAYGROUND_PAGE_H

#include "field.h"
#include "json.h"
#include "page_call.h"

extern const struct page_row playground_pages[];

/* playground_form_page.c: every field of the operation as a setting. */

/* What the person set, as the operation takes it; settings left as they are, are left out. */
struct json *playground_args(struct ctx *c, const struct page_call *p, const struct field *table);
/* Adds `groups` of settings to the model, filled as they were sent; faults of ctx stand beside their fields. */
err playground_form(struct ctx *c, struct page_call *p, const struct field *table);

/* playground_answer_page.c: adds `answer`, made of what the operation said. */
void playground_answer(struct ctx *c, struct page_call *p, const struct json *data);

/* playground_why_page.c: adds `reasons` to a hit, made of its own explanation and of what was understood. */
void playground_why(struct ctx *c, struct json *hit, const struct json *explain, const struct json *understood);

#endif
