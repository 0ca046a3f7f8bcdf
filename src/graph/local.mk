# The five words: services and their stores.
noinst_LIBRARIES += src/graph/libgraph.a
src_graph_libgraph_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_store) $(see_field) $(see_base) $(see_simd) $(SODIUM_CFLAGS)
src_graph_libgraph_a_SOURCES =
# Spaces, nodes, edges, vectors, events.
src_graph_libgraph_a_SOURCES += \
    src/graph/around.c src/graph/around.h src/graph/around_store.c src/graph/around_store.h \
    src/graph/audit.c src/graph/audit.h src/graph/audit_store.c src/graph/audit_store.h \
    src/graph/changes.c src/graph/changes.h \
    src/graph/content.c src/graph/content.h \
    src/graph/lifecycle.c src/graph/lifecycle.h \
    src/graph/inert.c src/graph/inert.h src/graph/utf8.h \
    src/graph/like.c src/graph/like.h \
    src/graph/node.c src/graph/node.h src/graph/node_change.c src/graph/node_make.c src/graph/node_many.c src/graph/node_many.h src/graph/node_impl.h \
    src/graph/node_cache.c src/graph/node_cache.h \
    src/graph/node_kind.c src/graph/node_kind.h \
    src/graph/node_row.c src/graph/node_row.h \
    src/graph/node_store.c src/graph/node_store.h \
    src/graph/node_write_store.c src/graph/node_write_store.h \
    src/graph/node_touch.c src/graph/node_touch_store.c src/graph/node_touch_store.h \
    src/graph/named.c src/graph/named.h src/graph/named_store.c src/graph/named_store.h \
    src/graph/outbox.c src/graph/outbox.h src/graph/outbox_store.c src/graph/outbox_store.h \
    src/graph/relation.c src/graph/relation.h \
    src/graph/health.c src/graph/health.h \
    src/graph/grant.c src/graph/grant.h src/graph/grant_store.c src/graph/grant_store.h \
    src/graph/space.c src/graph/space.h src/graph/space_change.c src/graph/space_impl.h src/graph/space_make.c src/graph/space_room.c src/graph/space_room.h \
    src/graph/space_store.c src/graph/space_store.h \
    src/graph/figures.c src/graph/figures.h src/graph/figures_store.c src/graph/figures_store.h \
    src/graph/thing.c src/graph/thing.h \
    src/graph/speed.c src/graph/speed.h src/graph/speed_store.c src/graph/speed_store.h \
    src/graph/csv.c src/graph/csv.h src/graph/lines.c src/graph/lines.h src/graph/portion.c src/graph/portion.h \
    src/graph/edge.c src/graph/edge.h src/graph/edge_store.c src/graph/edge_store.h \
    src/graph/vector.c src/graph/vector.h src/graph/vector_blob.c src/graph/vector_store.c src/graph/vector_store.h
# Tidying up behind what has expired, for the jobs.
src_graph_libgraph_a_SOURCES += src/graph/expiry.c src/graph/expiry.h src/graph/expiry_store.c src/graph/expiry_store.h \
    src/graph/versions.c src/graph/versions.h src/graph/versions_store.c src/graph/versions_store.h
# Who is calling, and what they may do.
src_graph_libgraph_a_SOURCES += \
    src/graph/access.c src/graph/access.h src/graph/access_impl.h src/graph/access_cache.c \
    src/graph/access_gate_store.c src/graph/access_store.c \
    src/graph/account.c src/graph/account.h src/graph/account_store.c src/graph/account_store.h \
    src/graph/agent.c src/graph/agent.h src/graph/agent_store.c src/graph/agent_store.h \
    src/graph/agent_key.c src/graph/agent_key_store.c \
    src/graph/input_check.c src/graph/input_check.h src/graph/match.h \
    src/graph/password.c src/graph/password.h \
    src/graph/permission.c src/graph/permission.h \
    src/graph/principal.c src/graph/principal.h \
    src/graph/replay.c src/graph/replay.h src/graph/replay_store.c src/graph/replay_store.h \
    src/graph/role.c src/graph/role.h src/graph/role_store.c src/graph/role_store.h \
    src/graph/session.c src/graph/session.h src/graph/session_impl.h src/graph/session_store.c \
    src/graph/timeline.c src/graph/timeline.h src/graph/timeline_store.c src/graph/timeline_store.h \
    src/graph/team.c src/graph/team.h src/graph/team_store.c src/graph/team_store.h \
    src/graph/token.c src/graph/token.h src/graph/token_store.c src/graph/token_store.h src/graph/token_text.c \
    src/graph/user.c src/graph/user.h src/graph/user_store.c src/graph/user_store.h

# Operations and pages of the five words: these see call, view and jobs, never a store.
noinst_LIBRARIES += src/graph/libgraph_ops.a
src_graph_libgraph_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_graph) $(see_call) $(see_view) $(see_jobs) $(see_field) $(see_base)
src_graph_libgraph_ops_a_SOURCES =
# Operations on who is calling.
src_graph_libgraph_ops_a_SOURCES += \
    src/graph/graph_calls.h \
    src/graph/account_calls.c src/graph/user_calls.c src/graph/session_calls.c src/graph/team_calls.c src/graph/role_calls.c \
    src/graph/agent_calls.c src/graph/token_calls.c
# Pages.
src_graph_libgraph_a_SOURCES += src/graph/machine.c src/graph/machine.h
src_graph_libgraph_ops_a_SOURCES += \
    src/graph/account_page.c src/graph/tabs_parts_page.c \
    src/graph/agents_page.c \
    src/graph/audit_event_page.c src/graph/audit_event_page.h src/graph/audit_page.c \
    src/graph/graph_page.h src/graph/picture_page.c \
    src/graph/form_parts_page.c src/graph/grant_parts_page.c src/graph/health_page.c \
    src/graph/parts_page.c src/graph/parts_page.h \
    src/graph/session_parts_page.c \
    src/graph/space_tree_page.c src/graph/spaces_page.c \
    src/graph/teams_page.c \
    src/graph/design_page.c src/graph/timeline_page.c \
    src/graph/tokens_page.c \
    src/graph/users_page.c
src_graph_libgraph_ops_a_SOURCES += \
    src/graph/audit_calls.c src/graph/edge_calls.c src/graph/grant_calls.c src/graph/node_bulk_calls.c \
    src/graph/node_calls.c src/graph/node_calls.h src/graph/space_calls.c src/graph/vector_calls.c
src_graph_libgraph_ops_a_SOURCES += src/graph/expired_job.c src/graph/graph_job.h src/graph/retention_job.c
