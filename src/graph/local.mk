# The five words: services and their stores.
noinst_LIBRARIES += src/graph/libgraph.a
src_graph_libgraph_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_store) $(see_base) $(see_simd) $(SODIUM_CFLAGS)
src_graph_libgraph_a_SOURCES =

# Operations and pages of the five words: these see call, view and jobs, never a store.
noinst_LIBRARIES += src/graph/libgraph_ops.a
src_graph_libgraph_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_call) $(see_view) $(see_jobs) $(see_base)
src_graph_libgraph_ops_a_SOURCES =
