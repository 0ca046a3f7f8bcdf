-- Connectors to git repositories. Re-runnable.

ALTER TABLE connector MODIFY COLUMN connector_type VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'folder of the server, addresses, or a git repository' CHECK (connector_type IN ('folder','url','git'));
