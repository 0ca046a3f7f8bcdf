/* Pages of a list of addresses and sitemaps; what robots.txt forbids is left out. */
#ifndef LOCI_FEED_PAGES_H
#define LOCI_FEED_PAGES_H

#include "ctx.h"

/* take is called for each page; nth: seconds to wait before it is fetched, one for each page of its host. */
err feed_pages_walk(struct ctx *c, const char *location, err (*take)(void *arg, const char *url, int nth), void *arg);
/* Whether the rules for all robots allow that path. */
bool feed_robots_allow(const char *robots, const char *path);

#endif
