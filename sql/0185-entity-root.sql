-- Entities that are one: the losers of a merge lead to the one that stayed. Claims keep whom they were said of.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS entity_root (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    entity_id UUID NOT NULL COMMENT 'entity that became part of another',
    parent_id UUID NOT NULL COMMENT 'the one that it was merged into',
    root_id UUID NOT NULL COMMENT 'the one that this is part of by now',
    PRIMARY KEY (account_id, entity_id),
    KEY entity_root_of (account_id, root_id),
    CONSTRAINT entity_root_node FOREIGN KEY (account_id, entity_id) REFERENCES node (account_id, id) ON DELETE CASCADE,
    CONSTRAINT entity_root_kept FOREIGN KEY (account_id, root_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='entities that were merged, and into which';

ALTER TABLE fact_claim ADD COLUMN IF NOT EXISTS subject_id UUID NULL COMMENT 'entity that it was said of, whatever that is part of by now';
ALTER TABLE fact_claim ADD INDEX IF NOT EXISTS fact_claim_subject (account_id, subject_id);
UPDATE fact_claim k JOIN fact_slot s ON s.account_id = k.account_id AND s.slot_key = k.slot_key SET k.subject_id = s.subject_id
    WHERE k.subject_id IS NULL;
