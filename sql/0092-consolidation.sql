-- Belief: how far each space is consolidated.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS consolidation_cursor (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'space',
    last_episode_id UUID NULL COMMENT 'episode that was consolidated last',
    last_processed_at DATETIME(6) NOT NULL COMMENT 'when that was',
    generation BIGINT NOT NULL DEFAULT 0 COMMENT 'items so far',
    rule_set VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'rules that read it',
    PRIMARY KEY (account_id, space_id)
) COMMENT='where the reading of facts stands; what is left to do stands in the episodes';
ALTER TABLE episode ADD INDEX IF NOT EXISTS episode_waiting (consolidation_state, account_id, next_attempt_at);
ALTER TABLE episode_occurrence ADD INDEX IF NOT EXISTS episode_occurrence_waiting (state, account_id);
