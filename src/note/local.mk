# Notes on what is believed of a subject.
noinst_LIBRARIES += src/note/libnote.a
src_note_libnote_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_note) $(see_belief) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_note_libnote_a_SOURCES = src/note/subject_note.c src/note/subject_note.h src/note/subject_note_store.c src/note/subject_note_store.h
# Its operations and job.
noinst_LIBRARIES += src/note/libnote_ops.a
src_note_libnote_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_note) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_note_libnote_ops_a_SOURCES = src/note/note_calls.c src/note/note_calls.h src/note/note_job.c src/note/note_job.h
