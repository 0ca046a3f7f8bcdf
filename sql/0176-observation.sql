-- What is observed of agents, and which agents are watched. Re-runnable.

CREATE TABLE IF NOT EXISTS observation (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    agent_id UUID NOT NULL COMMENT 'the agent it is for',
    goal_id UUID NULL COMMENT 'goal of that agent that it is about',
    sensor_type VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what saw it' CHECK (sensor_type IN ('knowledge_health','platform_health','recommendation','peer_agent','goal_progress','governance','workspace','stigmergic_signal','code_change','budget')),
    observation_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what sort of thing it is' CHECK (observation_type IN ('anomaly','degradation','opportunity','recommendation','request','alert')),
    severity VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'how bad it is; only rises while it is open' CHECK (severity IN ('info','warning','critical')),
    title VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what was seen, in one line',
    data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'counts and ids, as last seen' CHECK (JSON_VALID(data)),
    requires_action BOOLEAN NOT NULL DEFAULT 0 COMMENT 'somebody has to do something',
    source VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'client' COMMENT 'a client said so, a sensor found it, or it counts what was dropped' CHECK (source IN ('client','sensor','counter')),
    fingerprint BINARY(32) NOT NULL COMMENT 'SHA-256 of agent, sensor, type and subject',
    open_key BINARY(32) NULL COMMENT 'the same while it is open: seen again it counts up',
    trouble BINARY(32) NULL COMMENT 'what it was escalated as; null: it was not',
    status VARCHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'open' COMMENT 'what became of it' CHECK (status IN ('open','processed','expired')),
    seen_count BIGINT NOT NULL DEFAULT 1 COMMENT 'how often it was seen',
    last_seen_at DATETIME(6) NOT NULL COMMENT 'when it was seen last',
    processed_at DATETIME(6) NULL COMMENT 'when it was processed',
    processed_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'who did; system: its cause was gone' CHECK (processed_kind IN ('user','agent','system')),
    processed_by UUID NULL COMMENT 'the user or agent',
    note VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what that one noted',
    expires_at DATETIME(6) NOT NULL COMMENT 'open no longer than this, unless it is seen again',
    due_at DATETIME(6) NOT NULL COMMENT 'when the clean-up has to look: expires_at while open, then when it is deleted',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was first seen',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY observation_open (account_id, agent_id, open_key),
    KEY observation_print (account_id, fingerprint),
    KEY observation_status (account_id, status, created_at),
    KEY observation_agent (account_id, agent_id, created_at),
    KEY observation_due (account_id, due_at),
    CONSTRAINT observation_of_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE
) COMMENT='what sensors and clients saw that an agent should know';

ALTER TABLE agent
    ADD COLUMN IF NOT EXISTS is_watched BOOLEAN NOT NULL DEFAULT 0 COMMENT 'the observation pipeline looks after it',
    ADD COLUMN IF NOT EXISTS sensors LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'which sensors; none: those every watched agent has' CHECK (JSON_VALID(sensors)),
    ADD KEY IF NOT EXISTS agent_watched (is_watched, account_id, id);
