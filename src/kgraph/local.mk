# The knowledge graph as a whole: nodes that are one, graphs out of texts.
noinst_LIBRARIES += src/kgraph/libkgraph.a
src_kgraph_libkgraph_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_kgraph) $(see_rag) $(see_community) $(see_knowledge) $(see_belief) $(see_episode) $(see_rules) $(see_extract) $(see_intake) $(see_jobs) $(see_recall) $(see_llm) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base)
src_kgraph_libkgraph_a_SOURCES = \
    src/kgraph/graph_extract.c \
    src/kgraph/graph_extract.h \
    src/kgraph/graph_extract_read.c \
    src/kgraph/graph_extract_read.h \
    src/kgraph/graph_extract_store.c \
    src/kgraph/graph_extract_store.h \
    src/kgraph/graph_merge.c \
    src/kgraph/graph_merge.h \
    src/kgraph/graph_merge_store.c \
    src/kgraph/graph_merge_store.h
# Its operations, pages and jobs.
noinst_LIBRARIES += src/kgraph/libkgraph_ops.a
src_kgraph_libkgraph_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_kgraph) $(see_rag) $(see_knowledge) $(see_intake) $(see_jobs) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_kgraph_libkgraph_ops_a_SOURCES = \
    src/kgraph/graph_extract_calls.c \
    src/kgraph/graph_extract_job.c \
    src/kgraph/graph_extract_job.h \
    src/kgraph/graph_merge_calls.c \
    src/kgraph/graph_merges_html.c \
    src/kgraph/kgraph_calls.h \
    src/kgraph/kgraph_html.h
