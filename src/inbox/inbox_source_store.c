/* Where the inbox comes from: one row for each source. Another one is another row here, and nothing else. */
#include "inbox.h"

#include "str.h"

#define ESCALATION_IS(which) \
    "FROM escalation e WHERE e.account_id = ? AND e.dedup_key IS NOT NULL AND (e.escalation_type = 'low_confidence_recall') = " which
#define ESCALATION_COLUMNS \
    "e.id, NULL AS subject, NULL AS other, NULL AS text, NULL AS other_text, FIELD(e.severity, 'low', 'medium', 'high', 'critical') AS " \
    "severity, IFNULL(e.next_escalation_at, e.exhausted_at) AS due, e.created_at AS at, e.title, NULL AS space"
#define ESCALATIONS "/api/v1/ai/escalations/:id"
#define RESOLVE \
    {"resolve", "Resolve", "escalation.resolve", ESCALATIONS "/resolve", "{\"note\":\"$note\"}", .key = "r", .said = "Resolved."}
#define ACKNOWLEDGE \
    {"acknowledge", "Acknowledge", "escalation.acknowledge", ESCALATIONS "/acknowledge", "{\"note\":\"$note\"}", .key = "a", \
     .said = "You have it."}

/* A node of its own that waits, without a time. */
#define NODE_COLUMNS(other, severity) \
    "n.id, n.id AS subject, " other " AS other, NULL AS text, NULL AS other_text, " severity " AS severity, NULL AS due, " \
    "n.created_at AS at, n.title, n.space_id AS space"
#define LIVE "n.forgotten_at IS NULL AND n.archived_at IS NULL"
#define IN_SPACE " AND n.space_id IN (SELECT id FROM mine)"
#define NOT_BY_ME(column) " AND " column " <> (SELECT id FROM me)"
#define AGAINST \
    "(SELECT MIN(IF(g.source_id = n.id, g.target_id, g.source_id)) FROM edge g WHERE g.account_id = n.account_id AND " \
    "g.relation = 'CONTRADICTS' AND g.retired_at IS NULL AND (g.source_id = n.id OR g.target_id = n.id))"
#define REVIEW "/api/v1/reviews/:id"
#define REVIEWS \
    {{"accept", "Accept", "review.decide", REVIEW, "{\"decision\":\"accept\",\"reason\":\"$note!\"}", .key = "a", .said = "Accepted."}, \
     {"reject", "Reject", "review.decide", REVIEW, "{\"decision\":\"reject\",\"reason\":\"$note!\"}", .key = "r", .said = "Rejected."}}
#define SKILL_GRAPH "/api/v1/ai/skill_graph"
#define NODE_PAGE "/admin/nodes/:id"

