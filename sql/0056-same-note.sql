-- A note that is written again is found by its content: the first live one of its space and kind holds the hash here, and no other
-- can. NULL: old states, what rooms own, what is away, and copies that were asked for. Re-runnable.

ALTER TABLE node ADD COLUMN IF NOT EXISTS same_key BINARY(32) NULL COMMENT 'content_hash, of the one node that equal content of its space and kind finds';
ALTER TABLE node ADD UNIQUE KEY IF NOT EXISTS node_same (account_id, space_id, same_key, kind);

-- Of equal ones that are there already, one is found.
UPDATE IGNORE node SET same_key = content_hash
    WHERE same_key IS NULL AND kind IN ('note', 'entity', 'goal') AND status = 'active' AND archived_at IS NULL AND forgotten_at IS NULL
    AND superseded_by IS NULL AND valid_from IS NULL AND valid_to IS NULL AND expires_at IS NULL;

ALTER TABLE node DROP KEY IF EXISTS node_hash;
