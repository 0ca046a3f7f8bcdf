/* The CSRF token of a session as pages carry it. Pages are compressed, and whoever can make a browser load one with a text of his
 * own choice in it could guess from its length what stays the same (BREACH): so the token stands under random bytes, other ones
 * on each page. */
#ifndef LOCI_CSRF_H
#define LOCI_CSRF_H

#include <stdbool.h>

#include "arena.h"

const char *csrf_veiled(struct arena *a, const char *token);
/* Whether that is the session's token, under whatever veil; NULL never fits. In constant time. */
bool csrf_fits(const char *veiled, const char *token);

#endif
