-- Knowledge bases with an embedding model of their own, and the way from one model to the next. Re-runnable.

CREATE TABLE IF NOT EXISTS knowledge_base_model (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    knowledge_base_id UUID NOT NULL COMMENT 'the base',
    model_id UUID NULL COMMENT 'model whose vectors answer; NULL: that of the account',
    building_model_id UUID NULL COMMENT 'model whose vectors are being made; NULL: none, or that of the account',
    is_building BOOLEAN NOT NULL DEFAULT 0 COMMENT 'vectors are being made, and then that model answers',
    past_model_id UUID NULL COMMENT 'model that answered before; NULL: that of the account',
    switched_at DATETIME(6) NULL COMMENT 'when the last switch was; the way back is open for 7 days',
    started_at DATETIME(6) NULL COMMENT 'when the making began',
    PRIMARY KEY (account_id, knowledge_base_id),
    CONSTRAINT knowledge_base_model_of FOREIGN KEY (account_id, knowledge_base_id) REFERENCES knowledge_base (account_id, id) ON DELETE CASCADE
) COMMENT='embedding models of knowledge bases that have their own';
