-- Queries that take several rounds. Re-runnable.

ALTER TABLE rag_query MODIFY COLUMN retrieval_strategy VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'mode that was asked for' CHECK (retrieval_strategy IN ('hybrid','vector','keyword','graph','agentic'));
ALTER TABLE rag_query ADD COLUMN IF NOT EXISTS rounds INT NOT NULL DEFAULT 1 COMMENT 'rounds of searching';
ALTER TABLE rag_query ADD COLUMN IF NOT EXISTS tokens_used BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens that a model took';
