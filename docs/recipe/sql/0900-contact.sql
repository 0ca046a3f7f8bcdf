-- Contacts of an account: people to ask who have no login. Re-runnable.

CREATE TABLE IF NOT EXISTS contact (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name of the person',
    email VARCHAR(254) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'address, unique in the account',
    description TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what to ask this person about',
    on_call BOOLEAN NOT NULL DEFAULT 0 COMMENT 'can be reached at night',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was created',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY contact_email (account_id, email),
    CONSTRAINT contact_account FOREIGN KEY (account_id) REFERENCES account (id)
) COMMENT='people to ask';
