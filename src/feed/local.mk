# Connectors: what keeps knowledge bases equal to folders and web pages.
noinst_LIBRARIES += src/feed/libfeed.a
src_feed_libfeed_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_feed) $(see_knowledge) $(see_intake) $(see_net) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_feed_libfeed_a_SOURCES = src/feed/connector.c src/feed/connector.h src/feed/connector_store.c src/feed/connector_store.h \
    src/feed/feed_folder.c src/feed/feed_folder.h src/feed/feed_git.c src/feed/feed_git.h src/feed/feed_git_child.c src/feed/feed_git_child.h src/feed/feed_pages.c src/feed/feed_pages.h src/feed/feed_sync.c
# Its operations, pages and jobs.
noinst_LIBRARIES += src/feed/libfeed_ops.a
src_feed_libfeed_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_feed) $(see_knowledge) $(see_intake) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_feed_libfeed_ops_a_SOURCES = src/feed/connector_calls.c src/feed/connector_calls.h src/feed/connector_html.h src/feed/connector_job.c \
    src/feed/connector_job.h src/feed/connectors_html.c
