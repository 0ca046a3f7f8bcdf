# Work items.
noinst_LIBRARIES += src/work/libwork.a
src_work_libwork_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_work) $(see_sanitize) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_work_libwork_a_SOURCES = src/work/work.c src/work/work.h src/work/work_link.c src/work/work_store.c src/work/work_store.h
# Their operations and page.
noinst_LIBRARIES += src/work/libwork_ops.a
src_work_libwork_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_work) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_work_libwork_ops_a_SOURCES = src/work/work_calls.c src/work/work_calls.h src/work/work_html.c src/work/work_html.h