const struct inbox_source INBOX_SOURCES[] = {
    {"question", "Question", PERM_OVERSIGHT_REVIEW, ESCALATION_IS("1"), ESCALATION_COLUMNS, "/admin/escalations/:id",
     {{"answer", "Answer", "escalation.answer", ESCALATIONS "/answer", "{\"text\":\"$note\"}", .needs_note = true, .key = "a",
       .said = "Answered: it is a memory now."}, RESOLVE}},
    {"escalation", "Escalation", PERM_OVERSIGHT_REVIEW, ESCALATION_IS("0"), ESCALATION_COLUMNS, "/admin/escalations/:id",
     {ACKNOWLEDGE, RESOLVE}},
    {"skill_proposal", "Skill proposal", PERM_SKILLS_REVIEW,
     "FROM skill_proposal s WHERE s.account_id = ? AND s.status IN ('submitted', 'under_review')" NOT_BY_ME("s.proposed_by"),
     "s.id, NULL AS subject, NULL AS other, LEFT(s.description, 2000) AS text, NULL AS other_text, 2 AS severity, "
     "s.review_deadline AS due, s.created_at AS at, s.name AS title, NULL AS space",
     "/admin/skills/proposals/:id",
     {{"approve", "Approve", "skill_proposal.approve", SKILL_GRAPH "/proposals/:id/approve", NULL, .key = "a", .said = "Approved."},
      {"reject", "Reject", "skill_proposal.reject", SKILL_GRAPH "/proposals/:id/reject", "{\"reason\":\"$note\"}",
       .needs_note = true, .key = "r", .said = "Rejected."}}},
    {"skill_conflict", "Skill conflict", PERM_SKILLS_REVIEW,
     "FROM skill_conflict n WHERE n.account_id = ? AND n.status IN ('detected', 'acknowledged')" IN_SPACE,
     "n.id, n.skill_a AS subject, n.skill_b AS other, NULL AS text, NULL AS other_text, "
     "FIELD(n.severity, 'low', 'medium', 'high', 'critical') AS severity, NULL AS due, n.detected_at AS at, "
     "n.detail AS title, n.space_id AS space",
     "/admin/skills/conflicts/:id",
     {{"resolve", "Resolved", "skill_conflict.resolve", SKILL_GRAPH "/conflicts/:id/resolve", "{\"note\":\"$note\"}", .key = "a",
       .said = "Resolved."},
      {"dismiss", "No conflict", "skill_conflict.dismiss", SKILL_GRAPH "/conflicts/:id/dismiss", "{\"reason\":\"$note\"}",
       .needs_note = true, .key = "r", .said = "Dismissed."}}},
    {"proposal", "Proposal", PERM_OVERSIGHT_REVIEW, "FROM proposal p WHERE p.account_id = ? AND p.status = 'pending_review'"
     NOT_BY_ME("p.created_by"),
     "p.id, NULL AS subject, NULL AS other, LEFT(p.description, 2000) AS text, NULL AS other_text, "
     "FIELD(p.priority, 'low', 'medium', 'high', 'critical') AS severity, p.review_deadline AS due, p.created_at AS at, "
     "p.title, NULL AS space",
     "/admin/proposals/:id",
     {{"approve", "Approve", "proposal.approve", "/api/v1/ai/proposals/:id/approve", "{\"note\":\"$note\"}", .key = "a",
       .said = "Approved."},
      {"reject", "Reject", "proposal.reject", "/api/v1/ai/proposals/:id/reject", "{\"note\":\"$note\"}", .needs_note = true, .key = "r",
       .said = "Rejected."}}},
    {"recommendation", "Recommendation", PERM_OVERSIGHT_REVIEW,
     "FROM recommendation n WHERE n.account_id = ? AND n.status = 'pending' "
     "AND (n.space_id IS NULL OR n.space_id IN (SELECT id FROM mine))",
     "n.id, NULL AS subject, NULL AS other, n.description AS text, NULL AS other_text, "
     "FIELD(n.priority, 'low', 'medium', 'high', 'critical') AS severity, NULL AS due, n.created_at AS at, n.title, n.space_id AS space",
     "/admin/recommendations/:id",
     {{"apply", "Apply", "recommendation.apply", "/api/v1/ai/recommendations/:id/apply", NULL, .key = "a", .said = "Applied.",
       .undo = "recommendation.undo"},
      {"dismiss", "Dismiss", "recommendation.dismiss", "/api/v1/ai/recommendations/:id/dismiss", "{\"reason\":\"$note\"}", .key = "r",
       .said = "Dismissed."}}},
    {"fact_held", "Fact held back", PERM_BELIEF_REVIEW,
     "FROM node n JOIN fact f ON f.account_id = n.account_id AND f.node_id = n.id AND f.quarantine_reason IN ('held', 'contradicted') "
     "WHERE n.account_id = ? AND n.kind = 'fact' AND n.status = 'quarantined' AND " LIVE IN_SPACE,
     NODE_COLUMNS(AGAINST, "2"), NODE_PAGE, REVIEWS},
    {"fact_contested", "Contested fact", PERM_BELIEF_REVIEW,
     "FROM fact f JOIN node n ON n.account_id = f.account_id AND n.id = f.node_id AND n.status = 'active' AND " LIVE
     " WHERE f.account_id = ? AND f.contested = 1" IN_SPACE,
     NODE_COLUMNS(AGAINST, "2"), NODE_PAGE, REVIEWS},
    {"capture_quarantined", "Quarantined capture", PERM_BELIEF_REVIEW,
     "FROM node n WHERE n.account_id = ? AND n.kind = 'episode' AND n.status = 'quarantined' AND " LIVE IN_SPACE,
     NODE_COLUMNS("NULL", "3"), NODE_PAGE, REVIEWS},
    {"capture_failed", "Capture that could not be read", PERM_BELIEF_REVIEW,
     "FROM episode e JOIN node n ON n.account_id = e.account_id AND n.id = e.id AND n.status <> 'quarantined' AND " LIVE
     " WHERE e.account_id = ? AND e.consolidation_state = 'failed'" IN_SPACE,
     NODE_COLUMNS("NULL", "1"), NODE_PAGE, REVIEWS},
    {"duplicate", "Duplicate", PERM_MEMORY_MANAGE,
     "FROM duplicate_candidate n JOIN node a ON a.account_id = n.account_id AND a.id = n.a_id AND a.archived_at IS NULL AND "
     "a.forgotten_at IS NULL JOIN node b ON b.account_id = n.account_id AND b.id = n.b_id AND b.archived_at IS NULL AND "
     "b.forgotten_at IS NULL WHERE n.account_id = ? AND n.state = 'open'" IN_SPACE,
     "n.id, n.a_id AS subject, n.b_id AS other, NULL AS text, NULL AS other_text, 1 AS severity, NULL AS due, n.found_at AS at, "
     "a.title, n.space_id AS space",
     "/admin/duplicates",
     {{"merge", "Merge", "duplicate.merge", "/api/v1/ai/memory/duplicates/:id/merge", NULL, .key = "a", .said = "Merged.",
       .undo = "merge.undo", .undo_by = "id"},
      {"keep", "Keep both", "duplicate.keep", "/api/v1/ai/memory/duplicates/:id/keep", NULL, .key = "r", .said = "Both kept."}}},
    {"learning", "Disputed learning", PERM_MEMORY_REVIEW,
     "FROM node n JOIN learning l ON l.account_id = n.account_id AND l.id = n.id AND l.contradiction_resolved_at IS NULL "
     "WHERE n.account_id = ? AND n.kind = 'learning' AND n.status = 'disproven' AND " LIVE IN_SPACE,
     "n.id, n.id AS subject, NULL AS other, NULL AS text, l.contradiction_note AS other_text, 2 AS severity, NULL AS due, "
     "l.disproven_at AS at, n.title, n.space_id AS space",
     NODE_PAGE,
     {{"undispute", "Withdraw the dispute", "learning.undispute", "/api/v1/ai/learning/learnings/:id/undispute", "{\"reason\":\"$note!\"}",
       .key = "a", .said = "The learning stands again."},
      {"archive", "Archive", "memory.archive", "/api/v1/memory/nodes/:id/archive", "{\"reason\":\"$note!\"}", .key = "r",
       .said = "Archived.", .undo = "memory.unarchive"}}},
    {"stale", "Stale memory", PERM_MEMORY_MANAGE,
     "FROM memory_finding m JOIN node n ON n.account_id = m.account_id AND n.id = m.node_id AND n.is_pinned = 0 AND " LIVE
     " WHERE m.account_id = ? AND m.class = 'stale'" IN_SPACE,
     NODE_COLUMNS("NULL", "1"), NODE_PAGE,
     {{"keep", "Keep", "node.pin", "/api/v1/nodes/:id/pin", NULL, .key = "a", .said = "Pinned: it stays.", .undo = "node.unpin"},
      {"archive", "Archive", "memory.audit_clean", "/api/v1/ai/memory/audit/clean",
       "{\"classes\":[\"stale\"],\"node_ids\":[\"$id\"],\"dry_run\":false}", .key = "r", .said = "Archived.", .undo = "memory.audit_undo",
       .undo_by = "run_id"}}},
    {"core_edit", "Edit of a core block", PERM_MEMORY_WRITE,
     "FROM core_edit e JOIN node n ON n.account_id = e.account_id AND n.id = e.block_id AND " LIVE
     " WHERE e.account_id = ? AND e.state = 'waiting'" IN_SPACE
     " AND NOT EXISTS (SELECT 1 FROM core_vote v WHERE v.account_id = e.account_id AND v.edit_id = e.id AND "
     "v.principal_id = (SELECT id FROM me))",
     "e.id, n.id AS subject, NULL AS other, NULL AS text, e.content AS other_text, 2 AS severity, NULL AS due, e.at, n.title, "
     "n.space_id AS space",
     "/admin/nodes/:subject",
     {{"vote", "Approve", "core_edit.vote", "/api/v1/core_edits/:id/vote", NULL, .key = "a", .said = "Approved."}}},
    {.kind = NULL},
};

const struct inbox_source *inbox_source_find(const char *kind)
{
    for (const struct inbox_source *s = INBOX_SOURCES; kind && s->kind; s++)
        if (str_eq(s->kind, kind))
            return s;
    return NULL;
}
