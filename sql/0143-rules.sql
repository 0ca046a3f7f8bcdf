-- Rules of an account, beside those that are shipped.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS extract_rule_set (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'own' COMMENT 'which set: own' CHECK (name = 'own'),
    body LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the rules as given',
    active LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the same with empty lines in the place of bad rules and of those whose own test fails',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change',
    updated_at DATETIME(6) NOT NULL COMMENT 'when they were last changed',
    PRIMARY KEY (account_id, name)
) COMMENT='by which facts are read out of texts, before the shipped rules';
