-- Short-term memory: what an agent keeps for hours, by key; what is used becomes an entry.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS short_term_memory (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    agent_id UUID NOT NULL COMMENT 'the agent that it belongs to',
    session_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT 'default' COMMENT 'session of the agent',
    memory_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'its name in the session, compared byte by byte',
    memory_value LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what is kept' CHECK (JSON_VALID(memory_value)),
    memory_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'task_context' COMMENT 'what sort of thing it is' CHECK (memory_type IN ('task_context','conversation','tool_result','reflection','observation')),
    tags TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'words to find it by' CHECK (JSON_VALID(tags)),
    ttl_seconds INT NOT NULL DEFAULT 3600 COMMENT 'how long it lives from each write and refresh',
    expires_at DATETIME(6) NOT NULL COMMENT 'no read shows it from here on',
    access_count BIGINT NOT NULL DEFAULT 0 COMMENT 'reads that count as use',
    last_accessed_at DATETIME(6) NULL COMMENT 'the last of them',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every write',
    content_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the value in canonical form',
    promote_state VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'none' COMMENT 'how far it is on its way to long-term memory' CHECK (promote_state IN ('none','queued','promoted','duplicate','failed')),
    promote_attempts INT NOT NULL DEFAULT 0 COMMENT 'promotions that failed',
    promote_error VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why the last of them did',
    promoted_node_id UUID NULL COMMENT 'the entry that it became, or that said it already',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was first written; a refresh reaches 30 days beyond',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last written',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY short_term_memory_key (account_id, agent_id, session_id, memory_key),
    KEY short_term_memory_expires (account_id, expires_at),
    KEY short_term_memory_live (account_id, agent_id, expires_at),
    KEY short_term_memory_promote (account_id, agent_id, promote_state, access_count),
    KEY short_term_memory_due (promote_state, access_count, account_id),
    CONSTRAINT short_term_memory_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE
) COMMENT='what agents keep for hours; read three times it becomes an entry';
