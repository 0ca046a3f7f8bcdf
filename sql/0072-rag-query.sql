-- Queries that were put to knowledge bases, what they found, and sums of them by day. Re-runnable.

CREATE TABLE IF NOT EXISTS rag_query (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    query_text TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the words; NULL where a base keeps none',
    query_hash BINARY(32) NULL COMMENT 'hash of the words; NULL where a base keeps none',
    principal_kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'kind of who asked',
    principal_id UUID NOT NULL COMMENT 'who asked',
    knowledge_base_ids LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'bases that were looked in' CHECK (JSON_VALID(knowledge_base_ids)),
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'partial: a signal was not to be had' CHECK (status IN ('completed','partial','failed')),
    retrieval_strategy VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'mode that was asked for' CHECK (retrieval_strategy IN ('hybrid','vector','keyword','graph')),
    top_k INT NOT NULL COMMENT 'results that were asked for at most',
    similarity_threshold DOUBLE NOT NULL DEFAULT 0 COMMENT 'least similarity that was asked for; 0: any',
    results_count INT NOT NULL COMMENT 'results',
    avg_score DOUBLE NOT NULL DEFAULT 0 COMMENT 'mean of their scores',
    best_score DOUBLE NOT NULL DEFAULT 0 COMMENT 'the best of them',
    processing_time_ms DOUBLE NOT NULL COMMENT 'how long it took',
    verdict VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'how well the results answer' CHECK (verdict IN ('correct','ambiguous','incorrect','nothing_found')),
    degraded LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '[]' COMMENT 'what was not to be had' CHECK (JSON_VALID(degraded)),
    feedback BOOLEAN NULL COMMENT 'whether it was useful, as who asked says',
    quality_score DOUBLE NULL COMMENT '0 to 100; NULL if it failed',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was asked',
    PRIMARY KEY (account_id, id),
    KEY rag_query_of (account_id, principal_id, id)
) COMMENT='queries put to knowledge bases';

CREATE TABLE IF NOT EXISTS hybrid_search_result (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    rag_query_id UUID NOT NULL COMMENT 'the query',
    search_mode VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'mode that was used',
    fusion_method VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'fusion that was used',
    vector_results LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'at most 50 of id, rank, score by meaning' CHECK (JSON_VALID(vector_results)),
    keyword_results LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the same by words' CHECK (JSON_VALID(keyword_results)),
    graph_results LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the same by the graph' CHECK (JSON_VALID(graph_results)),
    merged_results LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the same after fusion' CHECK (JSON_VALID(merged_results)),
    vector_score DOUBLE NULL COMMENT 'the best by meaning; NULL: none',
    keyword_score DOUBLE NULL COMMENT 'the best by words; NULL: none',
    graph_score DOUBLE NULL COMMENT 'the best by the graph; NULL: none',
    result_count INT NOT NULL COMMENT 'results',
    total_latency_ms DOUBLE NOT NULL COMMENT 'how long it took',
    reranked BOOLEAN NOT NULL DEFAULT 0 COMMENT 'the best were put in order once more',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was asked',
    PRIMARY KEY (account_id, id),
    KEY hybrid_search_query (account_id, rag_query_id),
    CONSTRAINT hybrid_search_of FOREIGN KEY (account_id, rag_query_id) REFERENCES rag_query (account_id, id) ON DELETE CASCADE
) COMMENT='what each signal of a query found';

CREATE TABLE IF NOT EXISTS rag_stat (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    knowledge_base_id UUID NOT NULL COMMENT 'the base',
    day DATE NOT NULL COMMENT 'the day, in UTC',
    mode VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'mode that was used',
    n BIGINT NOT NULL COMMENT 'queries',
    empty BIGINT NOT NULL COMMENT 'those without a result',
    sum_ms DOUBLE NOT NULL COMMENT 'sum of how long they took',
    sum_quality DOUBLE NOT NULL COMMENT 'sum of their quality_score',
    PRIMARY KEY (account_id, knowledge_base_id, day, mode),
    CONSTRAINT rag_stat_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='queries of each base by day and mode';
