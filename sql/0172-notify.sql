-- Notifications: what a person is told. Re-runnable.

CREATE TABLE IF NOT EXISTS notification (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    user_id UUID NOT NULL COMMENT 'who is told',
    category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what it is about: escalation, proposal, message …',
    severity VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'medium' COMMENT 'how urgent it is' CHECK (severity IN ('low','medium','high','critical')),
    title VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what is said, in one line',
    body TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'more of it',
    link VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'page where something can be done about it',
    sender_id UUID NULL COMMENT 'agent or user who sent it; null: Loci did',
    deliver_at DATETIME(6) NOT NULL COMMENT 'held back until then',
    read_at DATETIME(6) NULL COMMENT 'when it was read',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    PRIMARY KEY (account_id, id),
    KEY notification_unread (account_id, user_id, read_at, deliver_at),
    KEY notification_of (account_id, user_id, id),
    KEY notification_from (account_id, sender_id, created_at),
    KEY notification_old (account_id, created_at),
    CONSTRAINT notification_user FOREIGN KEY (account_id, user_id) REFERENCES user (account_id, id) ON DELETE CASCADE
) COMMENT='what people are told; kept for 90 days';
