# Memory: contexts and their entries, pools, working memory.
noinst_LIBRARIES += src/memory/libmemory.a
src_memory_libmemory_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_memory) $(see_advise) $(see_belief) $(see_recall) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_store) $(see_field) $(see_base) $(SODIUM_CFLAGS)
src_memory_libmemory_a_SOURCES =
# Contexts and entries.
src_memory_libmemory_a_SOURCES += \
    src/memory/acl.c src/memory/acl.h src/memory/archive.c src/memory/archive.h \
    src/memory/context.c src/memory/context.h src/memory/context_grant.c src/memory/context_grant.h src/memory/context_impl.h src/memory/context_make.c src/memory/context_room.c \
    src/memory/context_snapshot.c src/memory/context_snapshot.h src/memory/context_snapshot_store.c src/memory/context_snapshot_store.h \
    src/memory/context_store.c src/memory/context_store.h \
    src/memory/entry.c src/memory/entry.h src/memory/entry_change.c src/memory/entry_check.c src/memory/entry_evict.c src/memory/entry_place.c src/memory/entry_search.c src/memory/entry_search.h src/memory/entry_impl.h src/memory/entry_many.c \
    src/memory/entry_store.c src/memory/entry_store.h \
    src/memory/retention.c src/memory/retention.h \
    src/memory/relevance.c src/memory/relevance.h
# Copying entries, and files of them.
src_memory_libmemory_a_SOURCES += src/memory/context_copy.c src/memory/context_copy.h src/memory/records.c src/memory/records.h
# Who did what with contexts.
src_memory_libmemory_a_SOURCES += src/memory/access_log.c src/memory/access_log.h src/memory/access_log_impl.h \
    src/memory/access_log_store.c src/memory/access_log_store.h src/memory/access_reads.c
# Working memory, and whose memory a call is about.
src_memory_libmemory_a_SOURCES += src/memory/subject.c src/memory/subject.h \
    src/memory/working.c src/memory/working.h src/memory/working_kind.c src/memory/working_kind.h \
    src/memory/working_message.c src/memory/working_message.h \
    src/memory/working_persist.c src/memory/working_persist.h \
    src/memory/working_share.c src/memory/working_share_store.c src/memory/working_share_store.h \
    src/memory/working_store.c src/memory/working_store.h src/memory/working_write.h
# Short-term memory, and the router over the tiers.
src_memory_libmemory_a_SOURCES += src/memory/short_term.c src/memory/short_term.h \
    src/memory/short_term_store.c src/memory/short_term_store.h src/memory/tiered.c src/memory/tiered.h \
    src/memory/live_search.c src/memory/live_search.h src/memory/memory_stats.c src/memory/memory_stats.h \
    src/memory/memory_stats_store.c src/memory/memory_stats_store.h src/memory/memory_search.c src/memory/memory_search.h \
    src/memory/shared.c src/memory/shared.h src/memory/shared_store.c src/memory/shared_store.h
# Pools.
src_memory_libmemory_a_SOURCES += \
    src/memory/pool.c src/memory/pool.h src/memory/pool_impl.h src/memory/pool_room.c src/memory/space_rooms.h src/memory/pool_change.c src/memory/pool_change.h \
    src/memory/pool_snapshot.c src/memory/pool_snapshot.h src/memory/pool_snapshot_store.c src/memory/pool_snapshot_store.h \
    src/memory/pool_data.h \
    src/memory/pool_entry_store.c src/memory/pool_entry_store.h \
    src/memory/pool_path.c src/memory/pool_path.h \
    src/memory/pool_policy.c src/memory/pool_policy.h \
    src/memory/pool_query.c \
    src/memory/pool_read.c \
    src/memory/pool_store.c src/memory/pool_store.h \
    src/memory/three_way.c src/memory/three_way.h \
    src/memory/pool_tree.c src/memory/pool_tree.h src/memory/pool_tree_store.c src/memory/pool_tree_store.h \
    src/memory/pool_work.c src/memory/pool_work.h \
    src/memory/pool_write.c
# Upkeep of pools.
src_memory_libmemory_a_SOURCES += src/memory/pool_upkeep.c src/memory/pool_upkeep.h \
    src/memory/pool_upkeep_store.c src/memory/pool_upkeep_store.h
