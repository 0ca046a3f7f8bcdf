-- What knowledge bases were asked, by question; how long answers took; which documents were ever found. Re-runnable.

CREATE TABLE IF NOT EXISTS rag_question (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    knowledge_base_id UUID NOT NULL COMMENT 'the base',
    question_hash BINARY(32) NOT NULL COMMENT 'hash of the words: case and spaces make no other question',
    query_text TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the words as they were first said',
    n BIGINT NOT NULL COMMENT 'how often it was asked',
    unanswered BIGINT NOT NULL COMMENT 'how often nothing answered it well',
    most_ms DOUBLE NOT NULL COMMENT 'longest that it took',
    last_at DATETIME(6) NOT NULL COMMENT 'when it was asked last',
    PRIMARY KEY (account_id, knowledge_base_id, question_hash),
    KEY rag_question_asked (account_id, knowledge_base_id, n),
    KEY rag_question_unanswered (account_id, knowledge_base_id, unanswered),
    KEY rag_question_slow (account_id, knowledge_base_id, most_ms),
    KEY rag_question_age (account_id, last_at),
    CONSTRAINT rag_question_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='questions put to each base, for who manages it; kept for 90 days';

CREATE TABLE IF NOT EXISTS rag_latency (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    knowledge_base_id UUID NOT NULL COMMENT 'the base',
    day DATE NOT NULL COMMENT 'the day, in UTC',
    mode VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'mode that was used',
    bucket SMALLINT NOT NULL COMMENT 'eight for each doubling of milliseconds + 1',
    n BIGINT NOT NULL COMMENT 'queries',
    PRIMARY KEY (account_id, knowledge_base_id, day, mode, bucket),
    CONSTRAINT rag_latency_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='how long queries of each base took, by day and mode';

CREATE TABLE IF NOT EXISTS document_found (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    document_id UUID NOT NULL COMMENT 'a document that a query has found',
    found_at DATETIME(6) NOT NULL COMMENT 'when one found it first',
    PRIMARY KEY (account_id, document_id),
    CONSTRAINT document_found_of FOREIGN KEY (account_id, document_id) REFERENCES document (account_id, id) ON DELETE CASCADE
) COMMENT='documents that queries have found';
