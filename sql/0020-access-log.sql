-- Memory: who read, searched and changed contexts.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS access_log (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    space_id UUID NOT NULL COMMENT 'the context',
    entry_id UUID NULL COMMENT 'entry it was about, as its node was called then',
    action VARCHAR(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what was done' CHECK (action IN ('read','write','update','delete','search','export','import','clone','archive','unarchive','create','snapshot','restore','grant','revoke','promote','merge')),
    access_type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'on which way' CHECK (access_type IN ('user','agent','workflow','api','system')),
    success BOOLEAN NOT NULL COMMENT 'false: it was refused',
    error_message VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it was refused',
    user_id UUID NULL COMMENT 'person who did it',
    agent_id UUID NULL COMMENT 'agent who did it',
    version_before BIGINT NULL COMMENT 'version of the content that the entry had; the content stays with the entry, so that erasing it there erases it here',
    version_after BIGINT NULL COMMENT 'version of the content that it got',
    size_change BIGINT NULL COMMENT 'bytes of content more, or fewer',
    request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'request it came from',
    ip VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'address it came from',
    user_agent VARCHAR(127) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'program it came from, as it calls itself',
    metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what else matters; of a query its hash' CHECK (JSON_VALID(metadata)),
    created_at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, id),
    KEY access_log_of (account_id, space_id, id),
    KEY access_log_age (account_id, created_at)
) COMMENT='what was done with contexts, for 90 days';

ALTER TABLE context
    ADD COLUMN IF NOT EXISTS access_count BIGINT NOT NULL DEFAULT 0 COMMENT 'reads and searches, up to the last flush',
    ADD COLUMN IF NOT EXISTS last_accessed_at DATETIME(6) NULL COMMENT 'the last of them';
