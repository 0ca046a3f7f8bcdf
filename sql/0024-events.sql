-- The event stream: which news of an account have which number. The news themselves are audit events and outbox rows; a relay
-- numbers them in batches, and hands them to those who listen. Re-runnable.

CREATE TABLE IF NOT EXISTS event_stream (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    last_seq BIGINT NOT NULL DEFAULT 0 COMMENT 'number of the newest event',
    published_seq BIGINT NOT NULL DEFAULT 0 COMMENT 'number of the newest one that was put into the Redis stream',
    position UUID NOT NULL COMMENT 'largest id of an audit event or outbox row that was looked at',
    moved_at DATETIME(6) NOT NULL COMMENT 'when it last got a new event',
    swept_at DATETIME(6) NOT NULL COMMENT 'when it was last looked far back for what committed late',
    PRIMARY KEY (account_id)
) COMMENT='where the event relay stands in each account';

CREATE TABLE IF NOT EXISTS event_batch (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    first_seq BIGINT NOT NULL COMMENT 'number of its first event; they have no gaps',
    n INT NOT NULL COMMENT 'how many events it has',
    at DATETIME(6) NOT NULL COMMENT 'when they were numbered',
    ids MEDIUMBLOB NOT NULL COMMENT 'ids of audit events and outbox rows in the order of their numbers, 16 bytes each',
    PRIMARY KEY (account_id, first_seq),
    KEY event_batch_at (account_id, at)
) COMMENT='numbered events, until retention.outbox_days are over';
