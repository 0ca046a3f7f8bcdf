/* Notes are written hourly, subject by subject; a run that does not reach the last goes on with the next. */
#include "note_job.h"

#include "subject_note.h"

static err note_select(struct ctx *c, struct slice *s, struct slice_row *rows, size_t *n)
{
    struct note_subject *v;
    struct list due;

    TRY(subject_note_due(c, slice_behind(s), s->limit, &due));
    v = due.v;
    for (size_t i = 0; i < due.n; i++)
        rows[i] = slice_row_of(c, &v[i].id, &v[i]);
    *n = due.n;
    return ERR_OK;
}

static err note_apply(struct ctx *c, struct slice *s, const struct slice_row *rows, size_t n)
{
    static const char *const COUNTS[] = {[NOTE_SAME] = NULL, [NOTE_MADE] = "made", [NOTE_ANEW] = "written_anew", [NOTE_GONE] = "withdrawn",
                                         [NOTE_SKIPPED] = NULL};
    enum note_outcome outcome;

    for (size_t i = 0; i < n; i++) {
        TRY(subject_note_write(c, rows[i].data, s->dry, &outcome));
        s->skipped += outcome == NOTE_SKIPPED;
        if (!COUNTS[outcome])
            continue;
        s->changed++;
        slice_count(s, COUNTS[outcome], 1);
    }
    return ERR_OK;
}

const struct job subject_notes_job = {
    .name = "subject_notes", .description = "notes on entities say what is believed of them now", .schedule = "35 * * * *", .bound = 5000,
    .batch = 100, .flags = JOB_DRY_RUN, .due = subject_note_accounts, .select = note_select, .apply = note_apply,
};
