-- The log of a delivery has each of its tries, not only the last. Re-runnable.

ALTER TABLE webhook_delivery ADD COLUMN IF NOT EXISTS tries LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]'
    COMMENT 'its newest tries, the oldest first: at, http_status, error, ms' CHECK (JSON_VALID(tries));
