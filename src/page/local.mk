# Pages, articles and the links between them.
noinst_LIBRARIES += src/page/libpage.a
src_page_libpage_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_page) $(see_jobs) $(see_recall) $(see_embed) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_view) $(see_field) $(see_base) $(UTF8PROC_CFLAGS)
src_page_libpage_a_SOURCES = \
    src/page/link_scan.c src/page/link_scan.h src/page/link_scan_blocks.c src/page/wiki_text.c src/page/wiki_text.h
