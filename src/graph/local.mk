# The five words: services and their stores.
noinst_LIBRARIES += src/graph/libgraph.a
src_graph_libgraph_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(see_simd) $(SODIUM_CFLAGS)
src_graph_libgraph_a_SOURCES =
# Spaces, nodes, edges, vectors, events.
src_graph_libgraph_a_SOURCES += \
    src/graph/around.c src/graph/around.h src/graph/around_store.c src/graph/around_store.h \
    src/graph/content.c src/graph/content.h \
    src/graph/lifecycle.c src/graph/lifecycle.h \
    src/graph/inert.c src/graph/inert.h src/graph/utf8.h \
    src/graph/node.c src/graph/node.h src/graph/node_change.c src/graph/node_make.c src/graph/node_many.c src/graph/node_many.h src/graph/node_impl.h \
    src/graph/node_cache.c src/graph/node_cache.h \
    src/graph/node_kind.c src/graph/node_kind.h \
    src/graph/node_row.c src/graph/node_row.h \
    src/graph/node_store.c src/graph/node_store.h \
    src/graph/node_write_store.c src/graph/node_write_store.h \
    src/graph/node_touch.c src/graph/node_touch_store.c src/graph/node_touch_store.h \
    src/graph/named.c src/graph/named.h src/graph/named_store.c src/graph/named_store.h \
    src/graph/relation.c src/graph/relation.h \
    src/graph/health.c src/graph/health.h \
    src/graph/figures.c src/graph/figures.h src/graph/figures_store.c src/graph/figures_store.h \
    src/graph/speed.c src/graph/speed.h src/graph/speed_store.c src/graph/speed_store.h \
    src/graph/csv.c src/graph/csv.h src/graph/lines.c src/graph/lines.h src/graph/portion.c src/graph/portion.h \
    src/graph/edge.c src/graph/edge.h src/graph/edge_store.c src/graph/edge_store.h \
    src/graph/vector.c src/graph/vector.h src/graph/vector_blob.c src/graph/vector_store.c src/graph/vector_store.h
# Tidying up behind what has expired, for the jobs.
src_graph_libgraph_a_SOURCES += src/graph/expiry.c src/graph/expiry.h src/graph/expiry_store.c src/graph/expiry_store.h \
    src/graph/versions.c src/graph/versions.h src/graph/versions_store.c src/graph/versions_store.h
# What happened when, and the machine.
src_graph_libgraph_a_SOURCES += src/graph/machine.c src/graph/machine.h \
    src/graph/timeline.c src/graph/timeline.h src/graph/timeline_store.c src/graph/timeline_store.h

# Operations and pages of accounts, spaces, nodes, edges and vectors: these see call and view, never a store.
noinst_LIBRARIES += src/graph/libgraph_ops.a
src_graph_libgraph_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_call) $(see_view) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_graph_libgraph_ops_a_SOURCES = \
    src/graph/graph_calls.h src/graph/graph_html.h \
    src/graph/account_calls.c src/graph/account_html.c \
    src/graph/audit_calls.c src/graph/audit_event_html.c src/graph/audit_event_html.h src/graph/audit_html.c \
    src/graph/design_html.c src/graph/health_html.c src/graph/picture_html.c src/graph/timeline_html.c \
    src/graph/edge_calls.c src/graph/node_bulk_calls.c src/graph/node_calls.c src/graph/node_calls.h src/graph/vector_calls.c \
    src/graph/grant_calls.c src/graph/grant_parts_html.c \
    src/graph/space_calls.c src/graph/space_tree_html.c src/graph/spaces_html.c
