/* Cookies of the pages, all HttpOnly; Secure where the site is. */
#ifndef LOCI_COOKIE_H
#define LOCI_COOKIE_H

#include "exchange.h"

#define COOKIE_FLASH "loci_flash" /* sealed: what the next page says */
#define COOKIE_DOOR "loci_door"   /* the login form's own CSRF token */
#define COOKIE_THEME "loci_theme" /* light or dark */

/* max_age_s 0: the cookie ends. value holds no ';' and no space. */
void cookie_set(struct ctx *c, struct exchange *x, const char *name, const char *value, int64_t max_age_s);

#endif
