-- Who vouches for what: attestations, reliability, promotion of facts, core blocks and votes on their edits.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS attestation (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    fact_id UUID NOT NULL COMMENT 'the fact',
    principal_id UUID NOT NULL COMMENT 'who attests',
    principal_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user or agent: from the credential',
    stance VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'support or dispute' CHECK (stance IN ('support','dispute')),
    category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in which its reliability counts',
    note VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'why',
    is_author BOOLEAN NOT NULL DEFAULT 0 COMMENT 'it said the fact itself: counts for nothing',
    at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, fact_id, principal_id),
    KEY attestation_of (account_id, principal_id),
    CONSTRAINT attestation_fact FOREIGN KEY (account_id, fact_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='who stands for a fact or against it; one live for each';

CREATE TABLE IF NOT EXISTS reliability_event (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    principal_id UUID NOT NULL COMMENT 'whose reliability',
    category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'in what',
    kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'agreed, contradicted, disproved or confirmed',
    weight DOUBLE NOT NULL COMMENT 'how much it counts',
    success BOOLEAN NOT NULL COMMENT 'for it, or against it',
    cause_id UUID NOT NULL COMMENT 'the fact',
    other_id UUID NOT NULL COMMENT 'who agreed or decided',
    at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, principal_id, kind, cause_id, other_id),
    KEY reliability_category (account_id, principal_id, category)
) COMMENT='what speaks for and against the reliability of principals; only added to';

CREATE TABLE IF NOT EXISTS promotion (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    candidate_fact_id UUID NOT NULL COMMENT 'the fact of a team or agent',
    space_id UUID NOT NULL COMMENT 'its space',
    posterior DOUBLE NOT NULL DEFAULT 0.5 COMMENT 'probability at the last look' CHECK (posterior BETWEEN 0 AND 1),
    supporters INT NOT NULL DEFAULT 0 COMMENT 'that counted at the last look',
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'pending, promoted, rejected or demoted' CHECK (status IN ('pending','promoted','rejected','demoted')),
    reason VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'why it was decided so',
    promoted_fact_id UUID NULL COMMENT 'the copy for everyone',
    claim_id UUID NULL COMMENT 'what the copy rests on',
    actor_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system',
    actor_id UUID NULL COMMENT 'who asked',
    at DATETIME(6) NOT NULL COMMENT 'when it was asked for',
    resolved_at DATETIME(6) NULL COMMENT 'when it was decided',
    PRIMARY KEY (account_id, id),
    KEY promotion_fact (account_id, candidate_fact_id, status),
    KEY promotion_status (status, account_id),
    CONSTRAINT promotion_of FOREIGN KEY (account_id, candidate_fact_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='facts that shall hold for everyone';

CREATE TABLE IF NOT EXISTS core_edit (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    block_id UUID NOT NULL COMMENT 'the core block',
    content TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it shall say',
    prior_hash BINARY(32) NOT NULL COMMENT 'content it was made from',
    editor_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user or agent',
    editor_id UUID NOT NULL COMMENT 'who wants it',
    state VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'waiting, applied or stale' CHECK (state IN ('waiting','applied','stale')),
    at DATETIME(6) NOT NULL COMMENT 'when',
    resolved_at DATETIME(6) NULL COMMENT 'when it was applied or overtaken',
    PRIMARY KEY (account_id, id),
    KEY core_edit_block (account_id, block_id, state),
    CONSTRAINT core_edit_of FOREIGN KEY (account_id, block_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='edits of core blocks that wait for votes';

CREATE TABLE IF NOT EXISTS core_vote (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    edit_id UUID NOT NULL COMMENT 'the edit',
    principal_id UUID NOT NULL COMMENT 'who approves',
    principal_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user or agent: from the credential',
    at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, edit_id, principal_id),
    CONSTRAINT core_vote_edit FOREIGN KEY (account_id, edit_id) REFERENCES core_edit (account_id, id) ON DELETE CASCADE
) COMMENT='approvals of edits of core blocks';
