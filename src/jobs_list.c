/* Every job and every kind of task that a room declares stands here once; the order is that of the timetable. */
#include "jobs_list.h"

#include "access_log_job.h"
#include "archival_job.h"
#include "brief_job.h"
#include "connector_job.h"
#include "consolidate_job.h"
#include "context_job.h"
#include "decay_job.h"
#include "document_job.h"
#include "erase_job.h"
#include "escalation_job.h"
#include "evaluation_job.h"
#include "event_job.h"
#include "graph_extract_job.h"
#include "graph_job.h"
#include "jobs_own.h"
#include "junk_job.h"
#include "knowledge_job.h"
#include "learning_job.h"
#include "merge_job.h"
#include "note_job.h"
#include "notification_job.h"
#include "page_job.h"
#include "pool_job.h"
#include "promote_job.h"
#include "promotion_job.h"
#include "rag_job.h"
#include "rot_job.h"
#include "scratchpad_job.h"
#include "skillgraph_job.h"
#include "skillmd_job.h"
#include "steer_job.h"
#include "taxonomy_job.h"
#include "transfer_job.h"
#include "trust_job.h"
#include "vectors_job.h"
#include "watch_job.h"
#include "webhook_job.h"

static const struct job *const JOBS[] = {
    &expired_cleanup_job,
    &replay_cleanup_job,
    &session_cleanup_job,
    &event_relay_job,
    &escalation_timeout_job,
    &queue_janitor_job,
    &retention_job,
    &event_cleanup_job,
    &webhook_upkeep_job,
    &version_cleanup_job,
    &history_cleanup_job,
    &embedding_backfill_job,
    &reembed_watch_job,
    &recall_warmup_job,
    &memory_consolidation_job,
    &short_term_cleanup_job,
    &pool_cleanup_job,
    &context_cleanup_job,
    &learning_decay_job,
    &learning_promotion_job,
    &memory_decay_job,
    &memory_dedup_job,
    &rot_detection_job,
    &junk_audit_job,
    &scratchpad_trim_job,
    &observation_pipeline_job,
    &goal_maintenance_job,
    &observation_cleanup_job,
    &injection_cleanup_job,
    &shared_knowledge_maintenance_job,
    &notification_delivery_job,
    &notification_cleanup_job,
    &access_log_cleanup_job,
    &document_sweep_job,
    &rag_cleanup_job,
    &connector_sync_job,
    &trust_decay_job,
    &node_decay_job,
    &taxonomy_hebbian_job,
    &taxonomy_reconcile_job,
    &fp_growth_job,
    &pattern_promote_job,
    &archival_refresh_job,
    &skill_conflict_scan_job,
    &docs_sync_job,
    &skill_proposal_expiry_job,
    &proposal_expiry_job,
    &intervention_policy_tuning_job,
    &graph_communities_job,
    &skill_stale_decay_job,
    &skill_gap_detection_job,
    &skill_refinement_job,
    &consolidate_sweep_job,
    &promotion_sweep_job,
    &subject_notes_job,
    &knowledge_cleanup_job,
    &transfer_cleanup_job,
    &daily_summary_job,
};

static const struct task_kind *const KINDS[] = {
    &run_kind,
    &slice_kind,
    &embed_kind,
    &reembed_kind,
    &promote_kind,
    &webhook_kind,
    &process_document_kind,
    &reembed_base_kind,
    &graph_extract_kind,
    &run_evaluation_kind,
    &bind_links_kind,
    &sync_connector_kind,
    &consolidate_kind,
    &promotion_kind,
    &erase_kind,
    &export_kind,
    &import_kind,
};

const struct job_list JOBS_ALL = {JOBS, sizeof JOBS / sizeof *JOBS, KINDS, sizeof KINDS / sizeof *KINDS};
