-- Tags, the weights of edges that learn, what nightly mining found, and who is left out of it. Re-runnable.

CREATE TABLE IF NOT EXISTS tag (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node: title is how it is shown, status what became of it',
    space_id UUID NOT NULL COMMENT 'the taxonomy, or the space of those whose own tag it is',
    tag_type VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what sort of tag' CHECK (tag_type IN ('tag','category','super_concept','site','anchor')),
    slug VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'normal form, unique in space and type',
    aliases LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'other slugs that mean it' CHECK (JSON_VALID(aliases)),
    tier VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'who sees it' CHECK (tier IN ('user','transitional','universe')),
    merged_into UUID NULL COMMENT 'the tag that took its place',
    usage_count BIGINT NOT NULL DEFAULT 0 COMMENT 'nodes that were tagged with it',
    holder_count BIGINT NOT NULL DEFAULT 0 COMMENT 'subjects that met it',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was made',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed or used',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY tag_slug (account_id, space_id, tag_type, slug),
    KEY tag_tier (account_id, tier, id),
    CONSTRAINT tag_space FOREIGN KEY (account_id, space_id) REFERENCES space (account_id, id) ON DELETE CASCADE
) COMMENT='tags: what they have besides their node';

CREATE TABLE IF NOT EXISTS edge_plastic (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    edge_id UUID NOT NULL COMMENT 'the edge whose weight learns',
    relation VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'its relation' CHECK (relation IN ('activates','CO_OCCURS')),
    weight DOUBLE NOT NULL COMMENT 'true at weighted_at; the edge has the same' CHECK (weight BETWEEN 0 AND 1),
    decay_rate DOUBLE NOT NULL COMMENT 'share that is lost per day',
    weighted_at DATETIME(6) NOT NULL COMMENT 'when the weight was computed',
    hits BIGINT NOT NULL DEFAULT 0 COMMENT 'how often it was made stronger by use',
    last_hit_at DATETIME(6) NOT NULL COMMENT 'when it was last used',
    hits_on DATE NOT NULL COMMENT 'day of hits_day',
    hits_day BIGINT NOT NULL DEFAULT 0 COMMENT 'hits on that day, which are limited',
    boosted_on DATE NOT NULL DEFAULT '2000-01-01' COMMENT 'day on which the nightly job made it stronger',
    decays_at DATETIME(6) NOT NULL COMMENT 'when its weight will be below its floor',
    state VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'active' COMMENT 'decayed: kept, out of recall' CHECK (state IN ('active','decayed')),
    PRIMARY KEY (account_id, edge_id),
    KEY edge_plastic_decays (account_id, state, decays_at),
    KEY edge_plastic_hit (account_id, relation, last_hit_at)
) COMMENT='weights that learn from use';

CREATE TABLE IF NOT EXISTS tag_counted (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'the node whose tags were counted together',
    version BIGINT NOT NULL COMMENT 'its version then',
    PRIMARY KEY (account_id, node_id)
) COMMENT='which content the weights between tags have learned from';

CREATE TABLE IF NOT EXISTS tag_pattern (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'id of the pattern',
    items LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'type:slug of 1 to 5 tags, sorted' CHECK (JSON_VALID(items)),
    items_hash BINARY(32) NOT NULL COMMENT 'hash of them',
    size BIGINT NOT NULL COMMENT 'how many they are; 1: a single tag on its way up',
    tier VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'user' COMMENT 'who sees it; user: nobody' CHECK (tier IN ('user','transitional','universe')),
    support_owners BIGINT NOT NULL COMMENT 'owners that hold all of them; shown in steps of five',
    owners_total BIGINT NOT NULL COMMENT 'owners that were looked at',
    support DOUBLE NOT NULL COMMENT 'the one by the other',
    lift DOUBLE NOT NULL COMMENT 'how much more often than by chance',
    nights BIGINT NOT NULL DEFAULT 1 COMMENT 'bit n: seen n nights before last_run_on',
    seen_runs BIGINT NOT NULL DEFAULT 1 COMMENT 'runs that found it',
    missed_runs BIGINT NOT NULL DEFAULT 0 COMMENT 'runs since then that did not',
    last_seen_on DATE NOT NULL DEFAULT '2000-01-01' COMMENT 'day of the last run that found it',
    last_run_on DATE NOT NULL DEFAULT '2000-01-01' COMMENT 'day of the last run',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY tag_pattern_items (account_id, items_hash),
    KEY tag_pattern_tier (account_id, tier, id)
) COMMENT='tags that many owners hold together; never who they are';

CREATE TABLE IF NOT EXISTS mining_opt_out (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    owner_id UUID NOT NULL COMMENT 'agent or space whose tags are never mined',
    set_by UUID NOT NULL COMMENT 'principal who said so',
    set_at DATETIME(6) NOT NULL COMMENT 'when',
    PRIMARY KEY (account_id, owner_id)
) COMMENT='owners that mining leaves out';

INSERT IGNORE INTO role_permission (account_id, role, permission) VALUES
    ('00000000-0000-0000-0000-000000000000', 'owner', 'graph.manage'), ('00000000-0000-0000-0000-000000000000', 'admin', 'graph.manage'),
    ('00000000-0000-0000-0000-000000000000', 'editor', 'graph.manage');
