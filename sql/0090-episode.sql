-- Belief: what was said, where it came from, and what was taken out of it; names of entities.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS episode (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, kind episode: body is the content',
    space_id UUID NOT NULL COMMENT 'space it was captured in',
    role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who spoke' CHECK (role IN ('user','assistant','tool','system','event')),
    captured_at DATETIME(6) NOT NULL COMMENT 'when it was said',
    session_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'session it was said in, as its client names it',
    tz VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'time zone of its relative dates',
    text_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the stored content',
    submitted_hash BINARY(32) NULL COMMENT 'SHA-256 of what was submitted, where that was another text',
    simhash BIGINT NOT NULL DEFAULT 0 COMMENT 'bits of its words; 0: fewer than eight words',
    consolidation_state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'raw' COMMENT 'how far facts were read out of it' CHECK (consolidation_state IN ('raw','in_progress','consolidated','failed')),
    attempts INT NOT NULL DEFAULT 0 COMMENT 'times that failed',
    next_attempt_at DATETIME(6) NULL COMMENT 'not tried again before',
    claimed_until DATETIME(6) NULL COMMENT 'a worker has it until then',
    last_error VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why it failed last',
    rule_set VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'rules that read it',
    near_of UUID NULL COMMENT 'the episode that it is nearly equal to',
    near_distance INT NULL COMMENT 'bits of difference',
    injection_score DOUBLE NOT NULL DEFAULT 0 COMMENT 'how much in it looks like an injection' CHECK (injection_score BETWEEN 0 AND 1),
    echo_ratio DOUBLE NOT NULL DEFAULT 0 COMMENT 'share of it that its writer had just been shown' CHECK (echo_ratio BETWEEN 0 AND 1),
    supersedes_hint UUID NULL COMMENT 'episode that its writer says it replaces',
    occurrences INT NOT NULL DEFAULT 1 COMMENT 'times it was said',
    origin LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'model, request, redactions, flags, echoes' CHECK (JSON_VALID(origin)),
    created_at DATETIME(6) NOT NULL COMMENT 'when it was stored',
    PRIMARY KEY (account_id, id),
    KEY episode_queue (account_id, space_id, consolidation_state, next_attempt_at),
    KEY episode_session (account_id, session_id, captured_at),
    CONSTRAINT episode_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what was said; never edited';

CREATE TABLE IF NOT EXISTS episode_dedup (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'space',
    text_hash BINARY(32) NOT NULL COMMENT 'SHA-256 of the stored content',
    node_id UUID NOT NULL COMMENT 'the live episode that says it',
    PRIMARY KEY (account_id, space_id, text_hash)
) COMMENT='the same text in a space is one episode';

CREATE TABLE IF NOT EXISTS episode_occurrence (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'the episode',
    seq INT NOT NULL COMMENT 'which time it was said, from 2 on',
    role VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who spoke',
    captured_at DATETIME(6) NOT NULL COMMENT 'when it was said',
    session_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'session it was said in',
    author_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system: from the credential',
    author_id UUID NOT NULL COMMENT 'who wrote it',
    trust DOUBLE NOT NULL COMMENT 'how far it is trusted' CHECK (trust BETWEEN 0 AND 1),
    state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'raw' COMMENT 'raw or consolidated' CHECK (state IN ('raw','consolidated')),
    at DATETIME(6) NOT NULL COMMENT 'when it came in',
    PRIMARY KEY (account_id, node_id, seq),
    CONSTRAINT episode_occurrence_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='an episode said once more';

CREATE TABLE IF NOT EXISTS episode_cut (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'the episode',
    seq INT NOT NULL COMMENT 'order in the text',
    pattern_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what was recognised',
    kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'secret, email, phone, card, iban, ssn or marker',
    start_byte INT NOT NULL COMMENT 'first byte, as submitted',
    end_byte INT NOT NULL COMMENT 'byte behind the last',
    cut_text TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what stood there; of markers only',
    PRIMARY KEY (account_id, node_id, seq),
    CONSTRAINT episode_cut_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='what was taken out of an episode';

CREATE TABLE IF NOT EXISTS provenance (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    node_id UUID NOT NULL COMMENT 'what it is about',
    author_kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'user, agent or system: from the credential',
    author_id UUID NOT NULL COMMENT 'who wrote it',
    model_family VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as the writer says',
    model_version VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as the writer says',
    request_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '' COMMENT 'request it came with',
    trust_at_write DOUBLE NOT NULL COMMENT 'how far it was trusted then' CHECK (trust_at_write BETWEEN 0 AND 1),
    at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, id),
    KEY provenance_node (account_id, node_id),
    CONSTRAINT provenance_node FOREIGN KEY (account_id, node_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='who wrote a memory, with what, and how far that was trusted';

CREATE TABLE IF NOT EXISTS entity_alias (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    space_id UUID NOT NULL COMMENT 'space of the entity',
    norm VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the name in normal form',
    entity_id UUID NOT NULL COMMENT 'node of kind entity',
    surface VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the name as it was met first',
    source VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'text' COMMENT 'text, given or document',
    count BIGINT NOT NULL DEFAULT 1 COMMENT 'times it was met',
    PRIMARY KEY (account_id, space_id, norm, entity_id),
    KEY entity_alias_entity (account_id, entity_id),
    CONSTRAINT entity_alias_entity FOREIGN KEY (account_id, entity_id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='names of entities; one name may belong to several';
