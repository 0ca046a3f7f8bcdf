/* Every table of pages that a room declares stands here once; the navigation has this order. */
#include "pages.h"

#include "brief_html.h"
#include "connector_html.h"
#include "evaluation_html.h"
#include "event_html.h"
#include "graph_html.h"
#include "inbox_html.h"
#include "jobs_html.h"
#include "kgraph_html.h"
#include "knowledge_base_html.h"
#include "lifecycle_html.h"
#include "memory_html.h"
#include "notify_html.h"
#include "oversight_html.h"
#include "overview_html.h"
#include "page_calls.h"
#include "people_html.h"
#include "playground_html.h"
#include "policy_html.h"
#include "rag_html.h"
#include "skill_html.h"
#include "skillgraph_html.h"
#include "steer_html.h"
#include "taxonomy_html.h"
#include "transfer_html.h"
#include "trust_html.h"
#include "watch_html.h"
#include "work_html.h"

const struct page_row *const *pages_all(void)
{
    static const struct page_row *const TABLES[] = {
        overview_pages,
        inbox_pages,
        standing_pages,
        notification_pages,
        escalation_pages,
        playground_pages,
        nodes_pages,
        node_pages,
        node_change_pages,
        contexts_pages,
        working_pages,
        context_pages,
        context_settings_pages,
        context_snapshot_pages,
        context_log_pages,
        entry_pages,
        pool_pages,
        pool_keys_pages,
        pool_feed_pages,
        pool_limits_pages,
        pool_snapshot_pages,
        pool_key_pages,
        knowledge_base_pages,
        document_pages,
        connectors_pages,
        rag_pages,
        brief_pages,
        policy_pages,
        work_pages,
        proposals_pages,
        interventions_pages,
        recommendations_pages,
        evaluation_pages,
        insight_pages,
        graph_merge_pages,
        skill_pages,
        taxonomy_pages,
        wiki_pages,
        skill_proposal_pages,
        skill_conflict_pages,
        community_pages,
        junk_pages,
        duplicate_pages,
        erasure_pages,
        picture_pages,
        timeline_pages,
        space_tree_pages,
        spaces_pages,
        agents_pages,
        trust_pages,
        feedback_pages,
        short_term_pages,
        goal_pages,
        observation_pages,
        teams_pages,
        users_pages,
        tokens_pages,
        account_pages,
        timetable_pages,
        job_settings_pages,
        runs_pages,
        queue_pages,
        task_pages,
        audit_pages,
        webhook_pages,
        transfer_pages,
        health_pages,
        design_pages,
        NULL,
    };

    return TABLES;
}
