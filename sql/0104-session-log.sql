-- Session logs: what was said, word for word, with filters for exact search. Re-runnable.

CREATE TABLE IF NOT EXISTS session_head (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'id of the session',
    space_id UUID NOT NULL COMMENT 'namespace it belongs to: its access list is that of the log',
    external_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name the agent knows it by, unique in the namespace',
    next_seq BIGINT NOT NULL DEFAULT 1 COMMENT 'number of the next message',
    bytes BIGINT NOT NULL DEFAULT 0 COMMENT 'bytes of all messages',
    sealed_seq BIGINT NOT NULL DEFAULT 0 COMMENT 'last message that is in a block',
    closed_at DATETIME(6) NULL COMMENT 'when it was closed: it takes no more',
    created_at DATETIME(6) NOT NULL COMMENT 'when the first message came',
    updated_at DATETIME(6) NOT NULL COMMENT 'when the last message came',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY session_head_name (account_id, space_id, external_id),
    CONSTRAINT session_head_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='sessions whose words are kept';

CREATE TABLE IF NOT EXISTS session_log (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    session_id UUID NOT NULL COMMENT 'the session',
    seq BIGINT NOT NULL COMMENT 'number of the message, from 1, without gaps',
    role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who said it' CHECK (role IN ('user','assistant','tool','system','event')),
    name VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of the tool or speaker',
    content MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the bytes as they were sent',
    said_at DATETIME(6) NOT NULL COMMENT 'when it was said',
    PRIMARY KEY (account_id, session_id, seq),
    CONSTRAINT session_log_of FOREIGN KEY (account_id, session_id) REFERENCES session_head (account_id, id) ON DELETE CASCADE
) COMMENT='messages of sessions, word for word';

CREATE TABLE IF NOT EXISTS session_block (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    session_id UUID NOT NULL COMMENT 'the session',
    first_seq BIGINT NOT NULL COMMENT 'first message of the block',
    last_seq BIGINT NOT NULL COMMENT 'last message of the block',
    newest_at DATETIME(6) NOT NULL COMMENT 'when its last message was said',
    filter VARBINARY(2048) NOT NULL COMMENT 'Bloom filter of the lower-case byte trigrams of its messages',
    PRIMARY KEY (account_id, session_id, first_seq),
    CONSTRAINT session_block_of FOREIGN KEY (account_id, session_id) REFERENCES session_head (account_id, id) ON DELETE CASCADE
) COMMENT='blocks of about 64 KiB that a search may leave out';
