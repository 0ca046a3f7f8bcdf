-- Memory: persistent contexts, their entries, and the facts among these.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS context (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'its space: name, description, owner, team, version, expiry; the slug is its handle',
    context_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what it is for' CHECK (context_type IN ('agent_memory','knowledge_base','shared_context','tool_cache','project_context')),
    scope VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'for whom it was made' CHECK (scope IN ('agent','account','team','global')),
    agent_id UUID NULL COMMENT 'agent it is about',
    created_by_user_id UUID NULL COMMENT 'person who made it',
    context_data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what its users keep about it' CHECK (JSON_VALID(context_data)),
    metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what programs keep about it' CHECK (JSON_VALID(metadata)),
    retention_policy LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'how much is kept, how long, and what goes first' CHECK (JSON_VALID(retention_policy)),
    entry_count BIGINT NOT NULL DEFAULT 0 COMMENT 'live entries, kept in the transaction that changes them',
    data_size_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'bytes of content of the live entries, likewise',
    last_modified_at DATETIME(6) NOT NULL COMMENT 'last change of it or of an entry',
    PRIMARY KEY (account_id, space_id),
    KEY context_agent (account_id, agent_id),
    CONSTRAINT context_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='persistent contexts: spaces that hold entries';

CREATE TABLE IF NOT EXISTS entry (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'its node: kind entry, or fact where it is factual; of an old state the node that kept it',
    space_id UUID NOT NULL COMMENT 'context it lives in',
    head_id UUID NULL COMMENT 'of an old state: the entry as it is now',
    entry_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name inside the context',
    live TINYINT NULL COMMENT '1 while it holds its key; null when archived, forgotten or an old state',
    version BIGINT NOT NULL COMMENT 'version of the entry at which this content came',
    entry_type VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what it says' CHECK (entry_type IN ('fact','observation','reflection','decision','plan','tool_output','conversation_summary','preference')),
    memory_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'how it is kept' CHECK (memory_type IN ('factual','experiential','working')),
    content LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it was given' CHECK (JSON_VALID(content)),
    content_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the canonical content and its text',
    size_bytes BIGINT NOT NULL COMMENT 'bytes of content',
    context_tags LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'tags, folded and unique' CHECK (JSON_VALID(context_tags)),
    task_context LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the task it came from' CHECK (JSON_VALID(task_context)),
    metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what programs keep about it' CHECK (JSON_VALID(metadata)),
    outcome_success BOOLEAN NULL COMMENT 'how what it tells of ended; null: not said',
    PRIMARY KEY (account_id, node_id),
    UNIQUE KEY entry_key_once (account_id, space_id, entry_key, live),
    KEY entry_states (account_id, head_id, version),
    CONSTRAINT entry_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='entries of contexts, and the states they had before';

CREATE TABLE IF NOT EXISTS fact (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'its node',
    space_id UUID NOT NULL COMMENT 'space it is believed in',
    slot_key BINARY(32) NOT NULL COMMENT 'hash of what the fact answers: of an entry, its space and key',
    current TINYINT NULL COMMENT '1 while it is what is believed',
    predicate VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what is said of the subject; of an entry: value',
    object_json LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the value' CHECK (JSON_VALID(object_json)),
    object_key BINARY(16) NOT NULL COMMENT 'hash of the canonical value: equal values have equal keys',
    mention_count BIGINT NOT NULL DEFAULT 1 COMMENT 'times it was said',
    first_seen_at DATETIME(6) NOT NULL COMMENT 'when it was said first',
    last_seen_at DATETIME(6) NOT NULL COMMENT 'when it was said last',
    PRIMARY KEY (account_id, node_id),
    UNIQUE KEY fact_current (account_id, slot_key, current),
    CONSTRAINT fact_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what is believed, one row for each value that was; the newer supersedes the older';
