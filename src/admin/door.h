/* The way in and out: /, /login, /logout, and the choice of colours. */
#ifndef LOCI_DOOR_H
#define LOCI_DOOR_H

#include "frame.h"
#include "router.h"

void door_add_routes(struct router *r, struct arena *a, const struct admin *admin);

/* The person behind the session cookie: ERR_UNAUTHORIZED when there is none. */
err door_authenticate(struct ctx *c, struct exchange *x);
/* To the login page, and from there back to where (NULL: to the overview). */
void door_show_login(struct ctx *c, struct exchange *x, const char *where);
/* ERR_FORBIDDEN unless the form carries the session's CSRF token. */
err door_check_csrf(struct ctx *c, const struct json *form);

#endif
