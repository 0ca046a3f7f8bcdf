# Belief: what was said, and what is held to be true.
noinst_LIBRARIES += src/belief/libbelief.a
src_belief_libbelief_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_belief) $(see_episode) $(see_sanitize) $(see_rules) $(see_extract) $(see_jobs) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_belief_libbelief_a_SOURCES = src/belief/fact.c src/belief/fact.h src/belief/fact_store.c src/belief/fact_store.h
# Facts: claims, the fold, and what they are about.
src_belief_libbelief_a_SOURCES += src/belief/entity.c src/belief/entity.h src/belief/entity_store.c src/belief/entity_store.h \
    src/belief/entity_change.c src/belief/entity_root.c src/belief/entity_root.h \
    src/belief/fact_erase.c src/belief/fact_erase.h src/belief/fact_claim.c src/belief/fact_claim.h src/belief/fact_claim_store.c src/belief/fact_claim_store.h src/belief/fact_fold.c \
    src/belief/fact_fold.h src/belief/fact_put.c src/belief/fact_put.h src/belief/fact_read.c src/belief/fact_read.h src/belief/fact_read_store.c src/belief/fact_read_store.h \
    src/belief/fact_write.c src/belief/fact_write.h src/belief/predicate.c src/belief/predicate.h
# Reading facts out of episodes.
src_belief_libbelief_a_SOURCES += src/belief/consolidate.c src/belief/consolidate.h src/belief/consolidate_store.c src/belief/consolidate_store.h
# Its operations and jobs.
noinst_LIBRARIES += src/belief/libbelief_ops.a
src_belief_libbelief_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_belief) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_belief_libbelief_ops_a_SOURCES = src/belief/belief_calls.h src/belief/consolidate_calls.c src/belief/consolidate_job.c src/belief/consolidate_job.h src/belief/entity_calls.c src/belief/fact_calls.c
