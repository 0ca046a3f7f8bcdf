-- Pools of a task are found when it is finished; a pool's version counts changes of its content alone. Re-runnable.

ALTER TABLE pool
    ADD KEY IF NOT EXISTS pool_task (account_id, task_execution_id),
    MODIFY COLUMN version BIGINT NOT NULL DEFAULT 1 COMMENT 'one more with every change of its content';
