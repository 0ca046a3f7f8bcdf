-- How far agents are trusted. Re-runnable.

CREATE TABLE IF NOT EXISTS agent_trust (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    agent_id UUID NOT NULL COMMENT 'the agent; without a row it has the values of a new one',
    reliability DOUBLE NOT NULL COMMENT 'whether its work is done, as of the last evaluation' CHECK (reliability BETWEEN 0 AND 1),
    cost DOUBLE NOT NULL COMMENT 'whether it is cheap' CHECK (cost BETWEEN 0 AND 1),
    safety DOUBLE NOT NULL COMMENT 'whether it does no harm' CHECK (safety BETWEEN 0 AND 1),
    quality DOUBLE NOT NULL COMMENT 'whether its work is good' CHECK (quality BETWEEN 0 AND 1),
    speed DOUBLE NOT NULL COMMENT 'whether it is fast' CHECK (speed BETWEEN 0 AND 1),
    overall DOUBLE NOT NULL COMMENT 'all five in one, as of the last evaluation or decay' CHECK (overall BETWEEN 0 AND 1),
    tier VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what it may do by itself' CHECK (tier IN ('supervised','monitored','trusted','autonomous')),
    evaluation_count BIGINT NOT NULL COMMENT 'evaluations by others',
    last_evaluated_at DATETIME(6) NULL COMMENT 'when others last evaluated it; idleness counts from here',
    decayed_at DATETIME(6) NULL COMMENT 'when overall and tier were last lowered to what idleness leaves',
    tier_since DATETIME(6) NOT NULL COMMENT 'since when it has the tier',
    last_demoted_at DATETIME(6) NULL COMMENT 'when its tier last fell',
    pinned_tier VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'tier that a person chose; null: none did' CHECK (pinned_tier IN ('supervised','monitored','trusted','autonomous')),
    pin_reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was first evaluated',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, agent_id),
    KEY agent_trust_due (account_id, last_evaluated_at, decayed_at),
    CONSTRAINT agent_trust_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE
) COMMENT='how far each agent is trusted';

CREATE TABLE IF NOT EXISTS trust_event (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    agent_id UUID NOT NULL COMMENT 'the agent',
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'evaluation, self_report, feedback, emergency or what Loci itself saw',
    execution_id UUID NOT NULL COMMENT 'what was evaluated: counts once per kind',
    by_id UUID NULL COMMENT 'who evaluated; null: Loci itself',
    inputs LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what was said of it' CHECK (JSON_VALID(inputs)),
    `before` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'dimensions, overall and tier then' CHECK (JSON_VALID(`before`)),
    `after` LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'and afterwards' CHECK (JSON_VALID(`after`)),
    at DATETIME(6) NOT NULL COMMENT 'when it counted',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY trust_event_once (account_id, agent_id, kind, execution_id),
    KEY trust_event_of (account_id, agent_id, id),
    CONSTRAINT trust_event_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE
) COMMENT='why trust moved: the newest 50 events of each agent';

ALTER TABLE agent
    ALTER COLUMN trust SET DEFAULT 0.65,
    ADD COLUMN IF NOT EXISTS limited_at DATETIME(6) NULL COMMENT 'since when its tokens may only read; null: they are not limited' AFTER trust;

UPDATE agent a LEFT JOIN agent_trust t ON t.account_id = a.account_id AND t.agent_id = a.id SET a.trust = 0.65 WHERE t.agent_id IS NULL;
