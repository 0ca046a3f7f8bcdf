-- Documents that are files: their original bytes, what is known of them, and where they come from. Re-runnable.

ALTER TABLE document
    MODIFY COLUMN content_type VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'text/plain' COMMENT 'media type of what was sent',
    ADD COLUMN IF NOT EXISTS is_markdown BOOLEAN NOT NULL DEFAULT 0 COMMENT 'its text is Markdown, as that of HTML and office files is',
    ADD COLUMN IF NOT EXISTS file_name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of the file it was',
    ADD COLUMN IF NOT EXISTS original_bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'size of the file; 0: it came as text',
    ADD COLUMN IF NOT EXISTS page_count INT NOT NULL DEFAULT 0 COMMENT 'pages; 0: it has none',
    ADD COLUMN IF NOT EXISTS language VARCHAR(35) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'language, as the file says',
    ADD COLUMN IF NOT EXISTS stage VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'what its processing does now: fetch, extract or chunk',
    ADD COLUMN IF NOT EXISTS wants_fetch BOOLEAN NOT NULL DEFAULT 0 COMMENT 'its address is to be fetched before it is processed',
    ADD COLUMN IF NOT EXISTS etag VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'of the answer it was fetched with',
    ADD COLUMN IF NOT EXISTS last_modified VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'the same',
    ADD COLUMN IF NOT EXISTS last_refreshed_at DATETIME(6) NULL COMMENT 'when its address was last asked';
UPDATE document SET is_markdown = 1 WHERE content_type = 'text/markdown' AND is_markdown = 0;

CREATE TABLE IF NOT EXISTS document_original (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    document_id UUID NOT NULL COMMENT 'the document',
    source_version BIGINT NOT NULL COMMENT 'which of its texts was made of it',
    start_offset BIGINT NOT NULL COMMENT 'bytes before this part',
    body MEDIUMBLOB NOT NULL COMMENT 'at most 1 MiB of it',
    PRIMARY KEY (account_id, document_id, source_version, start_offset),
    CONSTRAINT document_original_of FOREIGN KEY (account_id, document_id) REFERENCES document (account_id, id) ON DELETE CASCADE
) COMMENT='files that documents were made of, in parts';

ALTER TABLE chunk
    ADD COLUMN IF NOT EXISTS page_from INT NOT NULL DEFAULT 0 COMMENT 'page that it begins on, from 1; 0: the document has none',
    ADD COLUMN IF NOT EXISTS page_to INT NOT NULL DEFAULT 0 COMMENT 'page that it ends on';
