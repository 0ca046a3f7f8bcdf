-- The inbox counts what waits on each page: each of its sources has an index for that. Re-runnable.

ALTER TABLE fact ADD KEY IF NOT EXISTS fact_contested (account_id, contested);
ALTER TABLE core_edit ADD KEY IF NOT EXISTS core_edit_state (account_id, state);
