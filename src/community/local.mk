# Which names belong together.
noinst_LIBRARIES += src/community/libcommunity.a
src_community_libcommunity_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_community) $(see_knowledge) $(see_intake) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_community_libcommunity_a_SOURCES = \
    src/community/community.c src/community/community.h src/community/community_make.c src/community/community_store.c \
    src/community/community_store.h src/community/community_text.c src/community/community_text.h src/community/leiden.c \
    src/community/leiden.h src/community/name_graph.c src/community/name_graph.h src/community/name_graph_store.c \
    src/community/name_graph_store.h
