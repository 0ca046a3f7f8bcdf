/* Long-term memory as the router knows it: entries by key alone, whatever context they are in. */
#ifndef LOCI_LONG_TERM_H
#define LOCI_LONG_TERM_H

#include "entry.h"

/* The live entry with that key: of the agent's Factual, Long-Term, Experiential Memory, then of the other contexts that the caller may
 * read, changed last first. Not what was persisted of working memory. A use, unless peek. Asks the gate about the agent. */
err long_term_find(struct ctx *c, struct uuid agent_id, const char *key, bool peek, bool *found, struct entry *out);
/* Past the gate: from here on this request may read what is there of the agent's own contexts. */
err long_term_open(struct ctx *c, struct uuid agent_id);
/* Into "<agent> Long-Term Memory". */
err long_term_put(struct ctx *c, struct uuid agent_id, const struct entry_new *in, struct entry *out);
/* What long_term_find finds. */
err long_term_archive(struct ctx *c, struct uuid agent_id, const char *key, bool *was_there);

#endif
