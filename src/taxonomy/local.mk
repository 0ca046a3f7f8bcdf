# Tags, weights that learn, patterns.
noinst_LIBRARIES += src/taxonomy/libtaxonomy.a
src_taxonomy_libtaxonomy_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_taxonomy) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_taxonomy_libtaxonomy_a_SOURCES = \
    src/taxonomy/plastic.c src/taxonomy/plastic.h src/taxonomy/plastic_store.c src/taxonomy/plastic_store.h \
    src/taxonomy/tag.c src/taxonomy/tag.h src/taxonomy/tag_store.c src/taxonomy/tag_store.h src/taxonomy/tag_review.c \
    src/taxonomy/tagging.c src/taxonomy/tagging.h src/taxonomy/taxonomy_room.c src/taxonomy/taxonomy_room.h \
    src/taxonomy/tag_mine.c src/taxonomy/tag_mine.h src/taxonomy/tag_pattern.c src/taxonomy/tag_pattern.h \
    src/taxonomy/tag_pattern_store.c src/taxonomy/tag_pattern_store.h src/taxonomy/tag_upkeep.c src/taxonomy/tag_upkeep.h \
    src/taxonomy/tag_upkeep_store.c src/taxonomy/tag_upkeep_store.h
# Their operations, pages and jobs.
noinst_LIBRARIES += src/taxonomy/libtaxonomy_ops.a
src_taxonomy_libtaxonomy_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_taxonomy) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_taxonomy_libtaxonomy_ops_a_SOURCES = \
    src/taxonomy/taxonomy_calls.c src/taxonomy/taxonomy_calls.h src/taxonomy/taxonomy_html.c src/taxonomy/taxonomy_html.h \
    src/taxonomy/taxonomy_job.c src/taxonomy/taxonomy_job.h
