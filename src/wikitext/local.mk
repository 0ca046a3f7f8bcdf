# Texts with [[links]]: what is found in them, without storage.
noinst_LIBRARIES += src/wikitext/libwikitext.a
src_wikitext_libwikitext_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_wikitext) $(see_graph) $(see_base) $(UTF8PROC_CFLAGS)
src_wikitext_libwikitext_a_SOURCES = src/wikitext/link_scan.c src/wikitext/link_scan.h src/wikitext/link_scan_blocks.c src/wikitext/wiki_text.c \
    src/wikitext/wiki_text.h
