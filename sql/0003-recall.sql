-- Recall: what changed since an instant is answered from the indexes alone, also for two changes of one instant.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE node ADD KEY IF NOT EXISTS node_changed (account_id, updated_at, version);
ALTER TABLE node DROP KEY IF EXISTS node_updated;
ALTER TABLE edge ADD KEY IF NOT EXISTS edge_changed (account_id, updated_at, version);
ALTER TABLE edge DROP KEY IF EXISTS edge_updated;
