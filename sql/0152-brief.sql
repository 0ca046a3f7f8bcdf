-- Which memory went into which prompt. Re-runnable.

CREATE TABLE IF NOT EXISTS injection (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    agent_id UUID NOT NULL COMMENT 'agent or user whose context was assembled',
    session_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'session that it was for, as its client names it',
    stable_hash VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of the part that can be cached, hexadecimal',
    evidence VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'none, weak or strong',
    tokens INT NOT NULL COMMENT 'size of the context',
    node_ids LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'what was in it' CHECK (JSON_VALID(node_ids)),
    created_at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, id),
    KEY injection_session (account_id, session_id, id),
    KEY injection_age (created_at, account_id)
) COMMENT='which memories went into which prompt; kept for 90 days';
