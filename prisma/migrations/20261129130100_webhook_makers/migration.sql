-- Who made a webhook, which outlives its maker. The history has that of earlier ones:
-- entry and row are of one transaction.
ALTER TABLE webhook ADD COLUMN maker_type actor_type, ADD COLUMN maker_id TEXT, ADD COLUMN maker_name TEXT;

UPDATE webhook w SET maker_type = a.actor_type, maker_id = a.actor_id, maker_name = a.actor_name
FROM audit_entry a
WHERE a.environment_id = w.environment_id AND a.action = 'webhook.created' AND a.at = w.created_at;
