-- Goals of agents: what they have besides their node. Re-runnable.

CREATE TABLE IF NOT EXISTS goal (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, kind goal: title and description',
    agent_id UUID NOT NULL COMMENT 'the agent that follows it',
    space_id UUID NOT NULL COMMENT 'namespace of that agent, where the node is',
    parent_goal_id UUID NULL COMMENT 'goal of the same agent that it is part of',
    depth INT NOT NULL DEFAULT 1 COMMENT 'levels from the top: 1 to 3' CHECK (depth BETWEEN 1 AND 3),
    goal_type VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what sort of goal' CHECK (goal_type IN ('maintenance','improvement','creation','monitoring','feature_suggestion','reaction')),
    status VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pending' COMMENT 'how far it is; the first three are open' CHECK (status IN ('pending','active','paused','achieved','abandoned','failed')),
    priority INT NOT NULL DEFAULT 3 COMMENT '1 is the highest, 5 the lowest' CHECK (priority BETWEEN 1 AND 5),
    progress DOUBLE NOT NULL DEFAULT 0 COMMENT 'share that is done' CHECK (progress BETWEEN 0 AND 1),
    success_criteria LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'when it is reached; check: counted by the job' CHECK (JSON_VALID(success_criteria)),
    deadline DATETIME(6) NULL COMMENT 'when it should be reached',
    created_by UUID NULL COMMENT 'agent or user that made it',
    last_activity_at DATETIME(6) NOT NULL COMMENT 'last progress, status or observation; linked items count, too',
    warned_at DATETIME(6) NULL COMMENT 'when it was said that it will be abandoned',
    due_at DATETIME(6) NULL COMMENT 'when the job has to look at it; null: never, it is closed',
    end_reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it was closed; stale: nobody did anything for it',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY goal_due (account_id, due_at),
    KEY goal_status (account_id, status, created_at),
    KEY goal_agent (account_id, agent_id, status),
    KEY goal_parent (account_id, parent_goal_id),
    CONSTRAINT goal_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE,
    CONSTRAINT goal_of_agent FOREIGN KEY (account_id, agent_id) REFERENCES agent (account_id, id) ON DELETE CASCADE
) COMMENT='goals of agents: what they have besides their node';

-- Goals written before as plain nodes, where an agent owns the space.
INSERT IGNORE INTO goal (account_id, id, agent_id, space_id, goal_type, status, created_by, last_activity_at, due_at, created_at, updated_at)
    SELECT n.account_id, n.id, s.owner_agent_id, n.space_id, 'improvement', 'active', n.author_id, n.updated_at, n.updated_at + INTERVAL 23 DAY,
           n.created_at, n.updated_at
    FROM node n JOIN space s ON s.account_id = n.account_id AND s.id = n.space_id
    WHERE n.kind = 'goal' AND n.status = 'active' AND n.archived_at IS NULL AND n.forgotten_at IS NULL AND s.kind = 'namespace'
    AND s.owner_agent_id IN (SELECT a.id FROM agent a WHERE a.account_id = n.account_id);
