# Belief: what is held to be true.
noinst_LIBRARIES += src/belief/libbelief.a
src_belief_libbelief_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_belief) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_belief_libbelief_a_SOURCES = src/belief/fact.c src/belief/fact.h src/belief/fact_store.c src/belief/fact_store.h
