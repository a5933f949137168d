CREATE TABLE webhook (
    id SERIAL PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environment ON DELETE CASCADE ON UPDATE CASCADE,
    url TEXT NOT NULL,
    description TEXT NOT NULL,
    types TEXT[],
    enabled BOOLEAN NOT NULL DEFAULT true,
    disabled_at TIMESTAMPTZ(3),
    disabled_reason TEXT,
    secret_sealed BYTEA NOT NULL,
    previous_secret_sealed BYTEA,
    previous_secret_until TIMESTAMPTZ(3),
    epoch INTEGER NOT NULL,
    xid BIGINT NOT NULL,
    entry_id BIGINT NOT NULL,
    entry_at TIMESTAMPTZ(3),
    paused_until TIMESTAMPTZ(3),
    failing_since TIMESTAMPTZ(3),
    last_delivered_at TIMESTAMPTZ(3),
    leased_by UUID,
    leased_until TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);
CREATE INDEX webhook_environment_id_id_idx ON webhook (environment_id, id);

-- What was sent, or waits to be sent again. Events that have not been tried yet are in the history alone.
CREATE TABLE webhook_delivery (
    id BIGSERIAL PRIMARY KEY,
    webhook_id INTEGER NOT NULL REFERENCES webhook ON DELETE CASCADE ON UPDATE CASCADE,
    message_id TEXT NOT NULL,
    type TEXT NOT NULL,
    team_id INTEGER,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts JSONB NOT NULL DEFAULT '[]',
    tries INTEGER NOT NULL DEFAULT 0,
    next_at TIMESTAMPTZ(3),
    given_up_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);
CREATE UNIQUE INDEX webhook_delivery_webhook_id_message_id_key ON webhook_delivery (webhook_id, message_id);
CREATE INDEX webhook_delivery_webhook_id_id_idx ON webhook_delivery (webhook_id, id);
CREATE INDEX webhook_delivery_webhook_id_next_at_idx ON webhook_delivery (webhook_id, next_at) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_webhook_id_failed_idx ON webhook_delivery (webhook_id, id) WHERE state = 'failed';
CREATE INDEX webhook_delivery_team_id_idx ON webhook_delivery (team_id);

-- As before, and with the group's deliveries.
CREATE OR REPLACE FUNCTION erase_group(environment INTEGER, team INTEGER) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    erased_id TEXT;
    last_action TEXT;
BEGIN
    DELETE FROM deleted_group d WHERE d.environment_id = environment AND d.team_id = team RETURNING d.provided_id INTO erased_id;
    IF NOT FOUND OR EXISTS (SELECT FROM user_group g WHERE g.team_id = team) THEN
        RAISE EXCEPTION 'no deleted user group % in this environment', team USING ERRCODE = 'no_data_found';
    END IF;
    SELECT a.action INTO last_action FROM audit_entry a
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL)
    ORDER BY a.id DESC LIMIT 1;
    -- Without any state there is nothing to erase from the history: its partitions were dropped.
    IF last_action <> 'user_group.deleted' THEN
        RAISE EXCEPTION 'the history has no deletion of user group %', team USING ERRCODE = 'no_data_found';
    END IF;
    PERFORM set_config('user_groups.erases', 'on', true);
    UPDATE audit_entry a SET before = NULL, after = NULL
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL);
    PERFORM set_config('user_groups.erases', 'off', true);
    -- While an import is open, its rows say which groups its file names: a sync would delete a living group that it no longer finds.
    UPDATE import_row r SET name = NULL, mapping = NULL, properties = NULL, before = NULL, issues = NULL FROM import i
    WHERE i.id = r.import_id AND i.environment_id = environment AND i.ended_at IS NULL AND r.provided_id = erased_id
        AND (r.team_id = team OR (r.team_id IS NULL AND r.outcome IN ('error', 'skipped')));
    DELETE FROM import_row r USING import i
    WHERE i.id = r.import_id AND i.environment_id = environment AND i.ended_at IS NOT NULL AND r.provided_id = erased_id
        AND (r.team_id = team OR r.team_id IS NULL);
    PERFORM pg_advisory_xact_lock(hashtext('group_use_month'));
    DELETE FROM group_use_month u WHERE u.environment_id = environment AND u.team_id = team;
    DELETE FROM group_use u WHERE u.environment_id = environment AND u.team_id = team;
    DELETE FROM webhook_delivery d WHERE d.team_id = team;
END $$;

-- CREATE OR REPLACE keeps the owner and the privileges, but not this.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION erase_group(INTEGER, INTEGER) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END $$;
