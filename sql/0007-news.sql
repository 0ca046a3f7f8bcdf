-- One row per change less: an audit event that others may hear of says so itself, and has no second row in the outbox. What is
-- no change (the end of a job) goes there as before. Re-runnable.

ALTER TABLE audit_event ADD COLUMN IF NOT EXISTS is_news BOOLEAN NOT NULL DEFAULT 0 COMMENT 'subscribers hear of it: the relay reads these in the order of id';
ALTER TABLE outbox COMMENT='events that are no change of anything, written with what they tell of, until they were published';
