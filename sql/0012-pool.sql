-- Memory pools: documents shared by agents, whose keys are paths; every key is a node that can be recalled. Re-runnable.

CREATE TABLE IF NOT EXISTS pool (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'the space it is: name, slug (pool_id), owner, team, expiry, grants',
    pool_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what it is for: the first five are memory pools, the others belong to a workflow run' CHECK (pool_type IN ('shared','agent_private','team_shared','task_scoped','global','shared_memory','tool_cache','blackboard','result_cache')),
    scope VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the word it was made with: for whom, or how long' CHECK (scope IN ('account','global','team','agent','task','execution','persistent','session','workflow','agent_group','temporary')),
    persist_across_executions BOOLEAN NOT NULL DEFAULT 0 COMMENT 'outlives its task or run',
    task_execution_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'task it was made for',
    workflow_run_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'workflow run it was made for',
    session_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'session it was made for',
    metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what its maker keeps beside it' CHECK (JSON_VALID(metadata)),
    retention_policy LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'the limits that differ from the defaults' CHECK (JSON_VALID(retention_policy)),
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'one more with every committed change; the ETag',
    key_count BIGINT NOT NULL DEFAULT 0 COMMENT 'keys that are not deleted',
    data_size_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'bytes of their names and values',
    access_count BIGINT NOT NULL DEFAULT 0 COMMENT 'uses of keys that are deleted meanwhile; those of the others are on their nodes',
    write_count BIGINT NOT NULL DEFAULT 0 COMMENT 'changes of data',
    evicted_count BIGINT NOT NULL DEFAULT 0 COMMENT 'keys that had to make room',
    expired_count BIGINT NOT NULL DEFAULT 0 COMMENT 'keys whose time was over',
    last_write_at DATETIME(6) NULL COMMENT 'when data was last changed',
    PRIMARY KEY (account_id, space_id),
    KEY pool_run (account_id, workflow_run_id),
    CONSTRAINT pool_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='memory pools: what they have besides their space';

CREATE TABLE IF NOT EXISTS pool_entry (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'the pool',
    entry_key VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'path of the value, segments joined by dots, at most 512 bytes; no row is below another',
    node_id UUID NOT NULL COMMENT 'the node that is recalled: scores, uses, pin',
    value MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON; null when deleted' CHECK (JSON_VALID(value)),
    size BIGINT NOT NULL COMMENT 'bytes of key and value',
    version BIGINT NOT NULL COMMENT 'version of the pool that wrote it',
    writer_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system: from the credential',
    writer_id UUID NOT NULL COMMENT 'who wrote it last',
    created_at DATETIME(6) NOT NULL COMMENT 'when the key was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last written',
    expires_at DATETIME(6) NULL COMMENT 'invisible from here on',
    deleted_at DATETIME(6) NULL COMMENT 'when it was deleted: kept a day for who follows the changes',
    PRIMARY KEY (account_id, space_id, entry_key),
    KEY pool_entry_version (account_id, space_id, version),
    KEY pool_entry_node (account_id, node_id),
    KEY pool_entry_expires (account_id, expires_at),
    KEY pool_entry_deleted (account_id, deleted_at),
    CONSTRAINT pool_entry_pool FOREIGN KEY (account_id, space_id) REFERENCES pool (account_id, space_id) ON DELETE CASCADE
) COMMENT='keys of memory pools and their values';

CREATE TABLE IF NOT EXISTS workflow_run (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    run_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the name its maker gave it',
    started_by_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user or agent',
    started_by UUID NOT NULL COMMENT 'who made its first pool',
    started_at DATETIME(6) NOT NULL COMMENT 'when that was',
    finished_at DATETIME(6) NULL COMMENT 'its pools end a day later',
    PRIMARY KEY (account_id, run_id)
) COMMENT='workflow runs that share context pools';

CREATE TABLE IF NOT EXISTS workflow_participant (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    run_id VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the run',
    agent_id UUID NOT NULL COMMENT 'agent that may write the pools of the run',
    joined_at DATETIME(6) NOT NULL COMMENT 'since when',
    PRIMARY KEY (account_id, run_id, agent_id)
) COMMENT='who takes part in a workflow run';
