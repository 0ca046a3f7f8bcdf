-- Oversight: what is put before a person, and who may decide it.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS escalation (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    asker_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who raised it' CHECK (asker_kind IN ('user','agent','system')),
    agent_id UUID NOT NULL COMMENT 'the agent (or user) that raised it',
    title VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it is about, in one line',
    escalation_type VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'why it is here' CHECK (escalation_type IN ('stuck','error','budget_exceeded','approval_timeout','quality_concern','security_issue','low_confidence_recall')),
    severity VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'medium' COMMENT 'how urgent it is' CHECK (severity IN ('low','medium','high','critical')),
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'open' COMMENT 'how far it is' CHECK (status IN ('open','acknowledged','in_progress','resolved','auto_resolved')),
    context LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what is known: query, verdict, ids of hits' CHECK (JSON_VALID(context)),
    question_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of who asks and what, spaces and case aside',
    dedup_key BINARY(32) NULL COMMENT 'that hash while it is unresolved: asked again it counts up',
    seen_count BIGINT NOT NULL DEFAULT 1 COMMENT 'how often it came up',
    last_seen_at DATETIME(6) NOT NULL COMMENT 'when it came up last',
    resolved_at DATETIME(6) NULL COMMENT 'when it was settled',
    resolved_by UUID NULL COMMENT 'user who settled it',
    resolution TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what that user noted',
    answer_node_id UUID NULL COMMENT 'node that holds the answer; null: there is none',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was raised',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY escalation_once (account_id, dedup_key),
    KEY escalation_question (account_id, question_hash, resolved_at),
    KEY escalation_of (account_id, agent_id, dedup_key),
    KEY escalation_status (account_id, status, created_at),
    CONSTRAINT escalation_account FOREIGN KEY (account_id) REFERENCES account (id)
) COMMENT='what is put before a person: questions that recall could not answer, and troubles of agents';

INSERT IGNORE INTO role_permission (account_id, role, permission) VALUES
    ('00000000-0000-0000-0000-000000000000', 'owner', 'oversight.review'),
    ('00000000-0000-0000-0000-000000000000', 'admin', 'oversight.review'),
    ('00000000-0000-0000-0000-000000000000', 'reviewer', 'oversight.review');
