/* Long-term memory as the router knows it: entries by key alone, whatever context they are in. */
#ifndef LOCI_LONG_TERM_H
#define LOCI_LONG_TERM_H

#include "entry.h"

/* An entry by key, and for which agent. */
struct long_term_key {
    struct uuid agent_id;
    const char *session_id; /* NULL: the default one */
    const char *key;
};

/* The key under which a session's content is kept when another session's content holds the plain key: "<key>@<session>", cut to what
 * a key may be long. session_id NULL: the default one. */
const char *long_term_session_key(struct ctx *c, const char *key, const char *session_id);

/* The live entry with that key: of the agent's Factual, Long-Term, Experiential Memory, then of the other contexts that the caller may
 * read, changed last first; within one context the session's own key before the plain one. Not what was persisted of working memory.
 * A use, unless peek. Asks the gate about the agent. */
err long_term_find(struct ctx *c, const struct long_term_key *k, bool peek, bool *found, struct entry *out);
/* Past the gate: from here on this request may read what is there of the agent's own contexts. */
err long_term_open(struct ctx *c, struct uuid agent_id);
/* Into "<agent> Long-Term Memory"; where the session has a key of its own there, under that. */
err long_term_put_key(struct ctx *c, const struct long_term_key *k, const struct entry_new *in, struct entry *out);
/* The same under the key that `in` has. */
err long_term_put(struct ctx *c, struct uuid agent_id, const struct entry_new *in, struct entry *out);
/* What long_term_find finds. */
err long_term_archive(struct ctx *c, const struct long_term_key *k, bool *was_there);

#endif
