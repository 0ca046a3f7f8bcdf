-- Archival memory: what is kept of a subject in few lines, with where each line came from. Re-runnable.

CREATE TABLE IF NOT EXISTS archival (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    subject_id UUID NOT NULL COMMENT 'the agent or entity that it is about',
    space_id UUID NOT NULL COMMENT 'where the subject is: who reads that reads this',
    section VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what sort of lines' CHECK (section IN ('history','preferences','performance','notes')),
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'published, draft (waits beside what a person wrote) or superseded' CHECK (state IN ('published','draft','superseded')),
    live BOOLEAN NULL DEFAULT 1 COMMENT 'null once superseded: one published text and one draft of a section',
    edited BOOLEAN NOT NULL DEFAULT 0 COMMENT 'a person wrote it',
    sources_hash BINARY(32) NOT NULL COMMENT 'hash of the lines that the sources gave: the same again changes nothing',
    created_by UUID NOT NULL COMMENT 'principal who made it',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every text of the section; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY archival_live (account_id, subject_id, section, state, live),
    CONSTRAINT archival_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='texts about subjects, section by section; older ones stay as superseded';

CREATE TABLE IF NOT EXISTS archival_line (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    archival_id UUID NOT NULL COMMENT 'the text',
    ordinal INT NOT NULL COMMENT 'place in it',
    source_id UUID NOT NULL COMMENT 'memory that it says; zero: a person wrote it. Erasing the memory erases the line in every text',
    body TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the line',
    PRIMARY KEY (account_id, archival_id, ordinal),
    KEY archival_line_source (account_id, source_id),
    CONSTRAINT archival_line_of FOREIGN KEY (account_id, archival_id) REFERENCES archival (account_id, id) ON DELETE CASCADE
) COMMENT='lines of texts about subjects';
