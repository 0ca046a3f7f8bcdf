-- Exports and imports of whole accounts: what was asked for, and what became of it. The files are on disk (transfer.dir).
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS transfer (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7); its file has this name',
    direction VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'out of the account, or into it' CHECK (direction IN ('export','import')),
    format VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'loci' COMMENT 'what the file is',
    options LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'how it was asked for' CHECK (JSON_VALID(options)),
    status VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'waiting' COMMENT 'how far it is' CHECK (status IN ('waiting','running','done','failed')),
    mark UUID NULL COMMENT 'newest audit event when an export began: while it is the newest, the export can go on where it stopped',
    bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'size of the file',
    line_count BIGINT NOT NULL DEFAULT 0 COMMENT 'lines of it',
    report LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'of an import: what was added and what was there' CHECK (JSON_VALID(report)),
    error VARCHAR(2000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it failed',
    bad_line BIGINT NULL COMMENT 'line of the file at which it failed, from 1',
    actor_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who asked for it',
    actor_id UUID NULL COMMENT 'who asked for it',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was asked for',
    finished_at DATETIME(6) NULL COMMENT 'when it was done, or had failed',
    PRIMARY KEY (account_id, id),
    CONSTRAINT transfer_account FOREIGN KEY (account_id) REFERENCES account (id)
) COMMENT='exports and imports of accounts';
