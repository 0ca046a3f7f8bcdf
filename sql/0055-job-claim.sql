-- A scheduler claims the first job that is due in the order of this index, without sorting, so that it locks that row alone.
ALTER TABLE job DROP KEY IF EXISTS job_next;
ALTER TABLE job ADD KEY IF NOT EXISTS job_next (next_fire_at, position);
