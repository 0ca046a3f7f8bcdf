# The five words: services and their stores.
noinst_LIBRARIES += src/graph/libgraph.a
src_graph_libgraph_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_store) $(see_base) $(see_simd) $(SODIUM_CFLAGS)
src_graph_libgraph_a_SOURCES =
# Spaces, nodes, edges, vectors, events.
src_graph_libgraph_a_SOURCES += \
    src/graph/audit.c src/graph/audit.h src/graph/audit_store.c src/graph/audit_store.h \
    src/graph/content.c src/graph/content.h \
    src/graph/lifecycle.c src/graph/lifecycle.h \
    src/graph/like.c src/graph/like.h \
    src/graph/node.c src/graph/node.h src/graph/node_change.c src/graph/node_impl.h \
    src/graph/node_kind.c src/graph/node_kind.h \
    src/graph/node_store.c src/graph/node_store.h \
    src/graph/node_touch.c src/graph/node_touch_store.c src/graph/node_touch_store.h \
    src/graph/outbox.c src/graph/outbox.h src/graph/outbox_store.c src/graph/outbox_store.h \
    src/graph/relation.c src/graph/relation.h \
    src/graph/grant.c src/graph/grant.h src/graph/grant_store.c src/graph/grant_store.h \
    src/graph/space.c src/graph/space.h src/graph/space_impl.h src/graph/space_make.c \
    src/graph/space_store.c src/graph/space_store.h

# Operations and pages of the five words: these see call, view and jobs, never a store.
noinst_LIBRARIES += src/graph/libgraph_ops.a
src_graph_libgraph_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_call) $(see_view) $(see_jobs) $(see_base)
src_graph_libgraph_ops_a_SOURCES =
# Pages.
src_graph_libgraph_ops_a_SOURCES += \
    src/graph/graph_pages.h \
    src/graph/overview_page.c \
    src/graph/parts_page.c src/graph/parts_page.h
