# Oversight: what is put before people.
noinst_LIBRARIES += src/oversight/liboversight.a
src_oversight_liboversight_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_oversight) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_oversight_liboversight_a_SOURCES = \
    src/oversight/escalation.c src/oversight/escalation.h src/oversight/escalation_store.c src/oversight/escalation_store.h
# Its operations.
noinst_LIBRARIES += src/oversight/liboversight_ops.a
src_oversight_liboversight_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_oversight) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_oversight_liboversight_ops_a_SOURCES = src/oversight/escalation_calls.c src/oversight/oversight_calls.h
