/* Every table of operations that a room declares stands here once. */
#include "calls.h"

#include "archival_calls.h"
#include "attachment_calls.h"
#include "attest_calls.h"
#include "belief_calls.h"
#include "brief_calls.h"
#include "connector_calls.h"
#include "episode_calls.h"
#include "evaluation_calls.h"
#include "event_calls.h"
#include "graph_calls.h"
#include "inbox_calls.h"
#include "jobs_calls.h"
#include "kgraph_calls.h"
#include "knowledge_base_calls.h"
#include "lifecycle_calls.h"
#include "memory_calls.h"
#include "note_calls.h"
#include "notify_calls.h"
#include "oversight_calls.h"
#include "page_calls.h"
#include "people_calls.h"
#include "policy_calls.h"
#include "rag_calls.h"
#include "reading_calls.h"
#include "recall_calls.h"
#include "rule_calls.h"
#include "session_log_calls.h"
#include "skill_calls.h"
#include "skillgraph_calls.h"
#include "skillmd_calls.h"
#include "steer_calls.h"
#include "taxonomy_calls.h"
#include "transfer_calls.h"
#include "trust_calls.h"
#include "watch_calls.h"
#include "work_calls.h"

struct op_table calls_all(struct arena *a)
{
    static const struct op *const *const TABLES[] = {
        account_calls_table,
        user_calls_table,
        session_calls_table,
        agent_calls_table,
        team_calls_table,
        role_calls_table,
        token_calls_table,
        space_calls_table,
        grant_calls_table,
        node_calls_table,
        edge_calls_table,
        vector_calls_table,
        audit_calls_table, event_calls_table, webhook_calls_table,
        job_calls_table,
        job_change_calls_table,
        run_calls_table, task_calls_table,
        settle_calls_table,
        escalation_calls_table, notification_calls_table, inbox_calls_table,
        proposal_calls_table, intervention_calls_table, recommendation_calls_table,
        trust_calls_table, feedback_calls_table,
        recall_calls_table,
        capture_calls_table,
        fact_calls_table, entity_calls_table,
        consolidate_calls_table,
        attest_calls_table,
        note_calls_table,
        rule_calls_table,
        reading_calls_table,
        lifecycle_calls_table,
        domain_calls_table,
        policy_calls_table,
        scratchpad_calls_table,
        goal_calls_table, observation_calls_table,
        work_calls_table,
        brief_calls_table, archival_calls_table,
        knowledge_base_calls_table,
        document_calls_table,
        document_change_calls_table,
        rag_query_calls_table,
        graph_search_calls_table,
        skill_calls_table,
        skill_use_calls_table,
        skill_version_calls_table,
        wiki_page_calls_table,
        page_link_calls_table,
        attachment_calls_table,
        article_calls_table,
        connector_calls_table,
        skill_proposal_calls_table,
        skill_conflict_calls_table,
        graph_walk_calls_table,
        graph_edit_calls_table,
        graph_rag_calls_table,
        evaluation_calls_table,
        graph_merge_calls_table,
        graph_extract_calls_table,
        ask_calls_table,
        skill_service_calls_table,
        skillmd_calls_table, skill_served_calls_table,
        taxonomy_calls_table,
        session_log_calls_table,
        experience_calls_table,
        agent_fact_calls_table,
        agent_fact_many_calls_table,
        private_calls_table,
        context_calls_table,
        context_grant_calls_table,
        context_snapshot_calls_table,
        entry_calls_table,
        entry_bulk_calls_table,
        archive_calls_table,
        access_log_calls_table,
        context_copy_calls_table,
        context_export_calls_table,
        context_import_calls_table,
        entry_search_calls_table,
        working_calls_table,
        working_more_calls_table,
        short_term_calls_table,
        tiered_calls_table,
        tiered_more_calls_table,
        pool_calls_table,
        pool_data_calls_table,
        pool_snapshot_calls_table,
        workflow_calls_table,
        junk_calls_table,
        knowledge_calls_table,
        learning_calls_table,
        learning_review_calls_table,
        merge_calls_table,
        transfer_calls_table,
        memories_calls_table,
    };

    return op_table_new(a, TABLES, sizeof TABLES / sizeof *TABLES);
}
