/* What of an account is exported: its tables in the order in which they are imported, and their columns. */
#include "transfer_table.h"

#include <assert.h>
#include <string.h>

#include "json.h"
#include "transfer_rule.h"

/* A new table with an account_id belongs here, or into LEFT_OUT: tests/api/transfer.test.mjs compares both with the schema.
 * name:type=rule; a ? behind the type: may be null. Every column but ids and times has a rule of transfer_rule.c. Types: u id, s text,
 * r text that may end in an id, i whole number, d number, t time, b bytes, D day,
     V vector. Tables that others refer to come first; ids of those with words of their own (their third column) may already
 * be there under another id. */
static const struct declared {
    const char *name, *key, *words;
    enum transfer_part part;
    const char *columns;
} TABLES[] = {
    {"account", "", NULL, TRANSFER_ALWAYS,
     "name:s=name settings:s=settings version:i=version created_at:t updated_at:t"},
    {"role", "name", NULL, TRANSFER_ALWAYS,
     "name:s=slug64 kind:s=role_kind description:s=text255"},
    {"role_permission", "role permission", NULL, TRANSFER_ALWAYS,
     "role:s=slug64 permission:s=permission"},
    {"user", "id", "email", TRANSFER_ALWAYS,
     "id:u email:s=email name:s=name role:s=slug64 status:s=user_status last_login_at:t? version:i=version "
     "created_at:t updated_at:t"},
    {"agent", "id", "slug", TRANSFER_ALWAYS,
     "id:u slug:s=slug name:s=name kind:s=slug64 description:s?=description role:s=slug64 parent_id:u? "
     "status:s=agent_status trust:d=share limited_at:t? is_watched:i=flag sensors:s=array version:i=version created_at:t updated_at:t"},
    {"agent_role", "agent_id role", NULL, TRANSFER_ALWAYS,
     "agent_id:u role:s=slug64 created_at:t"},
    {"agent_trust", "agent_id", NULL, TRANSFER_ALWAYS,
     "agent_id:u reliability:d=share cost:d=share safety:d=share quality:d=share speed:d=share overall:d=share tier:s=trust_tier "
     "evaluation_count:i=count last_evaluated_at:t? decayed_at:t? tier_since:t last_demoted_at:t? pinned_tier:s?=trust_tier "
     "pin_reason:s?=reason created_at:t updated_at:t"},
    {"trust_event", "id", NULL, TRANSFER_ALWAYS,
     "id:u agent_id:u kind:s=word32 execution_id:u by_id:u? inputs:s=attrs before:s=attrs after:s=attrs at:t"},
    {"feedback", "id", NULL, TRANSFER_ALWAYS,
     "id:u agent_id:u user_id:u rating:i?=stars feedback_type:s=feedback_type context_kind:s?=word32 context_id:r?=word64 comment:s?=note "
     "message:s?=note requested_at:t? applied_to_trust:i=flag version:i=version created_at:t updated_at:t"},
    {"agent_key", "id", "agent_id public_key", TRANSFER_ALWAYS,
     "id:u agent_id:u name:s=name public_key:b=hash valid_from:t valid_to:t? revoked_at:t? created_at:t"},
    {"team", "id", "slug", TRANSFER_ALWAYS,
     "id:u slug:s=slug name:s=name description:s?=description version:i=version created_at:t updated_at:t"},
    {"team_member", "team_id agent_id", NULL, TRANSFER_ALWAYS,
     "team_id:u agent_id:u role:s=slug64 is_lead:i=flag created_at:t"},
    {"job_override", "job_name", NULL, TRANSFER_ALWAYS,
     "job_name:s=slug64 enabled:i=flag params:s=attrs reason:s?=reason updated_by:s=text255 "
     "version:i=version updated_at:t"},
    {"space", "id", "kind slug", TRANSFER_ALWAYS,
     "id:u kind:s=space_kind slug:r=handle name:s=name description:s?=description parent_id:u? "
     "owner_agent_id:u? team_id:u? settings:s=settings status:s=space_status is_section:i=flag version:i=version "
     "created_at:t updated_at:t archived_at:t? expires_at:t? deleted_at:t?"},
    {"space_grant", "id", "space_id grantee_kind grantee_id", TRANSFER_ALWAYS,
     "id:u space_id:u grantee_kind:s=grantee_kind grantee_id:r=word64 level:s=grant_level granted_by:u? "
     "created_at:t expires_at:t? version:i=version"},
    {"context", "space_id", NULL, TRANSFER_ALWAYS,
     "space_id:u context_type:s=context_type scope:s=context_scope agent_id:u? created_by_user_id:u? "
     "context_data:s=settings metadata:s=settings retention_policy:s=settings entry_count:i=count "
     "data_size_bytes:i=count last_modified_at:t access_count:i=count last_accessed_at:t?"},
    {"pool", "space_id", NULL, TRANSFER_ALWAYS,
     "space_id:u pool_type:s=pool_type scope:s=pool_scope persist_across_executions:i=flag "
     "task_execution_id:s?=reference workflow_run_id:s?=run_id session_id:s?=reference metadata:s=settings "
     "retention_policy:s=settings version:i=version key_count:i=count data_size_bytes:i=count "
     "access_count:i=count write_count:i=count evicted_count:i=count expired_count:i=count "
     "last_write_at:t?"},
    {"knowledge_base", "id", NULL, TRANSFER_ALWAYS,
     "id:u live_name:s?=name status:s=knowledge_base_status chunking_strategy:s=chunking_strategy chunk_size:i=few chunk_overlap:i=few "
     "embedding_provider:s?=word16 embedding_model:s?=text255 is_public:i=flag log_queries:s=query_log "
     "extraction:s=extraction document_count:i=count "
     "chunk_count:i=count total_tokens:i=count storage_bytes:i=count query_count:i=count last_indexed_at:t? last_queried_at:t? "
     "error_code:s?=word32 error_message:s?=note created_by:u version:i=version created_at:t updated_at:t"},
    {"knowledge_section", "id", NULL, TRANSFER_ALWAYS,
     "id:u knowledge_base_id:u access_hash:b=hash document_count:i=count chunk_count:i=count total_tokens:i=count storage_bytes:i=count"},
    {"workflow_run", "run_id", NULL, TRANSFER_ALWAYS,
     "run_id:s=run_id started_by_kind:s=person started_by:u started_at:t finished_at:t?"},
    {"workflow_participant", "run_id agent_id", NULL, TRANSFER_ALWAYS,
     "run_id:s=run_id agent_id:u joined_at:t"},
    {"node", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u kind:s=node_kind title:s=title body:s=body attrs:s=attrs status:s=word16 "
     "importance:d=share confidence:d=share trust:d=share surprise:d=surprise decay_rate:d=per_day "
     "access_count:i=count referenced_count:i=count last_access_at:t? decayed_at:t is_pinned:i=flag "
     "source_kind:s?=source_kind source_id:r?=text255 author_kind:s=principal_kind author_id:u "
     "content_hash:b=hash occurrences:i=version version:i=version previous_id:u? superseded_by:u? "
     "tokens:i=few valid_from:t? valid_to:t? created_at:t updated_at:t expires_at:t? archived_at:t? "
     "forgotten_at:t?"},
    {"entry", "node_id", NULL, TRANSFER_ALWAYS,
     "node_id:u space_id:u head_id:u? entry_key:s=key live:i?=one version:i=version "
     "entry_type:s=entry_type memory_type:s=memory_type content:s=content content_hash:b=hash "
     "size_bytes:i=count context_tags:s=array task_context:s?=entry_object metadata:s=entry_object "
     "outcome_success:i?=flag"},
    {"episode", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u role:s=episode_role captured_at:t session_id:s?=reference tz:s?=word64 text_hash:b=hash submitted_hash:b?=hash "
     "simhash:i=change consolidation_state:s=episode_state attempts:i=few next_attempt_at:t? claimed_until:t? last_error:s?=note "
     "rule_set:s?=word64 near_of:u? near_distance:i?=few injection_score:d=share echo_ratio:d=share supersedes_hint:u? "
     "occurrences:i=version origin:s=object created_at:t"},
    {"memory_domain", "id", NULL, TRANSFER_ALWAYS,
     "id:u created_by_role:s=slug64"},
    {"policy", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u required_role:s?=slug64 active:i=flag always:i=flag priority:i=few applies:s?=object source_count:i=few "
     "flags:s=array version:i=version created_at:t updated_at:t"},
    {"work_item", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u level:s=word32 work_status:s=work_status parent_id:u? ordinal:i=change assignee:u? due_at:t? status_at:t "
     "version:i=version created_at:t updated_at:t"},
    {"goal", "id", NULL, TRANSFER_ALWAYS,
     "id:u agent_id:u space_id:u parent_goal_id:u? depth:i=few goal_type:s=goal_type status:s=goal_status priority:i=few progress:d=share "
     "success_criteria:s?=settings deadline:t? created_by:u? last_activity_at:t warned_at:t? due_at:t? end_reason:s?=text500 "
     "version:i=version created_at:t updated_at:t"},
    {"space_tag", "space_id slug", NULL, TRANSFER_ALWAYS,
     "space_id:u slug:s=slug id:u"},
    {"agent_scratchpad", "agent_id", NULL, TRANSFER_ALWAYS,
     "agent_id:u body:s=scratchpad version:i=count updated_at:t updated_by:u"},
    {"episode_dedup", "space_id text_hash", NULL, TRANSFER_ALWAYS,
     "space_id:u text_hash:b=hash node_id:u"},
    {"episode_occurrence", "node_id seq", NULL, TRANSFER_ALWAYS,
     "node_id:u seq:i=few role:s=episode_role captured_at:t session_id:s?=reference author_kind:s=principal_kind author_id:u trust:d=share "
     "state:s=episode_state at:t"},
    {"episode_cut", "node_id seq", NULL, TRANSFER_ALWAYS,
     "node_id:u seq:i=few pattern_id:s=word64 kind:s=word16 start_byte:i=few end_byte:i=few cut_text:s?=note"},
    {"provenance", "id", NULL, TRANSFER_ALWAYS,
     "id:u node_id:u author_kind:s=principal_kind author_id:u model_family:s?=text255 model_version:s?=text255 request_id:s=ascii64 "
     "trust_at_write:d=share at:t key_id:u? signature:s?=ascii128"},
    {"entity_alias", "space_id norm entity_id", NULL, TRANSFER_ALWAYS,
     "space_id:u norm:s=key entity_id:u surface:s=text255 source:s=word16 count:i=version"},
    {"entity_root", "entity_id", NULL, TRANSFER_ALWAYS,
     "entity_id:u parent_id:u root_id:u"},
    {"fact", "node_id", NULL, TRANSFER_ALWAYS,
     "node_id:u space_id:u slot_key:b=hash current:i?=one predicate:s=predicate object_json:s=json "
     "object_key:b=half_hash mention_count:i=version first_seen_at:t last_seen_at:t subject_id:u? negative:i=flag "
     "modality:s=fact_modality object_entity_id:u? fact_type:s=fact_type veracity:s=fact_veracity author_count:i=version contested:i=flag "
     "quarantine_reason:s?=word16 source_refs:s?=array"},
    {"subject_note", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u subject_id:u facts_key:b=hash keywords:s=array fact_count:i=few first_seen_at:t last_seen_at:t created_at:t "
     "updated_at:t"},
    {"fact_slot", "slot_key", NULL, TRANSFER_ALWAYS,
     "slot_key:b=hash space_id:u subject_id:u? predicate:s=predicate claim_count:i=count version:i=version"},
    {"fact_claim", "id", NULL, TRANSFER_ALWAYS,
     "id:u slot_key:b=hash derive_key:b=half_hash space_id:u fact_id:u subject_id:u? object_key:b=half_hash object_json:s=json "
     "object_entity_id:u? "
     "statement:s=note negative:i=flag modality:s=fact_modality at:t until:t? source_id:u? occurrence_seq:i=few span_start:i=few "
     "span_end:i=few author_kind:s=principal_kind author_id:u role:s=episode_role "
     "confidence:d=share trust:d=share "
     "veracity:s=fact_veracity fact_type:s=fact_type rule_id:s?=word64 state:s=claim_state successor_id:u? recorded_at:t"},
    {"extract_rule_set", "name", NULL, TRANSFER_ALWAYS,
     "name:s=rule_set body:s=body active:s=body version:i=version updated_at:t"},
    {"attestation", "fact_id principal_id", NULL, TRANSFER_ALWAYS,
     "fact_id:u principal_id:u principal_kind:s=principal_kind stance:s=attest_stance category:s=word32 note:s=text500 is_author:i=flag "
     "at:t"},
    {"reliability_event", "principal_id kind cause_id other_id", NULL, TRANSFER_ALWAYS,
     "principal_id:u category:s=word32 kind:s=word16 weight:d=share success:i=flag cause_id:u other_id:u at:t"},
    {"promotion", "id", NULL, TRANSFER_ALWAYS,
     "id:u candidate_fact_id:u space_id:u posterior:d=share supporters:i=few status:s=promotion_status reason:s=text500 "
     "promoted_fact_id:u? claim_id:u? actor_kind:s=principal_kind actor_id:u? at:t resolved_at:t?"},
    {"core_edit", "id", NULL, TRANSFER_ALWAYS,
     "id:u block_id:u content:s=note prior_hash:b=hash editor_kind:s=principal_kind editor_id:u state:s=core_edit_state at:t "
     "resolved_at:t?"},
    {"core_vote", "edit_id principal_id", NULL, TRANSFER_ALWAYS,
     "edit_id:u principal_id:u principal_kind:s=principal_kind at:t"},
    {"knowledge", "id", NULL, TRANSFER_ALWAYS,
     "id:u content_type:s=knowledge_type access_level:s=audience source_type:s=knowledge_source "
     "provenance:s=attrs creator_id:u structure:d=share quality_score:d=share rating_sum:i=count "
     "rating_count:i=count last_quality_recalc_at:t stale_at:t? text_hash:b=hash live_key:b?=hash "
     "echo_ratio:d=share title_hash:b?=hash"},
    {"knowledge_rating", "knowledge_id principal_id", NULL, TRANSFER_ALWAYS,
     "knowledge_id:u principal_id:u rating:i=stars rated_at:t"},
    {"learning", "id", NULL, TRANSFER_ALWAYS,
     "id:u category:s=learning_category scope:s=learning_scope extraction_method:s=learning_method "
     "injection_count:i=count positive_outcome_count:i=count negative_outcome_count:i=count "
     "applicable_domains:s=array source_agent_id:u? source_execution_id:s?=reference "
     "source_execution_successful:i?=flag learned_at:t verified_at:t? verified_by:u? disproven_at:t? "
     "disproven_by:u? before_dispute:s?=object contradiction_note:s?=note contradiction_resolved_at:t? "
     "promoted_at:t? last_injected_at:t? text_hash:b=hash live_key:b?=hash echo_ratio:d=share "
     "imported_at:t?"},
    {"node_use", "node_id", NULL, TRANSFER_ALWAYS,
     "node_id:u uses:i=count last_used_at:t"},
    {"skill", "id", "space_id slug", TRANSFER_ALWAYS,
     "id:u space_id:u slug:s=slug description:s=description category:s=slug active_version_id:u? triggers:s=array commands:s=array "
     "execution_context:s=attrs params:s=attrs parent_skill_id:u? replaced_by:u? is_enabled:i=flag is_hidden:i=flag induced:i=flag "
     "flags:s=array ingest_source:s?=text255 source_path:s?=path source_hash:b?=hash front_matter:s?=body effectiveness:d=share "
     "usage_count:i=count success_count:i=count failure_count:i=count partial_count:i=count latency_sum_ms:i=count "
     "latency_count:i=count last_used_at:t? last_success_at:t? last_failure_at:t? deprecated_at:t? last_optimized_at:t? created_by:u "
     "version:i=version created_at:t updated_at:t"},
    {"skill_version", "id", NULL, TRANSFER_ALWAYS,
     "id:u skill_id:u semver:s=word64 change_type:s=skill_change_type origin:s=skill_origin body:s=body sections:s=array "
     "change_reason:s?=reason content_hash:b=hash tokens:i=count is_active:i=flag usage_count:i=count success_count:i=count "
     "failure_count:i=count partial_count:i=count created_by:u created_at:t"},
    {"skill_test", "id", NULL, TRANSFER_ALWAYS,
     "id:u skill_id:u base_id:u variant_id:u running:u? traffic_pct:d=share min_sample:i=count confidence:d=share looks:i=count "
     "status:s=skill_test_status base_success:i=count base_partial:i=count base_total:i=count variant_success:i=count "
     "variant_partial:i=count variant_total:i=count low:d?=likeness high:d?=likeness started_at:t ended_at:t?"},
    {"skill_usage", "id", NULL, TRANSFER_ALWAYS,
     "id:u skill_id:u version_id:u test_id:u? agent_id:u? session_id:s?=reference execution_id:s?=reference outcome:s?=skill_outcome "
     "served_at:t outcome_at:t? duration_ms:i?=count context_summary:s?=reason"},
    {"skill_resource", "skill_id path", NULL, TRANSFER_ALWAYS,
     "skill_id:u path:s=resource_path size_bytes:i=count hash:b=hash"},
    {"skill_resource_part", "skill_id path start_offset", NULL, TRANSFER_ALWAYS,
     "skill_id:u path:s=resource_path start_offset:i=count body:b=file_part"},
    {"skill_link", "skill_id relation slug", NULL, TRANSFER_ALWAYS,
     "skill_id:u relation:s=relation slug:s=slug weight:d=share"},
    {"proposal", "id", NULL, TRANSFER_ALWAYS,
     "id:u agent_id:u proposal_type:s=proposal_type title:s=text255 description:s=note rationale:s?=note proposed_changes:s=object "
     "impact_assessment:s=attrs priority:s=urgency status:s=proposal_status target_user_id:u? review_deadline:t due_at:t? reviewed_by:u? "
     "reviewed_at:t? review_note:s?=note implemented_at:t? session_id:s?=text255 auto_approved:i=flag policy_id:u? created_by:u "
     "version:i=version created_at:t updated_at:t"},
    {"intervention_policy", "id", NULL, TRANSFER_ALWAYS,
     "id:u user_id:u? agent_id:u? scope:s=intervention_scope action_category:s=intervention_category policy:s=intervention_rule "
     "priority:i=rank conditions:s=settings preferred_channels:s=array is_active:i=flag version:i=version created_at:t updated_at:t"},
    {"skill_proposal", "id", "open_slug", TRANSFER_ALWAYS,
     "id:u name:s=name slug:s=slug open_slug:s?=slug description:s=description category:s?=slug body:s=body tags:s=array "
     "needs_editing:i=flag confidence:d=share research_report:s=attrs overlap_analysis:s=array suggested_dependencies:s=array "
     "skipped_dependencies:s=array parent_proposal_id:u? depth:i=few status:s=skill_proposal_status auto_approved:i=flag proposed_by:u? "
     "reviewed_by:u? reviewed_at:t? rejection_reason:s?=reason submitted_at:t? review_deadline:t? created_skill_id:u? version:i=version "
     "created_at:t updated_at:t"},
    {"skill_conflict", "id", "open_key", TRANSFER_ALWAYS,
     "id:u skill_a:u skill_b:u? space_id:u other_space_id:u? pair_key:b=hash open_key:b?=hash conflict_type:s=skill_conflict_type "
     "severity:s=skill_severity status:s=skill_conflict_status similarity:d=share priority_score:d=surprise "
     "method:s=skill_conflict_method edge_id:u? detail:s=reason auto_resolvable:i=flag resolution_strategy:s?=word32 "
     "resolution_details:s=attrs detected_at:t acknowledged_at:t? resolved_at:t? resolved_by:u? version:i=version updated_at:t"},
    {"session_head", "id", "space_id external_id", TRANSFER_ALWAYS,
     "id:u space_id:u external_id:s=external_id next_seq:i=version bytes:i=count sealed_seq:i=count closed_at:t? created_at:t "
         "updated_at:t"},
    {"archival", "id", NULL, TRANSFER_ALWAYS,
     "id:u subject_id:u space_id:u section:s=word16 state:s=word16 live:i?=flag edited:i=flag sources_hash:b=hash created_by:u "
     "version:i=version created_at:t"},
    {"archival_line", "archival_id ordinal", NULL, TRANSFER_ALWAYS,
     "archival_id:u ordinal:i=few source_id:u body:s=note"},
    {"session_log", "session_id seq", NULL, TRANSFER_ALWAYS,
     "session_id:u seq:i=version role:s=episode_role name:s?=text255 content:s=log_text said_at:t"},
    {"session_block", "session_id first_seq", NULL, TRANSFER_ALWAYS,
     "session_id:u first_seq:i=version last_seq:i=version newest_at:t filter:b=bloom"},
    {"skill_miss", "task_hash", NULL, TRANSFER_ALWAYS,
     "task_hash:b=hash task:s=title agent_id:u? misses:i=version last_at:t"},
    {"pool_entry", "space_id entry_key", NULL, TRANSFER_ALWAYS,
     "space_id:u entry_key:s=pool_key node_id:u value:s=pool_value size:i=count version:i=version "
     "writer_kind:s=principal_kind writer_id:u created_at:t updated_at:t expires_at:t? deleted_at:t?"},
    {"document", "id", NULL, TRANSFER_ALWAYS,
     "id:u knowledge_base_id:u space_id:u source_type:s=document_source source_url:s?=url external_id:s?=external_id live_external:b?=hash "
     "live_checksum:b?=hash content_type:s=media is_markdown:i=flag file_name:s?=text255 original_bytes:i=count page_count:i=few "
     "language:s?=language stage:s?=word16 wants_fetch:i=flag etag:s?=text255 last_modified:s?=text255 last_refreshed_at:t? "
     "content_size_bytes:i=count checksum:b=hash source_version:i=version "
     "served_version:i=count status:s=document_status generation:i=count chunk_count:i=count token_count:i=count metadata:s=attrs "
     "processing_errors:s=array injection_score:d=share flags:s=array by_person:i=flag is_quarantined:i=flag "
     "wants_processing:i=flag processed_at:t? uploaded_by:u deleted_at:t? version:i=version created_at:t "
     "updated_at:t"},
    {"document_text", "document_id source_version start_offset", NULL, TRANSFER_ALWAYS,
     "document_id:u source_version:i=version start_offset:i=count body:s=body"},
    {"connector", "id", NULL, TRANSFER_ALWAYS,
     "id:u knowledge_base_id:u name:s=name connector_type:s=connector_type location:s=location include:s?=text1000 exclude:s?=text1000 "
     "prune:i=flag sync_frequency:s=sync_frequency status:s=connector_status is_syncing:i=flag documents_synced:i=count last_sync_at:t? "
     "last_sync_result:s=attrs sync_error:s?=reason next_sync_at:t? created_by:u version:i=version created_at:t updated_at:t"},
    {"document_original", "document_id source_version start_offset", NULL, TRANSFER_ALWAYS,
     "document_id:u source_version:i=version start_offset:i=count body:b=file_part"},
    {"chunk", "id", NULL, TRANSFER_ALWAYS,
     "id:u document_id:u sequence_number:i=few start_offset:i=count end_offset:i=count overlap:i=few heading_path:s?=path "
     "embed_hash:b=hash tokens:i=few page_from:i=few page_to:i=few"},
    {"name", "space_id norm", NULL, TRANSFER_ALWAYS,
     "space_id:u norm:s=norm entity_id:u? chunk_id:u?"},
    {"evaluation_case", "id", NULL, TRANSFER_ALWAYS,
     "id:u knowledge_base_id:u name:s=name question:s=note expected_document_id:u? expected_chunk_id:u? expected_text:s?=text2000 "
     "created_by:u version:i=version created_at:t updated_at:t"},
    {"community", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u level:i=flag parent_id:u? size:i=count edge_weight:d=mass density:d=share members_hash:b=hash "
     "summary_kind:s=summary_kind algorithm:s=word16 written_at:t"},
    {"community_member", "community_id node_id", NULL, TRANSFER_ALWAYS,
     "community_id:u node_id:u strength:d=mass"},
    {"article_category", "id", "slug", TRANSFER_ALWAYS,
     "id:u slug:s=slug name:s=name parent_slug:s?=slug sort_order:i=change version:i=version created_at:t updated_at:t"},
    {"page", "id", NULL, TRANSFER_ALWAYS,
     "id:u type:s=wiki_type slug:r=handle live_slug:r?=handle status:s=wiki_status is_public:i=flag published_at:t? "
     "meta_description:s?=text500 meta_keywords:s?=text500 metadata:s=attrs aliases:s=array tags:s=array category_slug:s?=slug "
     "excerpt:s?=text500 is_featured:i=flag sort_order:i=change path:s?=text500 first_words:s=text255 word_count:i=count "
     "ignored_links:i=count links_version:i=count deleted_at:t?"},
    {"attachment", "id", "path", TRANSFER_ALWAYS,
     "id:u space_id:u path:s=text500 name_key:s=text500 media:s=media size_bytes:i=count hash:b=hash version:i=version "
     "created_at:t updated_at:t"},
    {"attachment_part", "attachment_id start_offset", NULL, TRANSFER_ALWAYS,
     "attachment_id:u start_offset:i=count body:b=file_part"},
    {"passage", "id", NULL, TRANSFER_ALWAYS,
     "id:u page_id:u start_offset:i=count end_offset:i=count embed_hash:b=hash"},
    {"page_name", "node_id kind name_key", NULL, TRANSFER_ALWAYS,
     "node_id:u kind:s=word8 name_key:s=page_name name:s=page_name type:s=wiki_type created_at:t"},
    {"page_link", "source_id target_key", NULL, TRANSFER_ALWAYS,
     "source_id:u target_key:s=page_name root_key:s=page_name target_slug:s=ascii255 plain_slug:s=ascii255 target:s=text255 "
     "heading:s?=text255 raw:s=note display:s?=note is_embed:i=flag occurrences:i=version first_at:i=count state:s=link_state "
     "target_id:u? ambiguous:i=count resolved_at:t?"},
    {"edge", "id", NULL, TRANSFER_ALWAYS,
     "id:u source_id:u target_id:u relation:s=relation weight:d=share confidence:d=share "
     "bidirectional:i=flag status:s=edge_status valid_from:t? valid_to:t? recorded_at:t retired_at:t? "
     "metadata:s=attrs version:i=version updated_at:t"},
    {"graph_merge", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u keeper_id:u keeper_name:s=title losers:s=losers edges_moved:i=count edges_dropped:i=count created_by:u undone_at:t? "
     "version:i=version created_at:t updated_at:t"},
    {"graph_merge_edge", "merge_id edge_id", NULL, TRANSFER_ALWAYS,
     "merge_id:u edge_id:u is_made:i=flag"},
    {"tag", "id", "space_id tag_type slug", TRANSFER_ALWAYS,
     "id:u space_id:u tag_type:s=tag_type slug:s=tag_slug aliases:s=array tier:s=tag_tier merged_into:u? usage_count:i=count "
     "holder_count:i=count version:i=version created_at:t updated_at:t"},
    {"edge_plastic", "edge_id", NULL, TRANSFER_ALWAYS,
     "edge_id:u relation:s=relation weight:d=share decay_rate:d=share weighted_at:t hits:i=count last_hit_at:t hits_on:D=day "
     "hits_day:i=count boosted_on:D=day decays_at:t state:s=word8"},
    {"mining_opt_out", "owner_id", NULL, TRANSFER_ALWAYS,
     "owner_id:u set_by:u set_at:t"},
    {"snapshot", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u name:s=name is_automatic:i=flag entry_count:i=count context_data:s=object "
     "data_hash:b=hash author_kind:s=principal_kind author_id:u created_at:t"},
    {"snapshot_item", "snapshot_id entry_key", NULL, TRANSFER_ALWAYS,
     "snapshot_id:u entry_key:s=key node_id:u version:i=version content_hash:b=hash"},
    {"pool_snapshot", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u name:s=name is_automatic:i=flag pool_version:i=version key_count:i=count "
     "data_size_bytes:i=count data_hash:b=hash author_kind:s=principal_kind author_id:u created_at:t"},
    {"pool_snapshot_item", "snapshot_id entry_key", NULL, TRANSFER_ALWAYS,
     "snapshot_id:u entry_key:s=pool_key value:s=pool_value expires_at:t?"},
    {"short_term_memory", "id", "agent_id session_id memory_key", TRANSFER_ALWAYS,
     "id:u agent_id:u session_id:s=ascii128 memory_key:s=key memory_value:s=short_term "
     "memory_type:s=short_term_type tags:s=array ttl_seconds:i=ttl expires_at:t access_count:i=count "
     "last_accessed_at:t? version:i=version content_hash:b=hash promote_state:s=promote_state "
     "promote_attempts:i=few promote_error:s?=reason promoted_node_id:u? created_at:t updated_at:t"},
    {"node_merge", "id", NULL, TRANSFER_ALWAYS,
     "id:u space_id:u kind:s=node_kind keeper_id:u loser_id:u loser_key:s=title nth:i=count "
     "similarity:d=likeness rule:s=merge_rule keeper_importance:d=share keeper_decayed_at:t "
     "keeper_confidence:d=share set_importance:d?=share set_confidence:d?=share loser_status:s=word16 "
     "given_uses:i=count given_named:i=count given_tags:s=array actor_kind:s=principal_kind actor_id:u? "
     "merged_at:t undone_at:t?"},
    {"duplicate_candidate", "id", "a_id b_id", TRANSFER_ALWAYS,
     "id:u space_id:u kind:s=node_kind a_id:u b_id:u similarity:d=likeness reason:s=duplicate_reason "
     "state:s=duplicate_state found_at:t decided_at:t? decided_by:u?"},
    {"memory_finding", "node_id class", NULL, TRANSFER_ALWAYS,
     "node_id:u class:s=finding_class space_id:u value:d=share other_id:u? found_at:t"},
    {"memory_census", "day space_id class", NULL, TRANSFER_ALWAYS,
     "day:D=day space_id:u class:s=word24 found:i=count"},
    {"escalation", "id", "dedup_key", TRANSFER_ALWAYS,
     "id:u asker_kind:s=principal_kind agent_id:u title:s=text255 escalation_type:s=escalation_type "
     "severity:s=severity status:s=escalation_status context:s=settings question_hash:b=hash "
     "dedup_key:b?=hash seen_count:i=version last_seen_at:t resolved_at:t? resolved_by:u? "
     "resolution:s?=note answer_node_id:u? chain:s=array current_level:i=count timeout_hours:i=count next_escalation_at:t? escalated_to:u? "
     "acknowledged_at:t? acknowledged_by:u? exhausted_at:t? remind_at:t? version:i=version created_at:t updated_at:t"},
    {"embedding_model", "id", "provider name", TRANSFER_VECTORS,
     "id:u provider:s=provider name:s=name dim:i=dim state:s=model_state created_at:t at_zero:d?=likeness "
     "at_half:d?=likeness tested_zero:d?=likeness tested_half:d?=likeness unrelated:d?=likeness answering:d?=likeness "
     "measured_at:t? retired_at:t?"},
    {"vector", "node_id model_id", NULL, TRANSFER_VECTORS,
     "node_id:u model_id:u dim:i=dim data:V=vector text_hash:b=hash updated_at:t "
     "precision_name:s=precision"},
    {"audit_event", "id", NULL, TRANSFER_AUDIT,
     "id:u at:t kind:s=word64 actor_kind:s=actor actor_id:u? subject_kind:s=word32 subject_id:u? "
     "space_id:u? request_id:s=ascii64 ip:s=word64 before_state:s?=json after_state:s?=json "
     "payload:s?=json signature:b?=signature is_news:i=flag"},
    {"access_log", "id", NULL, TRANSFER_AUDIT,
     "id:u space_id:u entry_id:u? action:s=access_action access_type:s=access_type success:i=flag "
     "error_message:s?=text255 user_id:u? agent_id:u? version_before:i?=count version_after:i?=count "
     "size_change:i?=change request_id:s=ascii64 ip:s=word64 user_agent:s=text255 metadata:s?=json "
     "created_at:t"},
};

