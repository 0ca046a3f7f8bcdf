/* The public site: /p/:account and below, for everybody, without login and without JavaScript; the same as JSON. */
#ifndef LOCI_SITE_H
#define LOCI_SITE_H

#include "frame.h"
#include "router.h"

void site_add_routes(struct router *r, struct arena *a, const struct admin *admin);

#endif
