-- Documents of knowledge bases, their texts and their chunks. Re-runnable.

CREATE TABLE IF NOT EXISTS document (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, whose title is the name',
    knowledge_base_id UUID NOT NULL COMMENT 'the base it is in',
    source_type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'text' COMMENT 'where the text came from' CHECK (source_type IN ('text','upload','url','folder','git')),
    source_url VARCHAR(2048) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'address that it was taken from',
    external_id VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name that the sender knows it by: the same one is the same document',
    live_external BINARY(32) NULL COMMENT 'hash of base and external_id, NULL once it is deleted: live ones are unique',
    live_checksum BINARY(32) NULL COMMENT 'hash of base and checksum of what has no external_id; NULL for copies that were asked for and deleted ones',
    content_type VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'text/plain' COMMENT 'text/plain or text/markdown',
    content_size_bytes BIGINT NOT NULL COMMENT 'bytes of the text',
    checksum BINARY(32) NOT NULL COMMENT 'SHA-256 of what was sent',
    source_version BIGINT NOT NULL DEFAULT 1 COMMENT 'one more with every new text',
    served_version BIGINT NOT NULL DEFAULT 0 COMMENT 'text whose chunks are found; 0: none yet',
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pending' COMMENT 'how far the last processing came' CHECK (status IN ('pending','processing','indexed','failed','archived')),
    generation BIGINT NOT NULL DEFAULT 0 COMMENT 'how often chunks were published',
    chunk_count BIGINT NOT NULL DEFAULT 0 COMMENT 'chunks that are served',
    token_count BIGINT NOT NULL DEFAULT 0 COMMENT 'their tokens',
    metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what the sender keeps beside it' CHECK (JSON_VALID(metadata)),
    processing_errors LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'the newest 20 failures: at, stage, code, message' CHECK (JSON_VALID(processing_errors)),
    processed_at DATETIME(6) NULL COMMENT 'when its chunks were last published',
    uploaded_by UUID NOT NULL COMMENT 'principal who added it',
    wants_processing BOOLEAN NOT NULL DEFAULT 0 COMMENT 'somebody asked for its processing, and it is not done',
    deleted_at DATETIME(6) NULL COMMENT 'when it was deleted',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was added',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY document_external (account_id, live_external),
    UNIQUE KEY document_checksum (account_id, live_checksum),
    KEY document_base (account_id, knowledge_base_id, status),
    KEY document_waiting (status, account_id),
    CONSTRAINT document_of_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='documents of knowledge bases';

CREATE TABLE IF NOT EXISTS document_text (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    document_id UUID NOT NULL COMMENT 'the document',
    source_version BIGINT NOT NULL COMMENT 'which of its texts',
    start_offset BIGINT NOT NULL COMMENT 'bytes before this part',
    body MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'at most 256 KiB of it',
    PRIMARY KEY (account_id, document_id, source_version, start_offset),
    CONSTRAINT document_text_of FOREIGN KEY (account_id, document_id) REFERENCES document (account_id, id) ON DELETE CASCADE
) COMMENT='texts of documents in parts';

CREATE TABLE IF NOT EXISTS chunk (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, whose body is the text',
    document_id UUID NOT NULL COMMENT 'the document',
    sequence_number INT NOT NULL COMMENT 'place in the document, from 0',
    start_offset BIGINT NOT NULL COMMENT 'bytes of the text before it',
    end_offset BIGINT NOT NULL COMMENT 'bytes of the text up to its end',
    overlap INT NOT NULL COMMENT 'leading bytes that the chunk before has as well',
    heading_path VARCHAR(1500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'headings that it stands under',
    embed_hash BINARY(32) NOT NULL COMMENT 'hash of what is embedded: the same text keeps its node and vector',
    tokens INT NOT NULL COMMENT 'size in tokens',
    PRIMARY KEY (account_id, id),
    KEY chunk_place (account_id, document_id, sequence_number),
    CONSTRAINT chunk_of FOREIGN KEY (account_id, document_id) REFERENCES document (account_id, id) ON DELETE CASCADE
) COMMENT='chunks of documents: where their text stands';
