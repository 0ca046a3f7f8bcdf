# Archival memory: what is known of a subject in few lines.
noinst_LIBRARIES += src/archival/libarchival.a
src_archival_libarchival_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_archival) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_archival_libarchival_a_SOURCES = \
    src/archival/archival.c src/archival/archival.h src/archival/archival_collect.c src/archival/archival_impl.h \
    src/archival/archival_store.c src/archival/archival_store.h
# Its operations and job.
noinst_LIBRARIES += src/archival/libarchival_ops.a
src_archival_libarchival_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_archival) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_archival_libarchival_ops_a_SOURCES = \
    src/archival/archival_calls.c src/archival/archival_calls.h src/archival/archival_job.c src/archival/archival_job.h
