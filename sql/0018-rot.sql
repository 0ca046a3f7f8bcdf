-- Rot and junk: what the nightly jobs found about memories, for people to look at.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS memory_finding (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'the memory',
    class VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what is the matter with it',
    space_id UUID NOT NULL COMMENT 'space it was in then',
    value DOUBLE NOT NULL COMMENT 'how bad it is, 0 to 1, by the rule of its class',
    other_id UUID NULL COMMENT 'what it is a copy of',
    found_at DATETIME(6) NOT NULL COMMENT 'when it was last found so',
    PRIMARY KEY (account_id, node_id, class),
    KEY memory_finding_class (account_id, class, node_id),
    CONSTRAINT memory_finding_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what is the matter with memories: stale, copied, echoed, too short …; found anew each night';

CREATE TABLE IF NOT EXISTS memory_census (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    day DATE NOT NULL COMMENT 'UTC day of the audit',
    space_id UUID NOT NULL COMMENT 'the space',
    class VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'class of findings; nodes: all that were looked at; junk: those that count as such',
    found BIGINT NOT NULL COMMENT 'memories of that class',
    PRIMARY KEY (account_id, day, space_id, class)
) COMMENT='how much of each space was junk on a day; kept for 90 days';
