-- What people say of the work of agents. Re-runnable.

CREATE TABLE IF NOT EXISTS feedback (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    agent_id UUID NOT NULL COMMENT 'agent that it is about',
    user_id UUID NOT NULL COMMENT 'person who gives it, or is asked for it',
    rating INT NULL COMMENT '1 to 5; null: asked for, not given' CHECK (rating BETWEEN 1 AND 5),
    feedback_type VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'execution_quality' COMMENT 'what it is about' CHECK (feedback_type IN ('execution_quality','proposal_quality','communication_quality')),
    context_kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'what kind of thing it is about: proposal, work_item',
    context_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'which one, as its client names it; null: the agent as a whole',
    context_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin AS (COALESCE(context_id, '')) STORED COMMENT 'makes one of each person, agent and context unique',
    comment VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the person adds',
    message VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the agent asked',
    requested_at DATETIME(6) NULL COMMENT 'when the agent asked for it; null: it did not',
    applied_to_trust BOOLEAN NOT NULL DEFAULT 0 COMMENT 'it has moved trust',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was asked for or given',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY feedback_once (account_id, user_id, agent_id, context_key),
    KEY feedback_of (account_id, agent_id, rating),
    CONSTRAINT feedback_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE,
    CONSTRAINT feedback_user FOREIGN KEY (account_id, user_id) REFERENCES user (account_id, id) ON DELETE CASCADE
) COMMENT='ratings of agents by people, given or asked for';
