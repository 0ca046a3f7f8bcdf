-- The recall loop's guard: how much of a text its writer had just been shown.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE learning ADD COLUMN IF NOT EXISTS echo_ratio DOUBLE NOT NULL DEFAULT 0 COMMENT 'share of its text that its writer had just been shown';
ALTER TABLE knowledge ADD COLUMN IF NOT EXISTS echo_ratio DOUBLE NOT NULL DEFAULT 0 COMMENT 'share of its text that its writer had just been shown';
