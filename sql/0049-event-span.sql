-- The relay looks for what committed late without reading all recent batches: each says which ids it spans. And how far it has looked
-- for good is kept, so that each event is looked through a few times and not every ten seconds for five minutes. Re-runnable.
-- What a loci-web of before writes while both run spans everything: then it is read, and nothing is told twice.

ALTER TABLE event_batch ADD COLUMN IF NOT EXISTS low_id UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000' COMMENT 'smallest of ids',
    ADD COLUMN IF NOT EXISTS high_id UUID NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff' COMMENT 'largest of ids',
    ADD KEY IF NOT EXISTS event_batch_span (account_id, high_id, low_id);
UPDATE event_batch SET low_id = CAST(LEFT(ids, 16) AS UUID), high_id = CAST(RIGHT(ids, 16) AS UUID)
    WHERE high_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
ALTER TABLE event_stream ADD COLUMN IF NOT EXISTS swept_to UUID NULL COMMENT 'all up to this id is numbered for good: it is older than any transaction takes';
UPDATE event_stream SET swept_to = position WHERE swept_to IS NULL;
