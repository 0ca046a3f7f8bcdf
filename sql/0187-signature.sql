-- Which key signed what was captured. Re-runnable.

ALTER TABLE provenance
    ADD COLUMN IF NOT EXISTS key_id UUID NULL COMMENT 'key of the agent that signed it; null: it is not signed',
    ADD COLUMN IF NOT EXISTS signature VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Ed25519, base64url';
