/* What the files of the space service share; nobody else includes this. */
#ifndef LOCI_SPACE_IMPL_H
#define LOCI_SPACE_IMPL_H

#include "space.h"

err space_missing(struct ctx *c);
/* Neither deleted nor expired. */
bool space_is_there(const struct ctx *c, const struct space *s);
/* The slug of a space that was given none. */
const char *space_made_slug(struct ctx *c, struct uuid id);
/* What is deleted before this is gone for good. */
struct instant space_restorable_since(const struct ctx *c, enum space_kind kind);
err space_check_expiry(struct ctx *c, const struct space *s);
/* A row as it will be inserted, with a new id unless it has one. */
struct space space_filled(struct ctx *c, const struct space *in);
/* Passes e on; a slug that is taken gets a sentence of its own. */
err space_taken(struct ctx *c, err e, const char *slug);
/* The audit event of a change, which is news, and the end of the cached access sets; inside its transaction. */
err space_changed(struct ctx *c, const char *verb, const struct space *before, const struct space *after);

#endif
