-- Escalations climb: a chain of people, a clock, and who has it. Re-runnable.

ALTER TABLE escalation
    ADD COLUMN IF NOT EXISTS chain LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '[]' COMMENT 'who is asked, one after the other: user_id and role' CHECK (JSON_VALID(chain)),
    ADD COLUMN IF NOT EXISTS current_level INT NOT NULL DEFAULT 0 COMMENT 'place in the chain of the person who is asked now',
    ADD COLUMN IF NOT EXISTS timeout_hours INT NOT NULL DEFAULT 12 COMMENT 'hours that each person has',
    ADD COLUMN IF NOT EXISTS next_escalation_at DATETIME(6) NULL COMMENT 'when the next person is asked; null: never',
    ADD COLUMN IF NOT EXISTS escalated_to UUID NULL COMMENT 'user who is asked now',
    ADD COLUMN IF NOT EXISTS acknowledged_at DATETIME(6) NULL COMMENT 'when somebody took it on',
    ADD COLUMN IF NOT EXISTS acknowledged_by UUID NULL COMMENT 'user who took it on',
    ADD COLUMN IF NOT EXISTS exhausted_at DATETIME(6) NULL COMMENT 'when nobody was left to ask',
    ADD COLUMN IF NOT EXISTS remind_at DATETIME(6) NULL COMMENT 'exhausted: when the admins are reminded next';
ALTER TABLE escalation
    ADD KEY IF NOT EXISTS escalation_due (account_id, next_escalation_at),
    ADD KEY IF NOT EXISTS escalation_remind (account_id, remind_at),
    ADD KEY IF NOT EXISTS escalation_exhausted (exhausted_at, account_id);

-- Those of before have a clock from now on, too; their chain is made when it runs out.
UPDATE escalation SET next_escalation_at = created_at + INTERVAL 12 HOUR
    WHERE dedup_key IS NOT NULL AND chain = '[]' AND next_escalation_at IS NULL AND exhausted_at IS NULL;
