-- Learnings that became shared knowledge.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE learning ADD COLUMN IF NOT EXISTS imported_at DATETIME(6) NULL COMMENT 'when it became shared knowledge, or was found to be there already';
ALTER TABLE learning ADD INDEX IF NOT EXISTS learning_imported (account_id, imported_at);
