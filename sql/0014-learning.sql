-- Shared knowledge and compound learnings: what only nodes of kind `knowledge` and `learning` have.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS node_use (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'the node',
    uses BIGINT NOT NULL COMMENT 'reads by its id, and injections into prompts; being found by a recall does not count here',
    last_used_at DATETIME(6) NOT NULL COMMENT 'the last of them, up to the last flush',
    PRIMARY KEY (account_id, node_id),
    CONSTRAINT node_use_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='how often nodes were asked for by name, of the kinds that go by it';

CREATE TABLE IF NOT EXISTS knowledge (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, of kind knowledge: title, content, tags, scores, author, version',
    content_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'text' COMMENT 'what sort of text it is' CHECK (content_type IN ('text','markdown','code','snippet','procedure','fact','definition','reference','guide')),
    access_level VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'whose namespace it is in; account and global share one' CHECK (access_level IN ('private','team','account','global')),
    source_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'where it came from' CHECK (source_type IN ('agent','workflow','extraction','manual','import')),
    provenance LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'from what it was made, and when it was promoted' CHECK (JSON_VALID(provenance)),
    creator_id UUID NOT NULL COMMENT 'who wrote it first, and so cannot rate it',
    structure DOUBLE NOT NULL COMMENT 'share of quality that its text alone gives, 0 to 1',
    quality_score DOUBLE NOT NULL COMMENT 'true at last_quality_recalc_at',
    rating_sum BIGINT NOT NULL DEFAULT 0 COMMENT 'of the ratings that count',
    rating_count BIGINT NOT NULL DEFAULT 0 COMMENT 'principals that have rated it',
    last_quality_recalc_at DATETIME(6) NOT NULL COMMENT 'when quality_score was computed',
    stale_at DATETIME(6) NULL COMMENT 'since when it counts as stale: long unused and of low quality',
    text_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of its content alone',
    live_key BINARY(32) NULL COMMENT 'SHA-256 of space and content while it is live: the same text is there once',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY knowledge_once (account_id, live_key),
    KEY knowledge_text (account_id, text_hash),
    KEY knowledge_quality (account_id, last_quality_recalc_at),
    CONSTRAINT knowledge_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='knowledge that agents, teams or the whole account share';

CREATE TABLE IF NOT EXISTS knowledge_rating (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    knowledge_id UUID NOT NULL COMMENT 'what is rated',
    principal_id UUID NOT NULL COMMENT 'user or agent that rates it',
    rating TINYINT NOT NULL COMMENT 'the latest, 1 to 5' CHECK (rating BETWEEN 1 AND 5),
    rated_at DATETIME(6) NOT NULL COMMENT 'when it was given',
    PRIMARY KEY (account_id, knowledge_id, principal_id),
    CONSTRAINT knowledge_rating_of FOREIGN KEY (account_id, knowledge_id) REFERENCES knowledge (account_id, id) ON DELETE CASCADE
) COMMENT='one rating of each principal and entry';

CREATE TABLE IF NOT EXISTS learning (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, of kind learning: title, content, tags, scores, status, author, version',
    category VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what was learned' CHECK (category IN ('pattern','anti_pattern','best_practice','discovery','fact','failure_mode','review_finding','performance_insight','reflexion')),
    scope VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'for whom' CHECK (scope IN ('team','global')),
    extraction_method VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'how it came to be' CHECK (extraction_method IN ('manual','marker','auto_success','auto_failure','review','evaluation','reflexion','consolidation','import')),
    injection_count BIGINT NOT NULL DEFAULT 0 COMMENT 'outcomes it was there for',
    positive_outcome_count BIGINT NOT NULL DEFAULT 0 COMMENT 'of these, the good ones',
    negative_outcome_count BIGINT NOT NULL DEFAULT 0 COMMENT 'and the bad ones',
    applicable_domains LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'where it applies' CHECK (JSON_VALID(applicable_domains)),
    source_agent_id UUID NULL COMMENT 'agent that learned it',
    source_execution_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'task or run it comes from',
    source_execution_successful BOOLEAN NULL COMMENT 'how that ended',
    learned_at DATETIME(6) NOT NULL COMMENT 'when its content became what it is',
    verified_at DATETIME(6) NULL COMMENT 'when it was confirmed',
    verified_by UUID NULL COMMENT 'who confirmed it',
    disproven_at DATETIME(6) NULL COMMENT 'when it was disputed',
    disproven_by UUID NULL COMMENT 'who disputed it',
    before_dispute LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'status, importance and confidence that it had, for taking the dispute back' CHECK (JSON_VALID(before_dispute)),
    contradiction_note TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it was disputed, or lost against another',
    contradiction_resolved_at DATETIME(6) NULL COMMENT 'when the contradiction was settled',
    promoted_at DATETIME(6) NULL COMMENT 'when its copy for everyone was made',
    last_injected_at DATETIME(6) NULL COMMENT 'when it was last there for an outcome',
    text_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of its content alone',
    live_key BINARY(32) NULL COMMENT 'SHA-256 of space and content while it is live: the same text is there once',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY learning_once (account_id, live_key),
    KEY learning_text (account_id, text_hash),
    CONSTRAINT learning_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what teams learned from their work';
