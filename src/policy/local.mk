# Domains, policies and scratchpads.
noinst_LIBRARIES += src/policy/libpolicy.a
src_policy_libpolicy_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_policy) $(see_belief) $(see_episode) $(see_sanitize) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_policy_libpolicy_a_SOURCES = \
    src/policy/domain.c src/policy/domain.h src/policy/domain_room.c src/policy/domain_room.h src/policy/domain_store.c \
    src/policy/domain_store.h src/policy/policy.c src/policy/policy.h src/policy/policy_store.c src/policy/policy_store.h \
    src/policy/scratchpad.c src/policy/scratchpad.h src/policy/scratchpad_store.c src/policy/scratchpad_store.h
# Their operations, page and job.
noinst_LIBRARIES += src/policy/libpolicy_ops.a
src_policy_libpolicy_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_policy) $(see_belief) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_policy_libpolicy_ops_a_SOURCES = \
    src/policy/domain_calls.c src/policy/policy_calls.c src/policy/policy_calls.h src/policy/policies_html.c src/policy/policy_html.h \
    src/policy/scratchpad_calls.c src/policy/scratchpad_job.c src/policy/scratchpad_job.h
