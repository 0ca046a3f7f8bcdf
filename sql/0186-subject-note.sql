-- Notes on what is believed of a subject, written by a job. Re-runnable.

CREATE TABLE IF NOT EXISTS subject_note (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'the note: a node of kind note',
    space_id UUID NOT NULL COMMENT 'space of the subject',
    subject_id UUID NOT NULL COMMENT 'entity that it is on',
    facts_key BINARY(32) NOT NULL COMMENT 'hash of what it was made of',
    keywords LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'names and predicates in it' CHECK (JSON_VALID(keywords)),
    fact_count INT NOT NULL COMMENT 'facts that it tells',
    first_seen_at DATETIME(6) NOT NULL COMMENT 'when the oldest of them was said first',
    last_seen_at DATETIME(6) NOT NULL COMMENT 'when one of them was said last',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last written anew',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY subject_note_subject (account_id, subject_id),
    CONSTRAINT subject_note_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE,
    CONSTRAINT subject_note_of FOREIGN KEY (account_id, subject_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what is believed of a subject, as one text';
ALTER TABLE fact_slot ADD INDEX IF NOT EXISTS fact_slot_subject (account_id, subject_id);
