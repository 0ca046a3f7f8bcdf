/* Answers to htmx (static/loci.js): of a page only title and main, for a browser that has the frame already. */
#ifndef LOCI_PART_H
#define LOCI_PART_H

#include "exchange.h"

/* Only a part of the page is asked for. */
bool part_is_asked(struct exchange *x);
/* What a change left to say belongs on the page that is asked for: not where only something in it is looked at again. */
bool part_takes_flash(struct exchange *x);
/* In a word all that the frame shows; another word means another person, another role, another version … */
const char *part_frame_mark(struct ctx *c, struct exchange *x);
/* True when the frame that the browser has is not the one of c->who, and the answer is now that it load the whole page. */
bool part_is_refused(struct ctx *c, struct exchange *x);

#endif
