/* The frame of the admin pages: routes, sessions, CSRF, flash messages, errors as pages. Rooms bring the pages. */
#ifndef LOCI_ADMIN_H
#define LOCI_ADMIN_H

#include "page_call.h"
#include "router.h"

/* Adds /, /login, /logout and the pages of the tables (ended by NULL; they outlive the router); what else is asked for
 * below /admin is answered with a page, too. */
void admin_add_routes(struct router *r, struct arena *a, const struct page_row *const *tables);

#endif
