-- Notifications that are held back: webhooks are told of them when people are. Re-runnable.

ALTER TABLE notification
    ADD COLUMN IF NOT EXISTS tell_at DATETIME(6) NULL COMMENT 'when its event notification.deliver is due; null: it was made, or there is none',
    ADD KEY IF NOT EXISTS notification_tell (tell_at, account_id);
