/* The public site of an account: pages and articles that are published and public, for everybody. */
#ifndef LOCI_PUBLIC_PAGE_H
#define LOCI_PUBLIC_PAGE_H

#include "wiki_page.h"

#define PUBLIC_PAGES 100

/* Whose site it is; ERR_NOT_FOUND for an account that has none (its setting public_site), as for one that is not there. From here on the
 * request works as the system of the account: nothing but what these calls answer may be shown. */
err public_site_open(struct ctx *c, const char *account, const char *setting, const char **name);
/* Newest publication first; items: struct wiki_page of PAGE_ITEM. */
err public_page_list(struct ctx *c, enum wiki_type type, struct list *out);
/* With its HTML. *moved: the page that has this old slug has that one now, and out is not set. */
err public_page_find(struct ctx *c, const char *account, enum wiki_type type, const char *slug, struct wiki_page *out, const char **moved);

#endif
