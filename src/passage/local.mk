# Passages of long texts.
noinst_LIBRARIES += src/passage/libpassage.a
src_passage_libpassage_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_passage) $(see_intake) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_passage_libpassage_a_SOURCES = src/passage/chunk_diff.c src/passage/chunk_diff.h src/passage/passage.c src/passage/passage.h src/passage/passage_store.c src/passage/passage_store.h
