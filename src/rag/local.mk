# Questions put to knowledge bases, and the graph of what they hold.
noinst_LIBRARIES += src/rag/librag.a
src_rag_librag_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_rag) $(see_community) $(see_knowledge) $(see_intake) $(see_jobs) $(see_recall) $(see_llm) $(see_embed) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_rag_librag_a_SOURCES = \
    src/rag/rag.c src/rag/rag.h src/rag/rag_impl.h src/rag/rag_log.c src/rag/rag_store.c src/rag/rag_store.h
# Along the graph.
src_rag_librag_a_SOURCES += \
    src/rag/graph.c src/rag/graph.h src/rag/graph_context.c src/rag/graph_edit.c src/rag/graph_rag.c src/rag/graph_rag.h src/rag/graph_search.c src/rag/graph_store.c src/rag/graph_store.h \
    src/rag/graph_walk.c src/rag/graph_walk.h src/rag/graph_walk_store.c src/rag/graph_walk_store.h \
    src/rag/reason.c src/rag/reason.h
# Answers.
src_rag_librag_a_SOURCES += src/rag/ask.c src/rag/rag_ask.h src/rag/ask_answer.c src/rag/ask_impl.h src/rag/ask_words.c
# Its operations, pages and jobs.
noinst_LIBRARIES += src/rag/librag_ops.a
src_rag_librag_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_rag) $(see_community) $(see_knowledge) $(see_intake) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_rag_librag_ops_a_SOURCES = \
    src/rag/rag_calls.h src/rag/rag_html.h src/rag/communities_html.c src/rag/ask_calls.c src/rag/graph_edit_calls.c src/rag/graph_rag_calls.c src/rag/graph_walk_calls.c src/rag/rag_query_calls.c src/rag/graph_search_calls.c src/rag/rag_html.c \
    src/rag/rag_job.c src/rag/rag_job.h
