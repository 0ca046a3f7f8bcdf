/* Notes: what is believed of an entity, as one text that recall finds. */
#ifndef LOCI_SUBJECT_NOTE_H
#define LOCI_SUBJECT_NOTE_H

#include "ctx.h"
#include "json.h"
#include "list.h"
#include "page.h"
#include "thing_table.h"

#define NOTE_FACTS_LEAST 3
#define NOTE_NAMES_LEAST 2
#define NOTE_FACTS 60 /* of one subject, at most */
#define NOTE_CONFIDENCE 0.6

struct subject_note {
    struct uuid id, space_id, subject_id;
    const char *title, *body;
    struct bytes facts_key;
    const struct json *keywords;
    int64_t fact_count;
    struct instant first_seen_at, last_seen_at, created_at, updated_at;
};
extern const struct thing SUBJECT_NOTE;

struct subject_note_filter {
    struct uuid space_id, subject_id;
    int64_t limit;
    const char *cursor;
};
err subject_note_list(struct ctx *c, const struct subject_note_filter *f, struct page *out);

/* An entity that has a note, or enough facts for one. */
struct note_subject {
    struct uuid id, space_id;
};
/* In the order of ids, behind that one. */
err subject_note_due(struct ctx *c, struct uuid behind, int64_t limit, struct list *out);
err subject_note_accounts(struct ctx *c, struct uuid above, struct uuid *ids, size_t max, size_t *n);

#define NOTE_OUTCOME(X) \
    X(NOTE_SAME, "unchanged") X(NOTE_MADE, "made") X(NOTE_ANEW, "written anew") X(NOTE_GONE, "withdrawn") X(NOTE_SKIPPED, "skipped")
ENUMX_DECLARE(note_outcome, NOTE_OUTCOME);
/* The note says what is believed now; one that has too little to say is forgotten. Inside the caller's transaction. */
err subject_note_write(struct ctx *c, const struct note_subject *s, bool dry, enum note_outcome *out);

#endif
