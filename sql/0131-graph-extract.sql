-- Graphs out of texts: facts read out of chunks by rules or by a model. Re-runnable.

ALTER TABLE knowledge_base MODIFY COLUMN extraction VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'names' COMMENT 'what becomes of the names in its texts' CHECK (extraction IN ('off','names','rules','llm'));

ALTER TABLE fact ADD INDEX IF NOT EXISTS fact_object_entity (account_id, object_entity_id);

CREATE TABLE IF NOT EXISTS chunk_extraction (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    chunk_id UUID NOT NULL COMMENT 'chunk that was read',
    method VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'rules or llm' CHECK (method IN ('rules','llm')),
    read_at DATETIME(6) NOT NULL COMMENT 'when it was read',
    PRIMARY KEY (account_id, chunk_id),
    CONSTRAINT chunk_extraction_of FOREIGN KEY (account_id, chunk_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='chunks whose facts were read, so that nothing is paid for twice';
