# Knowledge: bases, their documents and chunks.
noinst_LIBRARIES += src/knowledge/libknowledge.a
src_knowledge_libknowledge_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_knowledge) $(see_passage) $(see_belief) $(see_sanitize) $(see_intake) $(see_jobs) $(see_recall) $(see_embed) $(see_net) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_knowledge_libknowledge_a_SOURCES = \
    src/knowledge/knowledge_base.c src/knowledge/knowledge_base.h src/knowledge/knowledge_base_store.c src/knowledge/knowledge_base_store.h \
    src/knowledge/knowledge_room.c src/knowledge/knowledge_room.h src/knowledge/knowledge_status.c
# Parts of a base with readers of their own.
src_knowledge_libknowledge_a_SOURCES += src/knowledge/section.c src/knowledge/section.h
src_knowledge_libknowledge_a_SOURCES += src/knowledge/document_hygiene.c src/knowledge/document_process.c
# Models of bases that have their own.
src_knowledge_libknowledge_a_SOURCES += src/knowledge/base_model.c src/knowledge/base_model.h \
    src/knowledge/base_model_store.c src/knowledge/base_model_store.h
# Documents and their chunks.
src_knowledge_libknowledge_a_SOURCES += \
    src/knowledge/chunk.c \
    src/knowledge/document.c src/knowledge/document.h src/knowledge/document_add.c src/knowledge/document_change.c src/knowledge/document_source.c src/knowledge/document_impl.h \
    src/knowledge/document_store.c src/knowledge/document_store.h src/knowledge/document_work.c
src_knowledge_libknowledge_a_SOURCES += src/knowledge/knowledge_tidy.c src/knowledge/knowledge_tidy.h \
    src/knowledge/names.c src/knowledge/names.h src/knowledge/names_store.c src/knowledge/names_store.h
# Its operations, pages and jobs.
noinst_LIBRARIES += src/knowledge/libknowledge_ops.a
src_knowledge_libknowledge_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_knowledge) $(see_intake) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_knowledge_libknowledge_ops_a_SOURCES = \
    src/knowledge/knowledge_base_calls.c src/knowledge/knowledge_base_calls.h \
    src/knowledge/document_calls.c src/knowledge/document_change_calls.c src/knowledge/document_job.c src/knowledge/document_job.h \
    src/knowledge/documents_html.c src/knowledge/knowledge_bases_html.c src/knowledge/knowledge_base_html.h
