-- Work items and the tags they carry. Re-runnable.

CREATE TABLE IF NOT EXISTS work_item (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, kind work_item: title and body',
    space_id UUID NOT NULL COMMENT 'space it is in',
    level VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'epic, story, task or another word',
    work_status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'todo' COMMENT 'how far it is' CHECK (work_status IN ('todo','in_progress','blocked','done','dropped')),
    parent_id UUID NULL COMMENT 'the item that it is part of, in the same space',
    ordinal INT NOT NULL DEFAULT 0 COMMENT 'place among the parts of its parent',
    assignee UUID NULL COMMENT 'agent or user who does it',
    due_at DATETIME(6) NULL COMMENT 'when it should be done',
    status_at DATETIME(6) NOT NULL COMMENT 'when it came into its status',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY work_item_parent (account_id, parent_id, ordinal, id),
    KEY work_item_status (account_id, work_status, level),
    KEY work_item_assignee (account_id, assignee, work_status),
    CONSTRAINT work_item_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='work items: what they have besides their node';

CREATE TABLE IF NOT EXISTS space_tag (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'space of the tag',
    slug VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'name of the tag, unique in the space',
    id UUID NOT NULL COMMENT 'its node, kind tag: title is what is shown',
    PRIMARY KEY (account_id, space_id, slug),
    KEY space_tag_node (account_id, id),
    CONSTRAINT space_tag_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='tags of a space by their slug';
