-- Lifecycle: what was forgotten together, and receipts of what was erased.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS forget_op (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    node_id UUID NOT NULL COMMENT 'what was asked to be forgotten',
    space_id UUID NOT NULL COMMENT 'its space',
    actor_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system',
    actor_id UUID NULL COMMENT 'who asked',
    reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'why',
    block_relearn BOOLEAN NOT NULL DEFAULT 0 COMMENT 'new evidence does not bring its facts back',
    at DATETIME(6) NOT NULL COMMENT 'when',
    undone_at DATETIME(6) NULL COMMENT 'when it was taken back',
    PRIMARY KEY (account_id, id),
    KEY forget_op_node (account_id, node_id),
    CONSTRAINT forget_op_of FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='memories that were forgotten together';

CREATE TABLE IF NOT EXISTS forget_item (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    op_id UUID NOT NULL COMMENT 'with what it was forgotten',
    node_id UUID NOT NULL COMMENT 'the memory',
    PRIMARY KEY (account_id, op_id, node_id),
    KEY forget_item_node (account_id, node_id),
    CONSTRAINT forget_item_op FOREIGN KEY (account_id, op_id) REFERENCES forget_op (account_id, id) ON DELETE CASCADE,
    CONSTRAINT forget_item_of FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what was forgotten by one call, and only by that';

CREATE TABLE IF NOT EXISTS suppress (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    claim_key BINARY(32) NOT NULL COMMENT 'keyed hash of a slot and a value that are not to be learned again',
    op_id UUID NOT NULL COMMENT 'by which forgetting',
    PRIMARY KEY (account_id, claim_key),
    KEY suppress_op (account_id, op_id)
) COMMENT='what is not to be learned again; hashes only';

CREATE TABLE IF NOT EXISTS erase_receipt (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    state VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'hidden or done' CHECK (state IN ('hidden','done')),
    reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'why, as given',
    actor_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system',
    actor_id UUID NULL COMMENT 'who erased it',
    nodes BIGINT NOT NULL COMMENT 'memories and older states of them',
    spared BIGINT NOT NULL COMMENT 'what was derived from them and has other sources',
    counts LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'memories by kind and by space' CHECK (JSON_VALID(counts)),
    left_over LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what was found afterwards: rows, keys' CHECK (JSON_VALID(left_over)),
    at DATETIME(6) NOT NULL COMMENT 'when',
    done_at DATETIME(6) NULL COMMENT 'when the last of it was gone',
    seal BINARY(32) NULL COMMENT 'keyed hash of the receipt and its items',
    PRIMARY KEY (account_id, id)
) COMMENT='what was erased: no text, only ids and keyed hashes';

CREATE TABLE IF NOT EXISTS erase_item (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    receipt_id UUID NOT NULL COMMENT 'the receipt',
    node_id UUID NOT NULL COMMENT 'what was erased',
    kind VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'its kind',
    space_id UUID NOT NULL COMMENT 'where it was',
    seal BINARY(32) NOT NULL COMMENT 'keyed hash of its content hash: proves what it was to whoever has the text',
    purged BOOLEAN NOT NULL DEFAULT 0 COMMENT 'its rows are gone',
    PRIMARY KEY (account_id, receipt_id, node_id),
    KEY erase_item_waits (account_id, receipt_id, purged),
    CONSTRAINT erase_item_of FOREIGN KEY (account_id, receipt_id) REFERENCES erase_receipt (account_id, id) ON DELETE CASCADE
) COMMENT='items of receipts';
