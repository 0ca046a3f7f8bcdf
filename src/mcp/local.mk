# The Model Context Protocol over the call table.
noinst_LIBRARIES += src/mcp/libmcp.a
src_mcp_libmcp_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_mcp) $(see_http) $(see_call) $(see_view) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_mcp_libmcp_a_SOURCES = \
    src/mcp/mcp.h src/mcp/mcp_impl.h \
    src/mcp/mcp_brief.c src/mcp/mcp_call.c src/mcp/mcp_complete.c src/mcp/mcp_confirm.c \
    src/mcp/mcp_fixture_ask.c src/mcp/mcp_fixture_ask.h src/mcp/mcp_fixtures.c \
    src/mcp/mcp_headers.c src/mcp/mcp_headers.h src/mcp/mcp_http.c \
    src/mcp/mcp_mailbox_store.c src/mcp/mcp_mailbox_store.h src/mcp/mcp_notify.c \
    src/mcp/mcp_prompts.c src/mcp/mcp_reply.c src/mcp/mcp_reply.h src/mcp/mcp_resources.c src/mcp/mcp_rpc.c \
    src/mcp/mcp_schema.c src/mcp/mcp_skills.c src/mcp/mcp_stdio.c src/mcp/mcp_task.c src/mcp/mcp_text.c src/mcp/mcp_tools.c src/mcp/mcp_toolset.c
