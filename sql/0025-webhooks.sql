-- Webhooks: who is told of events by HTTP, and what became of each telling. Re-runnable.

CREATE TABLE IF NOT EXISTS webhook (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name for people',
    url VARCHAR(2000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'where events are posted to',
    secret VARBINARY(255) NOT NULL COMMENT 'key of the signatures, sealed with the key of the installation',
    kinds LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'only these kinds; empty: all' CHECK (JSON_VALID(kinds)),
    spaces LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'only these spaces; empty: all' CHECK (JSON_VALID(spaces)),
    owner_id UUID NOT NULL COMMENT 'the person who made it: it hears what that person may read',
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'active' COMMENT 'paused: events wait; disabled: none are taken' CHECK (status IN ('active','paused','disabled')),
    reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it is disabled',
    failing_since DATETIME(6) NULL COMMENT 'first failure since the last success',
    last_success_at DATETIME(6) NULL COMMENT 'when an event was taken last',
    last_failure_at DATETIME(6) NULL COMMENT 'when one was not',
    last_error VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what was wrong then',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change by people; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed by people',
    PRIMARY KEY (account_id, id),
    KEY webhook_failing (failing_since)
) COMMENT='where events are posted to';

CREATE TABLE IF NOT EXISTS webhook_delivery (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    webhook_id UUID NOT NULL COMMENT 'where to',
    seq BIGINT NOT NULL COMMENT 'number of the event',
    event_id UUID NOT NULL COMMENT 'its own id, by which the receiver knows it again',
    kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what happened',
    subject_id UUID NOT NULL COMMENT 'what it is about: later ones of the same wait for it',
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pending' COMMENT 'withheld: its owner may not read it any more' CHECK (status IN ('pending','delivered','dead','withheld')),
    round INT NOT NULL DEFAULT 1 COMMENT 'grows with each time it is promised anew; part of the key of its task',
    attempts INT NOT NULL DEFAULT 0 COMMENT 'tries so far',
    http_status INT NULL COMMENT 'answer to the last try',
    error VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what was wrong with it',
    ms INT NULL COMMENT 'how long it took',
    created_at DATETIME(6) NOT NULL COMMENT 'when the event was relayed',
    tried_at DATETIME(6) NULL COMMENT 'last try',
    done_at DATETIME(6) NULL COMMENT 'when it was delivered or given up',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY webhook_delivery_event (account_id, webhook_id, seq),
    KEY webhook_delivery_order (account_id, webhook_id, status, subject_id, seq),
    KEY webhook_delivery_log (account_id, webhook_id, id)
) COMMENT='what became of each event for each webhook';