/* What has an account_id and stays where it is, and why. */
static const struct transfer_left LEFT_OUT[] = {
    {"token", "secrets: create new ones after a move"},
    {"outbox", "events in delivery"},
    {"idempotency_key", "answers of the last day"},
    {"event_stream", "where the relay of this installation stands"},
    {"event_batch", "events with the numbers of this installation"},
    {"knowledge_base_model", "ids of this installation: give the base its embedding model once more"},
    {"community_run", "the job begins anew, and finds the communities that it knows"},
    {"evaluation_run", "measured with the model of this installation: run the set once more"},
    {"chunk_extraction", "what was read here; the facts themselves are exported"},
    {"rag_query", "questions put here, kept for 90 days"},
    {"hybrid_search_result", "what they found"},
    {"rag_stat", "counted from them"},
    {"rag_question", "likewise"},
    {"rag_latency", "likewise"},
    {"document_found", "likewise"},
    {"observation", "what sensors saw here; they look again"},
    {"injection", "what went into prompts here, kept for 90 days"},
    {"recommendation", "what jobs found here: they find it again"},
    {"notification", "what people were told here, kept for 90 days"},
    {"webhook", "secrets sealed by this installation: create new ones after a move"},
    {"webhook_delivery", "what was posted from here"},
    {"job_run", "history of this installation"},
    {"job_state", "where this installation's jobs stand"},
    {"erase_receipt", "what was erased here"},
    {"erase_item", "what was erased here"},
    {"forget_op", "what was forgotten together here: its memories are exported as forgotten"},
    {"forget_item", "see forget_op"},
    {"suppress", "hashes with the key of this installation"},
    {"consolidation_cursor", "where this installation's reading of episodes stands"},
    {"task", "work promised here"},
    {"task_group", "counted from task"},
    {"llm_usage", "what was spent here"},
    {"tag_counted", "the job counts once more what it knows, and weights of pairs come along"},
    {"tag_pattern", "mined again in the next night"},
    {"recall_pack", "made from the nodes"},
    {"recall_pack_head", "made from the nodes"},
    {"transfer", "exports and imports themselves"},
    {NULL, NULL},
};

