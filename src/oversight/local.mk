# Oversight: what is put before people.
noinst_LIBRARIES += src/oversight/liboversight.a
src_oversight_liboversight_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_oversight) $(see_notify) $(see_memory) $(see_belief) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_oversight_liboversight_a_SOURCES = \
    src/oversight/escalation.c src/oversight/escalation.h src/oversight/escalation_ask.c src/oversight/escalation_climb.c src/oversight/escalation_climb.h src/oversight/escalation_impl.h src/oversight/escalation_move.c \
    src/oversight/escalation_raise.c src/oversight/escalation_settle.c src/oversight/escalation_store.c src/oversight/escalation_store.h
# Its operations.
noinst_LIBRARIES += src/oversight/liboversight_ops.a
src_oversight_liboversight_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_oversight) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_oversight_liboversight_ops_a_SOURCES = src/oversight/escalation_calls.c src/oversight/escalation_html.c src/oversight/oversight_html.h src/oversight/escalation_job.c src/oversight/escalation_job.h src/oversight/oversight_calls.h