# Workflow runs.
src_memory_libmemory_a_SOURCES += src/memory/workflow.c src/memory/workflow.h \
    src/memory/workflow_store.c src/memory/workflow_store.h
# Shared knowledge, and for whom it is; when two texts are the same memory.
src_memory_libmemory_a_SOURCES += src/memory/alike.c src/memory/alike.h src/memory/alike_find.c src/memory/governed.c src/memory/governed.h src/memory/governed_store.c src/memory/governed_store.h \
    src/memory/echo.c src/memory/echo.h src/memory/echo_store.c src/memory/echo_store.h \
    src/memory/audience.c src/memory/audience.h src/memory/audience_store.c src/memory/audience_store.h \
    src/memory/knowledge.c src/memory/knowledge.h src/memory/knowledge_change.c src/memory/knowledge_impl.h \
    src/memory/knowledge_upkeep.c src/memory/knowledge_upkeep.h src/memory/knowledge_upkeep_store.c src/memory/knowledge_upkeep_store.h \
    src/memory/knowledge_score.c src/memory/knowledge_score.h src/memory/knowledge_store.c src/memory/knowledge_store.h \
    src/memory/tags.c src/memory/tags.h
# From there to long-term memory.
src_memory_libmemory_a_SOURCES += src/memory/promote.c src/memory/promote.h src/memory/promote_alike.c src/memory/promote_alike.h src/memory/promote_store.c src/memory/promote_store.h \
    src/memory/long_term.c src/memory/long_term.h src/memory/long_term_store.c src/memory/long_term_store.h
# Compound learnings.
src_memory_libmemory_a_SOURCES += src/memory/learning.c src/memory/learning.h src/memory/learning_change.c src/memory/learning_promote.c \
    src/memory/learning_conflicts.c src/memory/learning_extract.c src/memory/learning_impl.h src/memory/learning_import.c src/memory/learning_import.h src/memory/learning_score.c \
    src/memory/learning_score.h src/memory/learning_store.c src/memory/learning_store.h
# Rot and junk.
src_memory_libmemory_a_SOURCES += src/memory/archive_many.c src/memory/archive_many.h src/memory/entry_many_store.c src/memory/entry_many_store.h \
    src/memory/context_upkeep.c src/memory/context_upkeep.h src/memory/context_upkeep_store.c src/memory/context_upkeep_store.h \
    src/memory/decay.c src/memory/decay.h src/memory/decay_store.c src/memory/decay_store.h \
    src/memory/finding.c src/memory/finding.h src/memory/finding_store.c src/memory/finding_store.h \
    src/memory/junk.c src/memory/junk.h src/memory/junk_look.c src/memory/junk_look.h src/memory/junk_store.c src/memory/junk_store.h \
    src/memory/junk_health.c src/memory/junk_report_store.c src/memory/suspect.c src/memory/suspect.h \
    src/memory/rot.c src/memory/rot.h src/memory/rot_store.c src/memory/rot_store.h src/memory/staleness.c src/memory/staleness.h
# What says the same: found, merged, or listed for people.
src_memory_libmemory_a_SOURCES += src/memory/dedup.c src/memory/dedup.h src/memory/duplicate.c src/memory/duplicate.h \
    src/memory/duplicate_store.c src/memory/duplicate_store.h src/memory/merge.c src/memory/merge.h src/memory/merge_kind.c \
    src/memory/merge_kind.h src/memory/merge_store.c src/memory/merge_store.h
# What an agent stores of itself: experiences, facts, a pool of its own.
src_memory_libmemory_a_SOURCES += src/memory/experience.c src/memory/experience.h src/memory/agent_fact.c src/memory/agent_fact.h \
    src/memory/private.c src/memory/private.h src/memory/private_pool.c src/memory/private_impl.h src/memory/private_reflect.c \
    src/memory/private_store.c src/memory/private_store.h
