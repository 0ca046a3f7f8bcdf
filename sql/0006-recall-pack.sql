-- The recall index of a large account as it stood at one instant, ready to be read into memory. A cache: losing it costs a
-- slower start. Re-runnable: each statement may be run again after a failure half-way.

CREATE TABLE IF NOT EXISTS recall_pack (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    generation UUID NOT NULL COMMENT 'one writing of it',
    part INT NOT NULL COMMENT 'its chunks, from 0 on',
    checksum BIGINT NOT NULL COMMENT 'of data',
    data MEDIUMBLOB NOT NULL COMMENT 'arrays of a segment, as they are in memory',
    PRIMARY KEY (account_id, generation, part)
) COMMENT='chunks of packed recall indexes';

CREATE TABLE IF NOT EXISTS recall_pack_head (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    generation UUID NOT NULL COMMENT 'whose chunks these are',
    fingerprint BIGINT NOT NULL COMMENT 'of the program that wrote it: others do not read it',
    model_id UUID NULL COMMENT 'whose vectors it holds the codes of',
    languages BIGINT NOT NULL COMMENT 'checksum of the languages of the spaces that it was analysed with',
    watermark DATETIME(6) NOT NULL COMMENT 'what was committed up to then is in it',
    nodes BIGINT NOT NULL COMMENT 'nodes in it',
    parts INT NOT NULL COMMENT 'chunks of it',
    meta BLOB NOT NULL COMMENT 'how long its arrays are',
    PRIMARY KEY (account_id)
) COMMENT='packed recall indexes: the newest of each account';
