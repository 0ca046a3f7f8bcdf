/* What the files of the access log share; nobody else includes this. */
#ifndef LOCI_ACCESS_LOG_IMPL_H
#define LOCI_ACCESS_LOG_IMPL_H

#include "access_log_store.h"

/* What the request says by itself: who, from where, when. Texts are those of the request. */
struct access_row access_row_of(const struct ctx *c, enum access_action action, struct uuid context_id, struct uuid entry_id);

#endif
