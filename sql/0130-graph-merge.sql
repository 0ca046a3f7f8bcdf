-- Merges of nodes of the knowledge graph, each of which can be undone. Re-runnable.

CREATE TABLE IF NOT EXISTS graph_merge (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'the merge',
    space_id UUID NOT NULL COMMENT 'space of its nodes',
    keeper_id UUID NOT NULL COMMENT 'node that stayed',
    keeper_name VARCHAR(512) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'its name then',
    losers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the others: id, name, aliases, status before' CHECK (JSON_VALID(losers)),
    edges_moved BIGINT NOT NULL COMMENT 'edges that begin or end at the keeper since',
    edges_dropped BIGINT NOT NULL COMMENT 'edges between them, or weaker than a parallel one',
    created_by UUID NOT NULL COMMENT 'principal who merged',
    undone_at DATETIME(6) NULL COMMENT 'when it was undone',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was merged',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY graph_merge_space (account_id, space_id),
    CONSTRAINT graph_merge_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='merges of nodes of the knowledge graph';

CREATE TABLE IF NOT EXISTS graph_merge_edge (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    merge_id UUID NOT NULL COMMENT 'merge that changed it',
    edge_id UUID NOT NULL COMMENT 'the edge',
    is_made BOOLEAN NOT NULL COMMENT 'made by the merge; else retired by it',
    PRIMARY KEY (account_id, merge_id, edge_id),
    CONSTRAINT graph_merge_edge_of FOREIGN KEY (account_id, merge_id) REFERENCES graph_merge (account_id, id) ON DELETE CASCADE
) COMMENT='edges that a merge made or retired';

-- To merge nodes and to rebuild communities is a permission of its own.
INSERT IGNORE INTO role_permission (account_id, role, permission)
    SELECT account_id, role, 'graph.manage' FROM role_permission WHERE permission = 'rag.manage' AND role IN ('owner','admin');
