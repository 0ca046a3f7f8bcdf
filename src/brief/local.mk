# The brief: what an agent is told before it works.
noinst_LIBRARIES += src/brief/libbrief.a
src_brief_libbrief_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_brief) $(see_archival) $(see_skill) $(see_work) $(see_policy) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_brief_libbrief_a_SOURCES = \
    src/brief/brief.c src/brief/brief.h src/brief/brief_impl.h src/brief/brief_pack.c src/brief/brief_source.c src/brief/brief_store.c \
    src/brief/brief_store.h src/brief/injection.c src/brief/workspace.c src/brief/workspace.h
# Its operations, page and job.
noinst_LIBRARIES += src/brief/libbrief_ops.a
src_brief_libbrief_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_brief) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_brief_libbrief_ops_a_SOURCES = \
    src/brief/brief_calls.c src/brief/brief_calls.h src/brief/brief_html.c src/brief/brief_html.h src/brief/brief_job.c src/brief/brief_job.h
