-- Changes of a grant carry a version; contexts and pools that were made half, as plain spaces, become whole. Re-runnable.

ALTER TABLE space_grant ADD COLUMN IF NOT EXISTS version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag';

-- Slugs that Loci derives for agents, taken by others before they were reserved.
UPDATE space s SET s.slug = CONCAT('s-', s.id), s.version = s.version + 1
    WHERE s.kind = 'context' AND s.slug RLIKE '^mem_[0-9a-f]{24}$'
    AND NOT EXISTS (SELECT 1 FROM context x WHERE x.account_id = s.account_id AND x.space_id = s.id);
UPDATE space s LEFT JOIN pool p ON p.account_id = s.account_id AND p.space_id = s.id SET s.slug = CONCAT('s-', s.id), s.version = s.version + 1
    WHERE s.kind = 'pool' AND (s.slug LIKE 'private.%' AND COALESCE(p.pool_type, '') <> 'agent_private' OR s.slug = 'default' AND p.space_id IS NULL);

INSERT IGNORE INTO context (account_id, space_id, context_type, scope, agent_id, last_modified_at)
    SELECT s.account_id, s.id, 'shared_context', IF(s.owner_agent_id IS NULL, 'account', 'agent'), s.owner_agent_id, s.updated_at FROM space s
    WHERE s.kind = 'context' AND NOT EXISTS (SELECT 1 FROM context x WHERE x.account_id = s.account_id AND x.space_id = s.id);
INSERT IGNORE INTO pool (account_id, space_id, pool_type, scope)
    SELECT s.account_id, s.id, 'shared', 'account' FROM space s
    WHERE s.kind = 'pool' AND NOT EXISTS (SELECT 1 FROM pool p WHERE p.account_id = s.account_id AND p.space_id = s.id);
