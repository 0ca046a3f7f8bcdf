# Exports and imports of whole accounts.
noinst_LIBRARIES += src/transfer/libtransfer.a
src_transfer_libtransfer_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_transfer) $(see_steer) $(see_advise) $(see_sessionlog) $(see_skillgraph) $(see_skill) $(see_taxonomy) $(see_skillmd) $(see_page) $(see_attach) $(see_wikitext) $(see_feed) $(see_knowledge) $(see_intake) $(see_jobs) $(see_memory) $(see_work) $(see_watch) $(see_policy) $(see_attest) $(see_belief) $(see_episode) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_transfer_libtransfer_a_SOURCES = \
    src/transfer/export.c src/transfer/export.h \
    src/transfer/import.c src/transfer/import.h \
    src/transfer/memories.c src/transfer/memories.h src/transfer/memories_json.c src/transfer/memories_markdown.c \
    src/transfer/transfer.c src/transfer/transfer.h \
    src/transfer/transfer_file.c src/transfer/transfer_file.h \
    src/transfer/transfer_line.c src/transfer/transfer_line.h \
    src/transfer/transfer_map.c src/transfer/transfer_map.h \
    src/transfer/transfer_rule.c src/transfer/transfer_rule.h \
    src/transfer/transfer_row_store.c src/transfer/transfer_row_store.h \
    src/transfer/transfer_store.c src/transfer/transfer_store.h \
    src/transfer/transfer_table.c src/transfer/transfer_table.h \
    src/transfer/transfer_vault.c src/transfer/transfer_vault.h
# Their operations and jobs.
noinst_LIBRARIES += src/transfer/libtransfer_ops.a
src_transfer_libtransfer_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_transfer) $(see_call) $(see_view) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_transfer_libtransfer_ops_a_SOURCES = \
    src/transfer/memories_calls.c \
    src/transfer/transfer_calls.c src/transfer/transfer_calls.h \
    src/transfer/transfer_job.c src/transfer/transfer_job.h \
    src/transfer/transfer_html.c src/transfer/transfer_html.h
