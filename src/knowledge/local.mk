# Knowledge: bases of documents, their chunks, and questions put to them.
noinst_LIBRARIES += src/knowledge/libknowledge.a
src_knowledge_libknowledge_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_knowledge) $(see_jobs) $(see_recall) $(see_embed) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_knowledge_libknowledge_a_SOURCES = \
    src/knowledge/knowledge_base.c src/knowledge/knowledge_base.h src/knowledge/knowledge_base_store.c src/knowledge/knowledge_base_store.h \
    src/knowledge/knowledge_room.c src/knowledge/knowledge_room.h src/knowledge/knowledge_status.c
# Its operations, pages and jobs.
noinst_LIBRARIES += src/knowledge/libknowledge_ops.a
src_knowledge_libknowledge_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_knowledge) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_knowledge_libknowledge_ops_a_SOURCES = \
    src/knowledge/knowledge_base_calls.c src/knowledge/rag_calls.h \
    src/knowledge/knowledge_bases_html.c src/knowledge/rag_html.h