# Operations, pages and jobs: these see call, view and jobs, never a store.
noinst_LIBRARIES += src/memory/libmemory_ops.a
src_memory_libmemory_ops_a_CPPFLAGS = $(LOCI_CPPFLAGS) $(see_memory) $(see_call) $(see_view) $(see_jobs) $(see_graph) $(see_people) $(see_access) $(see_record) $(see_field) $(see_base)
src_memory_libmemory_ops_a_SOURCES = src/memory/memory_calls.h
# Operations on contexts and entries.
src_memory_libmemory_ops_a_SOURCES += src/memory/context_calls.c src/memory/context_calls.h src/memory/archive_calls.c src/memory/context_grant_calls.c src/memory/entry_bulk_calls.c src/memory/context_snapshot_calls.c src/memory/entry_calls.c src/memory/entry_calls.h src/memory/entry_search_calls.c
# Copies, exports and imports.
src_memory_libmemory_ops_a_SOURCES += src/memory/context_copy_calls.c src/memory/context_export_calls.c src/memory/context_import_calls.c
# The access log.
src_memory_libmemory_ops_a_SOURCES += src/memory/access_log_calls.c src/memory/access_log_job.c src/memory/access_log_job.h
# Operations on what an agent stores of itself.
src_memory_libmemory_ops_a_SOURCES += src/memory/experience_calls.c src/memory/agent_fact_calls.c src/memory/agent_fact_calls.h src/memory/agent_fact_many_calls.c src/memory/private_calls.c
# Operations on working memory.
src_memory_libmemory_ops_a_SOURCES += src/memory/short_term_calls.c src/memory/tiered_calls.c src/memory/tiered_calls.h src/memory/tiered_more_calls.c src/memory/working_calls.c src/memory/working_calls.h src/memory/working_more_calls.c
# Operations on pools.
src_memory_libmemory_ops_a_SOURCES += src/memory/pool_calls.c src/memory/pool_calls.h src/memory/pool_data_calls.c src/memory/pool_snapshot_calls.c \
    src/memory/workflow_calls.c
src_memory_libmemory_ops_a_SOURCES += src/memory/pool_job.c src/memory/pool_job.h
# Jobs of promotion.
src_memory_libmemory_ops_a_SOURCES += src/memory/promote_job.c src/memory/promote_job.h
# The job of learnings.
src_memory_libmemory_ops_a_SOURCES += src/memory/learning_job.c src/memory/learning_job.h
# Operations on shared knowledge and learnings.
src_memory_libmemory_ops_a_SOURCES += src/memory/knowledge_calls.c src/memory/learning_calls.c src/memory/learning_calls.h \
    src/memory/learning_review_calls.c
# Jobs of rot, decay and junk.
src_memory_libmemory_ops_a_SOURCES += src/memory/context_job.c src/memory/context_job.h src/memory/decay_job.c src/memory/decay_job.h \
    src/memory/junk_calls.c src/memory/junk_job.c src/memory/junk_job.h \
    src/memory/knowledge_job.c src/memory/knowledge_job.h src/memory/rot_job.c src/memory/rot_job.h
# Pages of contexts and entries.
src_memory_libmemory_ops_a_SOURCES += src/memory/memory_html.h src/memory/memory_parts_html.c src/memory/entry_parts_html.c \
    src/memory/context_log_html.c src/memory/context_html.c src/memory/context_html.h src/memory/context_parts_html.c \
    src/memory/context_settings_html.c src/memory/context_snapshot_html.c src/memory/contexts_html.c src/memory/entry_html.c
# Pages of nodes, whatever kind they are.
src_memory_libmemory_ops_a_SOURCES += src/memory/nodes_html.c src/memory/node_html.c src/memory/node_parts_html.c src/memory/node_score_html.c src/memory/node_score_html.h \
    src/memory/node_change_html.c src/memory/node_more_html.c
# Merging.
src_memory_libmemory_ops_a_SOURCES += src/memory/merge_calls.c src/memory/merge_job.c src/memory/merge_job.h
# Pages of pools.
src_memory_libmemory_ops_a_SOURCES += src/memory/pool_html.c src/memory/pool_html.h src/memory/pool_parts_html.c src/memory/pool_key_html.c \
    src/memory/pool_keys_html.c src/memory/pool_feed_html.c src/memory/pool_limits_html.c src/memory/pool_conflict_html.c \
    src/memory/pool_snapshot_html.c src/memory/snapshot_parts_html.c src/memory/restore_change.h
# The pages of short-term memory, of junk and of duplicates.
src_memory_libmemory_ops_a_SOURCES += src/memory/junk_html.c src/memory/duplicates_html.c src/memory/short_term_html.c src/memory/working_html.c
