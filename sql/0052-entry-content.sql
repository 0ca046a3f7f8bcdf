-- Entries with equal content are found by its hash. Re-runnable.

ALTER TABLE entry ADD KEY IF NOT EXISTS entry_content (account_id, space_id, content_hash, live, node_id);

-- A key of a Factual Memory is a question: two equal answers are shown to people, not merged. Where somebody has set the policy it stays.
UPDATE context x JOIN space s ON s.account_id = x.account_id AND s.id = x.space_id
    SET x.retention_policy = JSON_INSERT(x.retention_policy, '$.dedup', 'review')
    WHERE BINARY s.slug = BINARY CONCAT('mem_', LEFT(SHA2(CONCAT(x.agent_id, ' Factual Memory'), 256), 24))
    AND JSON_VALUE(x.retention_policy, '$.dedup') IS NULL;
