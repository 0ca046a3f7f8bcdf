-- Pages and articles, their names, and the links between them. Re-runnable.

CREATE TABLE IF NOT EXISTS article_category (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'time-ordered id (UUIDv7)',
    slug VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'short name, unique in the account',
    name VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what people call it',
    parent_slug VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'the category it belongs to; NULL: none',
    sort_order INT NOT NULL DEFAULT 0 COMMENT 'place in lists',
    version BIGINT NOT NULL DEFAULT 1 COMMENT 'grows with every change; the ETag',
    created_at DATETIME(6) NOT NULL COMMENT 'when it was created',
    updated_at DATETIME(6) NOT NULL COMMENT 'when it was last changed',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY article_category_slug (account_id, slug)
) COMMENT='categories of articles';

CREATE TABLE IF NOT EXISTS page (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    id UUID NOT NULL COMMENT 'its node: title, text, versions and author are there',
    type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'page or article' CHECK (type IN ('page','article')),
    slug VARCHAR(150) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'name in addresses',
    live_slug VARCHAR(150) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'the slug, NULL once it is deleted: live ones are unique',
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'draft' COMMENT 'who sees it: its space follows' CHECK (status IN ('draft','review','published','archived')),
    is_public BOOLEAN NOT NULL DEFAULT 0 COMMENT 'readable without login once it is published',
    published_at DATETIME(6) NULL COMMENT 'when it was published',
    meta_description VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'for search engines',
    meta_keywords VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'for search engines, separated by commas',
    metadata LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '{}' COMMENT 'what its writer keeps beside it' CHECK (JSON_VALID(metadata)),
    aliases LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'other names that links may use' CHECK (JSON_VALID(aliases)),
    tags LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'of an article' CHECK (JSON_VALID(tags)),
    category_slug VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'of an article',
    excerpt VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'excerpt that was given for an article',
    is_featured BOOLEAN NOT NULL DEFAULT 0 COMMENT 'of an article: shown first',
    sort_order INT NOT NULL DEFAULT 0 COMMENT 'of an article: place in lists',
    path VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'file in the vault that it was imported from',
    first_words VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '' COMMENT 'first words of the plain text',
    word_count INT NOT NULL DEFAULT 0 COMMENT 'words of the plain text',
    ignored_links INT NOT NULL DEFAULT 0 COMMENT 'links beyond the limit, which are plain text',
    links_version BIGINT NOT NULL DEFAULT 0 COMMENT 'version of the text whose links are in page_link',
    deleted_at DATETIME(6) NULL COMMENT 'when it was deleted',
    PRIMARY KEY (account_id, id),
    UNIQUE KEY page_slug (account_id, type, live_slug),
    KEY page_path (account_id, path),
    CONSTRAINT page_node FOREIGN KEY (account_id, id) REFERENCES node (account_id, id) ON DELETE CASCADE
) COMMENT='pages and articles: what they have besides their node';

CREATE TABLE IF NOT EXISTS page_name (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    node_id UUID NOT NULL COMMENT 'the page or article',
    kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'what kind of name' CHECK (kind IN ('title','slug','alias','path')),
    name_key VARCHAR(510) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the name without case, in normal form C',
    name VARCHAR(510) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the name as it is written',
    type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'page or article',
    created_at DATETIME(6) NOT NULL COMMENT 'when the page was made: of equal names the oldest page has it',
    PRIMARY KEY (account_id, node_id, kind, name_key),
    KEY page_name_key (account_id, name_key),
    CONSTRAINT page_name_of FOREIGN KEY (account_id, node_id) REFERENCES page (account_id, id) ON DELETE CASCADE
) COMMENT='names of live pages and articles, by which links find them';

CREATE TABLE IF NOT EXISTS page_link (
    account_id UUID NOT NULL COMMENT 'account the row belongs to',
    source_id UUID NOT NULL COMMENT 'the page whose text has the link',
    target_key VARCHAR(510) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it names, without case',
    root_key VARCHAR(510) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the same without a heading',
    target_slug VARCHAR(150) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the name as a slug',
    plain_slug VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'the name as a slug, accents dropped with their letters',
    target VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'what it names, as it is written first',
    heading VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'heading or block of the target',
    raw VARCHAR(1200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the first link as it stands in the text',
    display VARCHAR(900) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what the first one shows instead',
    is_embed BOOLEAN NOT NULL DEFAULT 0 COMMENT 'one of them shows the target in place',
    occurrences INT NOT NULL DEFAULT 1 COMMENT 'links of the text with this target',
    first_at INT NOT NULL COMMENT 'byte of the text where the first one begins',
    state VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'resolved, pending (no such name yet) or self' CHECK (state IN ('resolved','pending','self')),
    target_id UUID NULL COMMENT 'the node that has the name',
    ambiguous INT NOT NULL DEFAULT 0 COMMENT 'how many have the same title, where more than one has',
    resolved_at DATETIME(6) NULL COMMENT 'since when it has this target',
    PRIMARY KEY (account_id, source_id, target_key),
    KEY page_link_root (account_id, root_key),
    KEY page_link_slug (account_id, target_slug),
    KEY page_link_plain (account_id, plain_slug),
    KEY page_link_target (account_id, target_id),
    KEY page_link_state (account_id, state),
    CONSTRAINT page_link_of FOREIGN KEY (account_id, source_id) REFERENCES page (account_id, id) ON DELETE CASCADE
) COMMENT='links in the texts of pages and articles, also those whose target is not there yet';

-- To publish is a permission of its own.
INSERT IGNORE INTO role_permission (account_id, role, permission)
    SELECT account_id, role, 'content.publish' FROM role_permission WHERE permission = 'content.write' AND role IN ('owner','admin','editor','trusted');
