-- Language models: how many questions of the hour failed. Re-runnable.

ALTER TABLE llm_usage
    ADD COLUMN IF NOT EXISTS hour INT NOT NULL DEFAULT 0 COMMENT 'the last hour in which a question ended, since 1970-01-01 UTC',
    ADD COLUMN IF NOT EXISTS hour_calls INT NOT NULL DEFAULT 0 COMMENT 'questions that ended in it',
    ADD COLUMN IF NOT EXISTS hour_failed INT NOT NULL DEFAULT 0 COMMENT 'of these, those without an answer that could be used';
