-- Which MCP tools the client of a token is shown.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE token ADD COLUMN IF NOT EXISTS toolset VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'full'
    COMMENT 'MCP tools shown: full or core';
