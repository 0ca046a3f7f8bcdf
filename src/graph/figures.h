/* Figures that take long to count are counted once a minute for all who look; quick ones each time. */
#ifndef LOCI_FIGURES_H
#define LOCI_FIGURES_H

#include "ctx.h"
#include "json.h"

#define FIGURES_QUICK_US 20000 /* what took no longer is not kept */
#define FIGURES_KEPT_S 60

typedef err (*figures_count)(struct ctx *c, struct json *out);

/* An object that count() has filled, now or up to a minute ago for somebody who may read the same spaces; `counted_at` (RFC 3339)
 * is set where it was not now. Asks for no permission: what one more may not see does not belong under the same name. */
err figures_of(struct ctx *c, const char *name, figures_count count, const struct json **out);

#endif
