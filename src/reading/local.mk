# Reading: what an agent reads of its memory.
noinst_LIBRARIES += src/reading/libreading.a
src_reading_libreading_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_reading) $(see_belief) $(see_episode) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_reading_libreading_a_SOURCES = src/reading/audit_history.c src/reading/audit_history.h src/reading/memory_status.c \
    src/reading/memory_status.h src/reading/read_nodes.c src/reading/read_nodes.h src/reading/search.c src/reading/search.h \
    src/reading/session_manifest.c src/reading/session_manifest.h src/reading/session_manifest_store.c src/reading/session_manifest_store.h
# Its operations.
noinst_LIBRARIES += src/reading/libreading_ops.a
src_reading_libreading_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_reading) $(see_episode) $(see_recall) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_reading_libreading_ops_a_SOURCES = src/reading/reading_calls.c src/reading/reading_calls.h
