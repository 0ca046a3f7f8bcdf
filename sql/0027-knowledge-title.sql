-- Shared knowledge by its exact title, as the router over the tiers of memory asks for it.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE knowledge ADD COLUMN IF NOT EXISTS title_hash BINARY(32) NULL COMMENT 'SHA-256 of its title: to find it by that';
UPDATE knowledge k JOIN node n ON n.account_id = k.account_id AND n.id = k.id SET k.title_hash = UNHEX(SHA2(n.title, 256)) WHERE k.title_hash IS NULL;
ALTER TABLE knowledge ADD INDEX IF NOT EXISTS knowledge_title (account_id, title_hash);
