/* Operations on notes. */
#include "note_calls.h"

#include "subject_note.h"

static const struct field SUBJECT_NOTE_FILTER[] = {
    F_UUID(struct subject_note_filter, space_id, FIELD_NULLABLE | FIELD_SPACE, "only of this space, by id or slug"),
    F_UUID(struct subject_note_filter, subject_id, FIELD_NULLABLE, "only the one on this entity"),
    F_PAGE(struct subject_note_filter),
    F_END
};

OP_CALL(SUBJECT_NOTE_LIST, struct subject_note_filter, struct page, subject_note_list(c, in, out),
        .name = "note.list", .method = "GET", .path = "/api/v1/notes", .tag = "belief",
        .summary = "Lists notes: what is believed of an entity, as one text that a job keeps. Search finds them with kinds=note.",
        .perm = PERM_BELIEF_READ, .flags = OP_READONLY | OP_IDEMPOTENT | OP_LIST, OP_IN(SUBJECT_NOTE_FILTER, struct subject_note_filter),
        OP_GIVE(SUBJECT_NOTE, struct subject_note));

const struct op *const note_calls_table[] = {&SUBJECT_NOTE_LIST, NULL};
