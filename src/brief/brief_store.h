/* SQL of the brief; only this room's services include it. */
#ifndef LOCI_BRIEF_STORE_H
#define LOCI_BRIEF_STORE_H

#include "brief.h"

/* Facts that everybody who reads these spaces should know: current ones beside which nothing stands, the oldest first. */
struct brief_fact {
    struct uuid id;
    const char *statement;
    struct instant since;
};
err brief_store_facts(struct ctx *c, struct uuids spaces, size_t max, struct list *out);
/* Active memories of a kind of which there are few, the oldest first: by the index of kinds, however many others there are. */
struct brief_row {
    struct uuid id;
    const char *title, *body, *attrs;
};
err brief_store_kind(struct ctx *c, const char *kind, struct uuids spaces, size_t max, struct list *out);
/* What was said last in a space before that time, the latest first. */
struct brief_turn {
    struct uuid id;
    const char *body, *role;
    struct instant at;
};
err brief_store_turns(struct ctx *c, struct uuid space_id, struct instant before, size_t max, struct list *out);
/* When the session had its first brief; the time that it has where there was none. */
err brief_store_began(struct ctx *c, struct uuid agent_id, const char *session_id, struct instant *at);
err brief_store_log(struct ctx *c, const struct injection *i);
err brief_store_logged(struct ctx *c, const struct injection_filter *f, struct uuid before, struct page *out);
err brief_store_due(struct ctx *c, struct instant before, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err brief_store_purge(struct ctx *c, struct instant before, int64_t limit, int64_t *n);

#endif
