/* Sections: documents of one base with one list of readers lie in a space of their own below the base, so that the gate's one check
 * is all there is. Readers of the base do not read its sections; who manages the base does. */
#ifndef LOCI_SECTION_H
#define LOCI_SECTION_H

#include "knowledge_base.h"

#define SECTIONS_OF_BASE 512
#define SECTION_IDS 100 /* in one list */
#define SECTION_ACCESS (64 * 1024)

/* Inside a transaction that holds the lock of the base: the space of documents with that list, {read, write: {users, agents, teams,
 * roles}}; NULL: the base. It is made where it is not there, and joins the caller's access set. ERR_INVALID names a place below
 * /access. */
err section_space(struct ctx *c, struct uuid base_id, const struct json *access, struct uuid *space_id);
/* The list of a section, as section_space takes it; NULL: the space is the base. */
err section_list(struct ctx *c, struct uuid base_id, struct uuid space_id, const struct json **access);

/* A section without a live document is out of every reader's sight, and with one it is not; in the transaction of what happened to its
 * documents. */
err section_settle(struct ctx *c, struct uuid space_id);

/* What the sections that the caller may read add to the counters of those bases, each of which has its own only for its readers. */
err section_counts(struct ctx *c, struct knowledge_base *bases, size_t n);

#endif
