-- Skills as files: what stands beside a SKILL.md, and links to skills by their slugs. Re-runnable.

CREATE TABLE IF NOT EXISTS skill_resource (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    skill_id UUID NOT NULL COMMENT 'the skill',
    path VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'below the folder of the skill',
    size_bytes BIGINT NOT NULL COMMENT 'bytes of the file',
    hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the file',
    PRIMARY KEY (account_id, skill_id, path),
    CONSTRAINT skill_resource_of FOREIGN KEY (account_id, skill_id) REFERENCES skill (account_id, id) ON DELETE CASCADE
) COMMENT='files beside a SKILL.md';

CREATE TABLE IF NOT EXISTS skill_resource_part (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    skill_id UUID NOT NULL COMMENT 'the skill',
    path VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the file',
    start_offset BIGINT NOT NULL COMMENT 'where in the file it begins',
    body MEDIUMBLOB NOT NULL COMMENT 'bytes, never run',
    PRIMARY KEY (account_id, skill_id, path, start_offset),
    CONSTRAINT skill_resource_part_of FOREIGN KEY (account_id, skill_id, path) REFERENCES skill_resource (account_id, skill_id, path) ON DELETE CASCADE
) COMMENT='bytes of files beside a SKILL.md';

CREATE TABLE IF NOT EXISTS skill_link (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    skill_id UUID NOT NULL COMMENT 'the skill whose file names another',
    relation VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'relation of the edge that it becomes',
    slug VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the other one, in the same space, once it is there',
    weight DOUBLE NOT NULL COMMENT 'weight of the edge' CHECK (weight BETWEEN 0 AND 1),
    PRIMARY KEY (account_id, skill_id, relation, slug),
    CONSTRAINT skill_link_of FOREIGN KEY (account_id, skill_id) REFERENCES skill (account_id, id) ON DELETE CASCADE
) COMMENT='relations that files of skills name';
