-- What was found in the texts of documents, and what waits for a person because of it. Re-runnable.

ALTER TABLE document
    ADD COLUMN IF NOT EXISTS injection_score DOUBLE NOT NULL DEFAULT 0 COMMENT 'how much the text looks like orders to a model, 0 to 1' CHECK (injection_score BETWEEN 0 AND 1),
    ADD COLUMN IF NOT EXISTS flags LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'what was found: kind, pattern, count, redacted' CHECK (JSON_VALID(flags)),
    ADD COLUMN IF NOT EXISTS by_person BOOLEAN NOT NULL DEFAULT 0 COMMENT 'a person brought the text, and it came from no address or folder',
    ADD COLUMN IF NOT EXISTS is_quarantined BOOLEAN NOT NULL DEFAULT 0 COMMENT 'its newest text is not processed until a person says so';
