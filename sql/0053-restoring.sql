-- A restore of a snapshot that takes several transactions says so on its context.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE context ADD COLUMN IF NOT EXISTS restoring_id UUID NULL COMMENT 'snapshot that is being restored; null: none';
ALTER TABLE context ADD COLUMN IF NOT EXISTS restoring_safety_id UUID NULL COMMENT 'snapshot that was taken before that restore';
ALTER TABLE context ADD COLUMN IF NOT EXISTS restoring_until DATETIME(6) NULL COMMENT 'until then nobody else changes its entries; a restore that was broken off ends by itself';
