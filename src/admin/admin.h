/* The frame of the admin pages: routes, sessions, CSRF, flash messages, errors as pages. Rooms bring the pages. */
#ifndef LOCI_ADMIN_H
#define LOCI_ADMIN_H

#include "router.h"

/* Adds /, /login, /logout and every page under /admin. */
void admin_add_routes(struct router *r, struct arena *a);

#endif
