-- Belief: facts as the outcome of claims, and the claims.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE fact
    ADD COLUMN IF NOT EXISTS subject_id UUID NULL COMMENT 'entity that it is about; null: an entry of a context',
    ADD COLUMN IF NOT EXISTS negative BOOLEAN NOT NULL DEFAULT 0 COMMENT 'says that it is not so',
    ADD COLUMN IF NOT EXISTS modality VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'asserted' COMMENT 'asserted, past or planned' CHECK (modality IN ('asserted','past','planned')),
    ADD COLUMN IF NOT EXISTS object_entity_id UUID NULL COMMENT 'entity that the value names',
    ADD COLUMN IF NOT EXISTS fact_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'fact' COMMENT 'what sort of fact',
    ADD COLUMN IF NOT EXISTS veracity VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'unknown' COMMENT 'stated, inferred, imported, tool or unknown',
    ADD COLUMN IF NOT EXISTS author_count BIGINT NOT NULL DEFAULT 1 COMMENT 'different authors of its claims',
    ADD COLUMN IF NOT EXISTS contested BOOLEAN NOT NULL DEFAULT 0 COMMENT 'another value stands beside it',
    ADD COLUMN IF NOT EXISTS quarantine_reason VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'contradicted, held, disputed, demoted or manual';
ALTER TABLE fact ADD INDEX IF NOT EXISTS fact_subject (account_id, subject_id, predicate);
ALTER TABLE fact ADD INDEX IF NOT EXISTS fact_in_slot (account_id, slot_key);

CREATE TABLE IF NOT EXISTS fact_slot (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    slot_key BINARY(32) NOT NULL COMMENT 'hash of space, subject and predicate, and of the value where several hold at once',
    space_id UUID NOT NULL COMMENT 'space it is believed in',
    subject_id UUID NULL COMMENT 'entity that it is about',
    predicate VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what is said of it',
    claim_count BIGINT NOT NULL DEFAULT 0 COMMENT 'claims so far',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every claim; its lock serialises writers',
    PRIMARY KEY (account_id, slot_key)
) COMMENT='questions that facts answer';

CREATE TABLE IF NOT EXISTS fact_claim (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    slot_key BINARY(32) NOT NULL COMMENT 'question that it answers',
    derive_key BINARY(16) NOT NULL COMMENT 'hash of what it was derived from: deriving it again changes nothing',
    space_id UUID NOT NULL COMMENT 'space it is believed in',
    fact_id UUID NOT NULL COMMENT 'node of the fact that it belongs to',
    object_key BINARY(16) NOT NULL COMMENT 'hash of the value in normal form',
    object_json LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the value' CHECK (JSON_VALID(object_json)),
    object_entity_id UUID NULL COMMENT 'entity that the value names',
    statement TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the same as text',
    negative BOOLEAN NOT NULL DEFAULT 0 COMMENT 'says that it is not so',
    modality VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'asserted' COMMENT 'asserted, past or planned',
    at DATETIME(6) NOT NULL COMMENT 'true in the world from',
    until DATETIME(6) NULL COMMENT 'true in the world until',
    source_id UUID NULL COMMENT 'episode or fact that it was read out of',
    occurrence_seq INT NOT NULL DEFAULT 1 COMMENT 'which time the episode was said',
    span_start INT NOT NULL DEFAULT 0 COMMENT 'first byte of its sentence in the source',
    span_end INT NOT NULL DEFAULT 0 COMMENT 'byte behind the last; 0: no span',
    author_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system',
    author_id UUID NOT NULL COMMENT 'who said it',
    role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'part that the author spoke in',
    confidence DOUBLE NOT NULL COMMENT 'how sure the extraction or the author was' CHECK (confidence BETWEEN 0 AND 1),
    trust DOUBLE NOT NULL COMMENT 'how far it is trusted' CHECK (trust BETWEEN 0 AND 1),
    veracity VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'unknown' COMMENT 'stated, inferred, imported, tool or unknown',
    fact_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'fact' COMMENT 'what sort of fact',
    rule_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'rule that read it',
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'counted' COMMENT 'counted, accepted or withdrawn' CHECK (state IN ('counted','accepted','withdrawn')),
    successor_id UUID NULL COMMENT 'fact that took its place by hand',
    recorded_at DATETIME(6) NOT NULL COMMENT 'when we learned it',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY fact_claim_once (account_id, derive_key),
    KEY fact_claim_slot (account_id, slot_key, at),
    KEY fact_claim_source (account_id, source_id),
    KEY fact_claim_fact (account_id, fact_id),
    CONSTRAINT fact_claim_fact FOREIGN KEY (account_id, fact_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='one thing said once; the facts of a slot are a function of its claims';
