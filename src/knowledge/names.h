/* Names in chunks become entities of the graph: a node at the second chunk that holds the name, or for a title; until then the name
 * waits with its one chunk. */
#ifndef LOCI_NAMES_H
#define LOCI_NAMES_H

#include "ctx.h"
#include "list.h"

#define NAMES_OF_CHUNK 40

struct names_chunk {
    struct uuid id;
    const char *heading_path; /* NULL: none */
    const char *body;
    bool is_first; /* of its document */
};

struct names_change {
    struct uuid space_id;
    const char *title; /* of the document */
    const struct names_chunk *added;
    size_t n_added;
    const struct uuid *removed;
    size_t n_removed; /* chunks that are gone */
    bool is_hidden;   /* readers of the space may no longer know of them: summaries of groups that hold their names go, too */
};

/* Inside the transaction that publishes or deletes the chunks. made (may be NULL): ids of entities that are new. */
err names_follow(struct ctx *c, const struct names_change *ch, struct uuids *made);

/* Says that an entity of that space has this name, inside a transaction; holder: the one that has it, perhaps another. */
err names_claim(struct ctx *c, struct uuid space_id, const char *name, struct uuid entity_id, struct uuid *holder);
/* These names of the space lead from one entity to another from now on, in a transaction; norms NULL: all of them. */
err names_move(struct ctx *c, struct uuid space_id, struct uuid from, struct uuid to, const char *const *norms, size_t n);
/* As names are compared: lower case, one space between words, without a first "the". */
const char *name_norm(struct arena *a, const char *name);

/* person, organization, place or concept, by cue words; norm: the name in lower case. */
const char *name_type(const char *norm);
/* The name as the text writes it. */
const char *name_written(struct arena *a, const char *text, const char *norm);

#endif
