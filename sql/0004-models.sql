-- Models: what language models cost an account a day, and what the vectors of an embedding model are like.
-- Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS llm_usage (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    day INT NOT NULL COMMENT 'days since 1970-01-01, UTC',
    tokens BIGINT NOT NULL DEFAULT 0 COMMENT 'used, or reserved by a question under way',
    calls BIGINT NOT NULL DEFAULT 0 COMMENT 'questions to the model',
    PRIMARY KEY (account_id, day)
) COMMENT='tokens of language models, by account and day';

ALTER TABLE `vector` ADD COLUMN IF NOT EXISTS precision_name VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'f32' COMMENT 'numbers the model computed with: f32, bf16 or int8';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS at_zero DOUBLE NULL COMMENT 'cosine that counts as no likeness; null: not measured';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS at_half DOUBLE NULL COMMENT 'cosine that counts as half';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS measured_at DATETIME(6) NULL COMMENT 'when these were measured on the vectors of the account';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS retired_at DATETIME(6) NULL COMMENT 'when another model took its place; its vectors go a week later';
