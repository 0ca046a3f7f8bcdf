-- Memory: snapshots of pools. The document is stored whole: a pool keeps no old values that could be referred to.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS pool_snapshot (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    space_id UUID NOT NULL COMMENT 'the pool',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name for people',
    is_automatic BOOLEAN NOT NULL COMMENT 'taken before a restore; the newest few are kept',
    pool_version BIGINT NOT NULL COMMENT 'version of the pool then',
    key_count BIGINT NOT NULL COMMENT 'keys in it',
    data_size_bytes BIGINT NOT NULL COMMENT 'bytes of keys and values',
    data_hash BINARY(32) NOT NULL COMMENT 'SHA-256 over keys and values: equal snapshots have equal hashes',
    author_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system: from the credential',
    author_id UUID NOT NULL COMMENT 'who took it',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was taken',
    PRIMARY KEY (account_id, id),
    KEY pool_snapshot_of (account_id, space_id, id),
    CONSTRAINT pool_snapshot_pool FOREIGN KEY (account_id, space_id) REFERENCES pool (account_id, space_id) ON DELETE CASCADE
) COMMENT='what a pool held at an instant';

CREATE TABLE IF NOT EXISTS pool_snapshot_item (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    snapshot_id UUID NOT NULL COMMENT 'the snapshot',
    entry_key VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'path of the value, as in pool_entry',
    value MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON' CHECK (JSON_VALID(value)),
    expires_at DATETIME(6) NULL COMMENT 'it is not brought back from here on',
    PRIMARY KEY (account_id, snapshot_id, entry_key),
    CONSTRAINT pool_snapshot_item_of FOREIGN KEY (account_id, snapshot_id) REFERENCES pool_snapshot (account_id, id) ON DELETE CASCADE
) COMMENT='keys of a snapshot of a pool, with their values';
