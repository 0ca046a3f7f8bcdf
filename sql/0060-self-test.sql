-- What the self-test of an embedding model found: what its cosines mean, before an account has vectors to measure that on.
-- Re-runnable: each statement may be run again after a failure half-way.

ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS tested_zero DOUBLE NULL COMMENT 'cosine of texts that have nothing in common, by the self-test; null: not tested';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS tested_half DOUBLE NULL COMMENT 'cosine that counts as half a likeness, by the self-test';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS unrelated DOUBLE NULL COMMENT 'cosine of a question and the best of 64 texts that do not answer it';
ALTER TABLE embedding_model ADD COLUMN IF NOT EXISTS answering DOUBLE NULL COMMENT 'cosine of a question and the text that answers it';
