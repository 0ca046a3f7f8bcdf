-- Domains, policies and scratchpads: what is believed in which domain, what must be obeyed there, what an agent notes for itself.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE fact
    ADD COLUMN IF NOT EXISTS source_refs LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'ids of sources that are no memories here, as its writer named them' CHECK (source_refs IS NULL OR JSON_VALID(source_refs));

CREATE TABLE IF NOT EXISTS memory_domain (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its space, of kind domain: slug is the name',
    created_by_role VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'role that its creator had: the first that may write',
    PRIMARY KEY (account_id, id),
    CONSTRAINT memory_domain_space FOREIGN KEY (account_id, id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='domains: what they have besides their space';

CREATE TABLE IF NOT EXISTS policy (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, kind policy: body is the rule',
    space_id UUID NOT NULL COMMENT 'space of its domain',
    required_role VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'role that a writer needs besides write access to the domain',
    active BOOLEAN NOT NULL DEFAULT 1 COMMENT 'is told to agents',
    always BOOLEAN NOT NULL DEFAULT 0 COMMENT 'is told whatever the task is',
    priority INT NOT NULL DEFAULT 50 COMMENT 'higher ones come first' CHECK (priority BETWEEN 0 AND 100),
    applies LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'roles, agents and keywords that it is for; null: everything' CHECK (applies IS NULL OR JSON_VALID(applies)),
    source_count INT NOT NULL DEFAULT 0 COMMENT 'facts that it was derived from; fewer live ones: its ground is gone',
    flags LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'what a reviewer should look at' CHECK (JSON_VALID(flags)),
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY policy_space (account_id, space_id, active),
    CONSTRAINT policy_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='policies: what they have besides their node';

CREATE TABLE IF NOT EXISTS agent_scratchpad (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    agent_id UUID NOT NULL COMMENT 'whose it is',
    body MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its notes, at most 32 KiB',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last written',
    updated_by UUID NOT NULL COMMENT 'who wrote it last',
    PRIMARY KEY (account_id, agent_id),
    KEY agent_scratchpad_age (updated_at, account_id),
    CONSTRAINT agent_scratchpad_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE
) COMMENT='what an agent keeps from run to run';

INSERT IGNORE INTO role_permission (account_id, role, permission) VALUES
    ('00000000-0000-0000-0000-000000000000', 'owner', 'policy.manage'),
    ('00000000-0000-0000-0000-000000000000', 'admin', 'policy.manage');
