# Recommendations: any room may add one, so this stands below them.
noinst_LIBRARIES += src/advise/libadvise.a
src_advise_libadvise_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_advise) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_advise_libadvise_a_SOURCES = src/advise/recommendation.c src/advise/recommendation.h src/advise/recommendation_store.c src/advise/recommendation_store.h