const struct transfer_left *transfer_left_out(void)
{
    return LEFT_OUT;
}

static enum transfer_type transfer_table_type_of(char letter)
{
    static const char LETTERS[] = "usridtbDV";
    const char *at = strchr(LETTERS, letter);

    assert(at && letter);
    return (enum transfer_type)(at - LETTERS);
}

static size_t count_words(const char *s)
{
    size_t n = 0;

    for (; *s; n++) {
        s += strcspn(s, " ");
        s += strspn(s, " ");
    }
    return n;
}

static struct transfer_column *read_columns(struct arena *a, const char *s, size_t *n)
{
    struct transfer_column *v = ARENA_ARRAY(a, struct transfer_column, count_words(s));

    for (*n = 0; *s; ++*n) {
        size_t len = strcspn(s, " "), name = strcspn(s, ":");

        size_t rule = strcspn(s, "= ") + 1;

        v[*n] = (struct transfer_column){arena_strndup(a, s, name), transfer_table_type_of(s[name + 1]), s[name + 2] == '?',
                                         rule < len ? transfer_rule_find(s + rule, len - rule) : NULL};
        assert(v[*n].rule || v[*n].type == TT_ID || v[*n].type == TT_TIME);
        s += len;
        s += strspn(s, " ");
    }
    return v;
}

