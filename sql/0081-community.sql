-- Communities of names: which belong together, found by a job. Re-runnable.

ALTER TABLE name ADD INDEX IF NOT EXISTS name_norm (account_id, norm);

CREATE TABLE IF NOT EXISTS community (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'node of the community: title and summary',
    space_id UUID NOT NULL COMMENT 'space of its members',
    level TINYINT NOT NULL COMMENT '0: themes, 1: parts of large ones',
    parent_id UUID NULL COMMENT 'the theme that it is a part of',
    size INT NOT NULL COMMENT 'members',
    edge_weight DOUBLE NOT NULL COMMENT 'sum of the weights between members',
    density DOUBLE NOT NULL COMMENT 'pairs that are joined, of all pairs',
    members_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the ids of the members in order',
    summary_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'template' COMMENT 'who worded the summary' CHECK (summary_kind IN ('template','model')),
    algorithm VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'how it was found',
    written_at DATETIME(6) NOT NULL COMMENT 'when the summary was written',
    PRIMARY KEY (account_id, id),
    KEY community_space (account_id, space_id, level),
    CONSTRAINT community_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='communities of names';

CREATE TABLE IF NOT EXISTS community_member (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    community_id UUID NOT NULL COMMENT 'the community',
    node_id UUID NOT NULL COMMENT 'a name in it',
    strength DOUBLE NOT NULL COMMENT 'weight of its links to other members',
    PRIMARY KEY (account_id, community_id, node_id),
    KEY community_of (account_id, node_id),
    CONSTRAINT community_member_of FOREIGN KEY (account_id, community_id) REFERENCES community (account_id, id) ON DELETE CASCADE
) COMMENT='names in communities';

CREATE TABLE IF NOT EXISTS community_run (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'the space',
    seen_at DATETIME(6) NOT NULL COMMENT 'newest edge that was counted',
    ran_at DATETIME(6) NOT NULL COMMENT 'when its communities were last found',
    PRIMARY KEY (account_id, space_id),
    CONSTRAINT community_run_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='up to where the communities of a space are known';
