# Trust: how far agents are trusted, and what people say of their work.
noinst_LIBRARIES += src/trust/libtrust.a
src_trust_libtrust_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_trust) $(see_oversight) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_trust_libtrust_a_SOURCES = \
    src/trust/trust.c src/trust/trust.h src/trust/trust_impl.h src/trust/trust_score.c src/trust/trust_score.h \
    src/trust/trust_store.c src/trust/trust_store.h