/* Where the columns stand that the words name. */
static size_t *places_of(struct arena *a, const struct transfer_table *t, const char *words, size_t *n)
{
    size_t *places = ARENA_ARRAY(a, size_t, words ? count_words(words) + 1 : 1);

    for (*n = 0; words && *words; ++*n) {
        size_t len = strcspn(words, " "), i = 0;

        while (i < t->n_columns && (strlen(t->columns[i].name) != len || strncmp(t->columns[i].name, words, len) != 0))
            i++;
        assert(i < t->n_columns);
        places[*n] = i;
        words += len;
        words += strspn(words, " ");
    }
    return places;
}

const struct transfer_tables *transfer_tables_read(struct arena *a)
{
    struct transfer_tables *all = ARENA_NEW(a, struct transfer_tables);

    all->n = sizeof TABLES / sizeof *TABLES;
    all->v = ARENA_ARRAY(a, struct transfer_table, all->n);
    for (size_t i = 0; i < all->n; i++) {
        struct transfer_table *t = &all->v[i];

        t->name = TABLES[i].name;
        t->part = TABLES[i].part;
        t->columns = read_columns(a, TABLES[i].columns, &t->n_columns);
        assert(t->n_columns <= TRANSFER_COLUMNS_MAX);
        t->key = places_of(a, t, TABLES[i].key, &t->n_key);
        t->words = places_of(a, t, TABLES[i].words, &t->n_words);
    }
    return all;
}

const struct transfer_table *transfer_table_find(const struct transfer_tables *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].name, name) == 0)
            return &all->v[i];
    return NULL;
}

const struct transfer_column *transfer_column_find(const struct transfer_table *t, const char *name, size_t *place)
{
    for (*place = 0; *place < t->n_columns; ++*place)
        if (strcmp(t->columns[*place].name, name) == 0)
            return &t->columns[*place];
    return NULL;
}
