-- Reading: the turns of a session.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE episode_occurrence ADD INDEX IF NOT EXISTS episode_occurrence_session (account_id, session_id, captured_at);
