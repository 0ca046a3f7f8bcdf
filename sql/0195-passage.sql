-- Passages of long pages: nodes of kind chunk beside the page's own. Re-runnable.

CREATE TABLE IF NOT EXISTS passage (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node, whose body is the text',
    page_id UUID NOT NULL COMMENT 'the page or article',
    start_offset BIGINT NOT NULL COMMENT 'bytes of the text before it',
    end_offset BIGINT NOT NULL COMMENT 'bytes of the text up to its end',
    embed_hash BINARY(32) NOT NULL COMMENT 'hash of what is embedded: the same text keeps its node and vector',
    PRIMARY KEY (account_id, id),
    KEY passage_place (account_id, page_id, start_offset),
    CONSTRAINT passage_of FOREIGN KEY (account_id, page_id) REFERENCES page (account_id, id) ON DELETE CASCADE
) COMMENT='passages of long pages: where their text stands';
