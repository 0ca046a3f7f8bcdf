/* SQL of archival memory; only this room includes it. */
#ifndef LOCI_ARCHIVAL_STORE_H
#define LOCI_ARCHIVAL_STORE_H

#include "archival.h"

/* With their lines, by section, the newest first. lock: for a change. */
err archival_store_of(struct ctx *c, struct uuid subject, bool even_superseded, bool lock, struct list *out);
err archival_store_insert(struct ctx *c, const struct archival *a);
/* To superseded, or a draft to published. */
err archival_store_state(struct ctx *c, const struct archival *a, enum archival_state to);
err archival_store_drop(struct ctx *c, struct uuid id);

/* What is known of a subject in one space, by importance and age. */
struct archival_source {
    struct uuid id;
    const char *kind, *fact_type, *text;
    double importance;
    struct instant at;
};
err archival_store_sources(struct ctx *c, struct uuid subject, struct uuid space, bool is_agent, struct list *out);
/* Skills that the agent followed: their name with how often it went well, as texts. */
err archival_store_outcomes(struct ctx *c, struct uuid agent, struct list *out);

err archival_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err archival_store_subjects(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);

#endif
