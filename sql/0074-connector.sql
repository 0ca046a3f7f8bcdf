-- Connectors: small feeds that keep a knowledge base equal to a folder or to a list of addresses. Re-runnable.

CREATE TABLE IF NOT EXISTS connector (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'the connector',
    knowledge_base_id UUID NOT NULL COMMENT 'base that it feeds',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'name for people',
    connector_type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'folder of the server, or addresses' CHECK (connector_type IN ('folder','url')),
    location TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the folder, or addresses and sitemaps apart by white space',
    include VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'patterns of paths that are taken; NULL: all',
    exclude VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'patterns of paths that are not',
    prune BOOLEAN NOT NULL DEFAULT 1 COMMENT 'what is gone there is archived here',
    sync_frequency VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'manual' COMMENT 'how often it looks by itself' CHECK (sync_frequency IN ('manual','hourly','daily','weekly','monthly')),
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'active' COMMENT 'error: the last look failed, or asks' CHECK (status IN ('active','paused','error')),
    is_syncing BOOLEAN NOT NULL DEFAULT 0 COMMENT 'a look was asked for, and is not done',
    documents_synced BIGINT NOT NULL DEFAULT 0 COMMENT 'live documents that it has brought',
    last_sync_at DATETIME(6) NULL COMMENT 'when it last looked',
    last_sync_result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'counts of that look, and its newest errors' CHECK (JSON_VALID(last_sync_result)),
    sync_error VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why the status is error',
    next_sync_at DATETIME(6) NULL COMMENT 'when it looks next; NULL: when somebody asks',
    created_by UUID NOT NULL COMMENT 'principal who created it',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was created',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    KEY connector_base (account_id, knowledge_base_id),
    KEY connector_due (next_sync_at, account_id),
    CONSTRAINT connector_of_base FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='feeds of knowledge bases';
