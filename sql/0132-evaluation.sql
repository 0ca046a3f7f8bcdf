-- Evaluation sets: questions to a knowledge base with what should be found, and runs over them. Re-runnable.

CREATE TABLE IF NOT EXISTS evaluation_case (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'the case',
    knowledge_base_id UUID NOT NULL COMMENT 'base that is asked',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'set that it belongs to',
    question TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what is asked',
    expected_document_id UUID NULL COMMENT 'document that should be found',
    expected_chunk_id UUID NULL COMMENT 'or chunk',
    expected_text VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'or words that should stand in what is found',
    created_by UUID NOT NULL COMMENT 'principal who added it',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was added',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY evaluation_case_base (account_id, knowledge_base_id, name),
    CONSTRAINT evaluation_case_of_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='questions with what should be found';

CREATE TABLE IF NOT EXISTS evaluation_run (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'the run',
    knowledge_base_id UUID NOT NULL COMMENT 'base that is asked',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'set that is run; NULL: all',
    status VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'running' COMMENT 'running, done or failed' CHECK (status IN ('running','done','failed')),
    cases BIGINT NOT NULL DEFAULT 0 COMMENT 'questions that were asked',
    results LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'figures by mode, each with the change since the run before' CHECK (JSON_VALID(results)),
    failed_cases LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'cases whose answer hybrid did not find' CHECK (JSON_VALID(failed_cases)),
    error VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it failed',
    created_by UUID NOT NULL COMMENT 'principal who asked for it',
    finished_at DATETIME(6) NULL COMMENT 'when it was done',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was asked for',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY evaluation_run_base (account_id, knowledge_base_id),
    CONSTRAINT evaluation_run_of_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='runs of evaluation sets';
