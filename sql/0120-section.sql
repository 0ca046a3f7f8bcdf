-- Sections: the parts of a knowledge base whose documents have readers of their own. Re-runnable.

ALTER TABLE space
    ADD COLUMN IF NOT EXISTS is_section BOOLEAN NOT NULL DEFAULT 0 COMMENT 'part of the space above it: there while that one is, and managed by who manages that one',
    ADD INDEX IF NOT EXISTS space_sections (account_id, is_section, parent_id);

CREATE TABLE IF NOT EXISTS knowledge_section (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'the space it is; its grants are the list',
    knowledge_base_id UUID NOT NULL COMMENT 'the base it is a part of',
    access_hash BINARY(32) NOT NULL COMMENT 'hash of the sorted list: documents with equal lists share a section',
    document_count BIGINT NOT NULL DEFAULT 0 COMMENT 'live documents; those of the base do not count them',
    chunk_count BIGINT NOT NULL DEFAULT 0 COMMENT 'their chunks',
    total_tokens BIGINT NOT NULL DEFAULT 0 COMMENT 'tokens of the chunks',
    storage_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'bytes of the texts',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY knowledge_section_list (account_id, knowledge_base_id, access_hash),
    CONSTRAINT knowledge_section_space FOREIGN KEY (account_id, id) REFERENCES space (account_id, id) ON DELETE CASCADE,
    CONSTRAINT knowledge_section_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='parts of knowledge bases whose documents have readers of their own';

ALTER TABLE document
    ADD COLUMN IF NOT EXISTS space_id UUID NULL COMMENT 'space that it and its chunks lie in: the base, or a section of it' AFTER knowledge_base_id;
UPDATE document SET space_id = knowledge_base_id WHERE space_id IS NULL;
ALTER TABLE document
    MODIFY COLUMN space_id UUID NOT NULL COMMENT 'space that it and its chunks lie in: the base, or a section of it',
    ADD INDEX IF NOT EXISTS document_space (account_id, space_id, id);
