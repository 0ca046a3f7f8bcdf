# Steering agents: proposals, intervention policies, and what is done about recommendations.
noinst_LIBRARIES += src/steer/libsteer.a
src_steer_libsteer_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_steer) $(see_advise) $(see_notify) $(see_trust) $(see_skillgraph) $(see_skill) $(see_memory) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_steer_libsteer_a_SOURCES = \
    src/steer/intervention.c src/steer/intervention.h src/steer/intervention_store.c src/steer/intervention_store.h src/steer/resolve.c \
    src/steer/proposal.c src/steer/proposal.h src/steer/proposal_impl.h src/steer/proposal_review.c src/steer/proposal_store.c src/steer/proposal_store.h \
    src/steer/apply.c src/steer/apply.h src/steer/tuning.c src/steer/tuning.h src/steer/tuning_store.c src/steer/tuning_store.h
# Their operations, pages and jobs.
noinst_LIBRARIES += src/steer/libsteer_ops.a
src_steer_libsteer_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_steer) $(see_advise) $(see_trust) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_steer_libsteer_ops_a_SOURCES = \
    src/steer/steer_calls.h src/steer/proposal_calls.c src/steer/intervention_calls.c src/steer/recommendation_calls.c \
    src/steer/steer_html.h src/steer/steer_parts_html.c src/steer/proposals_html.c src/steer/interventions_html.c src/steer/recommendations_html.c \
    src/steer/steer_job.c src/steer/steer_job.h
