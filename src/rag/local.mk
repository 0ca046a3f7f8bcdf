# Questions put to knowledge bases, and the graph of what they hold.
noinst_LIBRARIES += src/rag/librag.a
src_rag_librag_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_rag) $(see_knowledge) $(see_intake) $(see_jobs) $(see_recall) $(see_llm) $(see_embed) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_rag_librag_a_SOURCES = \
    src/rag/rag.c src/rag/rag.h src/rag/rag_impl.h src/rag/rag_log.c src/rag/rag_store.c src/rag/rag_store.h
# Its operations, pages and jobs.
noinst_LIBRARIES += src/rag/librag_ops.a
src_rag_librag_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_rag) $(see_knowledge) $(see_intake) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_rag_librag_ops_a_SOURCES = \
    src/rag/rag_calls.h src/rag/rag_html.h src/rag/rag_query_calls.c src/rag/graph_search_calls.c src/rag/rag_html.c \
    src/rag/rag_job.c src/rag/rag_job.h
