# Pages, articles and the links between them.
noinst_LIBRARIES += src/page/libpage.a
src_page_libpage_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_page) $(see_passage) $(see_attach) $(see_wikitext) $(see_intake) $(see_jobs) $(see_recall) $(see_embed) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_simd) $(see_view) $(see_field) $(see_base) $(UTF8PROC_CFLAGS)
src_page_libpage_a_SOURCES = \
    src/page/wiki_columns.c src/page/wiki_page.c src/page/wiki_page.h src/page/wiki_page_impl.h src/page/wiki_page_save.c src/page/wiki_page_store.c \
    src/page/wiki_page_store.h src/page/wiki_space.c src/page/wiki_space.h
# Links.
src_page_libpage_a_SOURCES += \
    src/page/content_links.c src/page/content_links.h src/page/page_graph.c src/page/page_link.c src/page/page_link.h \
    src/page/page_link_store.c src/page/page_link_store.h src/page/page_resolve.c
src_page_libpage_a_SOURCES += \
    src/page/daily_summary.c src/page/daily_summary.h src/page/daily_summary_store.c src/page/daily_summary_store.h
src_page_libpage_a_SOURCES += src/page/vault.c src/page/vault.h src/page/vault_impl.h src/page/vault_out.c
# Rendering.
src_page_libpage_a_SOURCES += src/page/public_page.c src/page/public_page.h src/page/page_render.c src/page/page_render.h src/page/render_clean.c
# Operations, pages and jobs.
noinst_LIBRARIES += src/page/libpage_ops.a
src_page_libpage_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_page) $(see_wikitext) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_page_libpage_ops_a_SOURCES = \
    src/page/article_calls.c src/page/page_calls.h src/page/page_job.c src/page/page_job.h src/page/page_link_calls.c src/page/wiki_page_calls.c \
    src/page/wiki_pages_html.c
