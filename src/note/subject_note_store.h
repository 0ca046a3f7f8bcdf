/* SQL of notes; only subject_note.c includes this. */
#ifndef LOCI_SUBJECT_NOTE_STORE_H
#define LOCI_SUBJECT_NOTE_STORE_H

#include "subject_note.h"

/* A current fact, and what was true before it. */
struct note_fact {
    struct uuid id, object_entity_id;
    const char *predicate, *object, *before; /* values as texts; before NULL: nothing */
    bool negative;
    double confidence, importance;
    struct instant valid_from, first_seen_at, last_seen_at;
};
err note_store_facts(struct ctx *c, struct uuids subjects, struct list *out);
/* The note on it, even a forgotten one. */
err note_store_get(struct ctx *c, struct uuid subject, bool *found, bool *is_live, struct subject_note *out);
err note_store_put(struct ctx *c, const struct subject_note *n);
/* Other live notes on it: they came back from being forgotten. */
err note_store_others(struct ctx *c, const struct subject_note *n, struct uuids *out);
err note_store_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
err note_store_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);
err note_store_list(struct ctx *c, const struct subject_note_filter *f, struct uuids spaces, struct uuid before, struct page *out);

#endif
