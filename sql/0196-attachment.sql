-- Files beside pages, and links that name them. Re-runnable.

CREATE TABLE IF NOT EXISTS attachment (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    space_id UUID NOT NULL COMMENT 'who may read there may read it, besides those who can read a page that names it',
    path VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'where it lies in the vault',
    name_key VARCHAR(510) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'last part of the path, without case, in normal form C',
    media VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what its first bytes say it is',
    size_bytes BIGINT NOT NULL COMMENT 'bytes of the file',
    hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the file',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was created',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY attachment_path (account_id, path),
    KEY attachment_name (account_id, name_key),
    CONSTRAINT attachment_account FOREIGN KEY (account_id) REFERENCES account (id)
) COMMENT='files beside pages: pictures and documents of vaults';

CREATE TABLE IF NOT EXISTS attachment_part (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    attachment_id UUID NOT NULL COMMENT 'the file',
    start_offset BIGINT NOT NULL COMMENT 'where in the file it begins',
    body MEDIUMBLOB NOT NULL COMMENT 'bytes, never run',
    PRIMARY KEY (account_id, attachment_id, start_offset),
    CONSTRAINT attachment_part_of FOREIGN KEY (account_id, attachment_id) REFERENCES attachment (account_id, id) ON DELETE CASCADE
) COMMENT='bytes of files beside pages';

-- A link may name a file.
ALTER TABLE page_link MODIFY COLUMN state VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'resolved, pending (no such name yet), self, or file: it names one' CHECK (state IN ('resolved','pending','self','file'));
