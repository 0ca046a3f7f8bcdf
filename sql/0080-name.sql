-- Names in the texts of knowledge bases: which entity each is, or the one chunk that holds it so far. Re-runnable.

ALTER TABLE knowledge_base ADD COLUMN IF NOT EXISTS extraction VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'names' COMMENT 'what becomes of the names in its texts' CHECK (extraction IN ('off','names'));

CREATE TABLE IF NOT EXISTS name (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'space of the texts',
    norm VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the name in lower case, one space between words',
    entity_id UUID NULL COMMENT 'node of the name; NULL: only one chunk holds it',
    chunk_id UUID NULL COMMENT 'that chunk',
    PRIMARY KEY (account_id, space_id, norm),
    KEY name_entity (account_id, entity_id),
    KEY name_chunk (account_id, chunk_id),
    CONSTRAINT name_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='names in texts of knowledge bases';
