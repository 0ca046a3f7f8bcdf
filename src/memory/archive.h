/* Putting any memory out of the way, whatever kind it is, with the reason in the audit trail. */
#ifndef LOCI_ARCHIVE_H
#define LOCI_ARCHIVE_H

#include "node.h"

#define ARCHIVE_REASON 500 /* characters */

/* Archives, or brings back. Kinds whose keys depend on it are asked of their own room; ERR_CONFLICT where that says no. */
err memory_archive(struct ctx *c, struct uuid id, bool archived, const char *reason, struct node *out);

#endif
