-- Memory: snapshots of contexts, by reference to versions of entries.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS snapshot (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    space_id UUID NOT NULL COMMENT 'the context',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name for people',
    is_automatic BOOLEAN NOT NULL COMMENT 'taken before a restore; the newest few are kept',
    entry_count BIGINT NOT NULL COMMENT 'entries in it',
    context_data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'of the context, as it was' CHECK (JSON_VALID(context_data)),
    data_hash BINARY(32) NOT NULL COMMENT 'SHA-256 over keys and contents: equal snapshots have equal hashes',
    author_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system: from the credential',
    author_id UUID NOT NULL COMMENT 'who took it',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was taken',
    PRIMARY KEY (account_id, id),
    KEY snapshot_of (account_id, space_id, id),
    CONSTRAINT snapshot_context FOREIGN KEY (account_id, space_id) REFERENCES context (account_id, space_id) ON DELETE CASCADE
) COMMENT='what a context held at an instant';

CREATE TABLE IF NOT EXISTS snapshot_item (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    snapshot_id UUID NOT NULL COMMENT 'the snapshot',
    entry_key VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'key of the entry',
    node_id UUID NOT NULL COMMENT 'its node then',
    version BIGINT NOT NULL COMMENT 'version at which its content had come',
    content_hash BINARY(32) NOT NULL COMMENT 'hash of that content',
    PRIMARY KEY (account_id, snapshot_id, entry_key),
    KEY snapshot_item_node (account_id, node_id),
    CONSTRAINT snapshot_item_of FOREIGN KEY (account_id, snapshot_id) REFERENCES snapshot (account_id, id) ON DELETE CASCADE
) COMMENT='entries of a snapshot, by reference';
