-- For databases of 0.9.0 and of the commits after it: what 20261125000000_init cannot change, as it leaves alone what
-- exists. Runs after its first part. Each part is a transaction of its own and can be repeated; two empty lines separate
-- them. Goes with 2.0, as does former.sha256.


ALTER TABLE environment
    DROP COLUMN IF EXISTS viewers_key,
    ADD COLUMN IF NOT EXISTS viewer_settings TEXT,
    ADD COLUMN IF NOT EXISTS allowed_origins TEXT[],
    ADD COLUMN IF NOT EXISTS viewer_version INTEGER NOT NULL DEFAULT 1;


ALTER TABLE api_token
    ADD COLUMN IF NOT EXISTS scopes TEXT[]
        CONSTRAINT api_token_scopes_check CHECK (cardinality(scopes) BETWEEN 1 AND 64),
    ADD COLUMN IF NOT EXISTS allowed_networks TEXT[] NOT NULL DEFAULT '{}'
        CONSTRAINT api_token_allowed_networks_check CHECK (cardinality(allowed_networks) <= 50),
    ADD COLUMN IF NOT EXISTS replaces INTEGER CONSTRAINT api_token_replaces_key UNIQUE
        CONSTRAINT api_token_replaces_fkey REFERENCES api_token (id) ON UPDATE CASCADE ON DELETE NO ACTION,
    ADD COLUMN IF NOT EXISTS refused_count INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS refused_from TEXT,
    ADD COLUMN IF NOT EXISTS refused_at TIMESTAMPTZ(3),
    ADD COLUMN IF NOT EXISTS expiry_announced INTEGER,
    ADD COLUMN IF NOT EXISTS hint TEXT,
    ADD COLUMN IF NOT EXISTS asked_at TIMESTAMPTZ(3),
    ADD COLUMN IF NOT EXISTS polled_at TIMESTAMPTZ(3);


ALTER TABLE user_group ADD COLUMN IF NOT EXISTS allowed_origins TEXT[];


ALTER TABLE deleted_group ADD COLUMN IF NOT EXISTS allowed_origins TEXT[];


ALTER TABLE group_use
    ADD COLUMN IF NOT EXISTS first_used_at TIMESTAMPTZ(3),
    ADD COLUMN IF NOT EXISTS first_used_of TIMESTAMPTZ(3);


ALTER TABLE account
    ADD COLUMN IF NOT EXISTS issuer TEXT,
    ADD COLUMN IF NOT EXISTS second_factor_at TIMESTAMPTZ(3);


ALTER TABLE secret_key ADD COLUMN IF NOT EXISTS viewers_sealed BYTEA;


-- Imports became jobs: files, changes of many groups, and undoing. A fix of a finding is a change; one that has not
-- ended is begun again.
DO $$
BEGIN
    IF to_regclass('import') IS NULL THEN
        RETURN;
    END IF;
    ALTER TABLE import
        ADD COLUMN IF NOT EXISTS mode TEXT NOT NULL DEFAULT 'upsert',
        ADD COLUMN IF NOT EXISTS max_deletions TEXT,
        ADD COLUMN IF NOT EXISTS existing INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS deletes INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS deleted INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS unnamed INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS swept INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN IF NOT EXISTS undoes INTEGER,
        ADD COLUMN IF NOT EXISTS fix TEXT,
        ADD COLUMN IF NOT EXISTS expected INTEGER,
        DROP CONSTRAINT IF EXISTS import_mode_check,
        ADD COLUMN kind TEXT NOT NULL DEFAULT 'import'
            CONSTRAINT job_kind_check CHECK (kind IN ('import', 'change', 'undo')),
        ADD COLUMN change TEXT,
        ADD COLUMN applies BOOLEAN NOT NULL DEFAULT false,
        ADD COLUMN is_begun BOOLEAN NOT NULL DEFAULT false,
        ADD COLUMN restores INTEGER NOT NULL DEFAULT 0,
        ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE import_row ADD COLUMN state group_state;
    UPDATE import SET state = 'failed', problem = 'The service was upgraded. Begin again to finish.', ended_at = now()
    WHERE fix IS NOT NULL AND ended_at IS NULL;
    UPDATE import
    SET kind = CASE WHEN undoes IS NOT NULL THEN 'undo' WHEN fix IS NOT NULL THEN 'change' ELSE kind END,
        mode = CASE WHEN fix IS NOT NULL THEN 'merge' ELSE mode END,
        change = CASE WHEN fix IS NOT NULL THEN '{}' END,
        is_begun = state IN ('applying', 'done')
    WHERE undoes IS NOT NULL OR fix IS NOT NULL OR state IN ('applying', 'done');
    ALTER TABLE import DROP COLUMN fix;
    ALTER TABLE import RENAME file_name TO name;
    ALTER TABLE import RENAME CONSTRAINT import_pkey TO job_pkey;
    ALTER TABLE import_piece RENAME import_id TO job_id;
    ALTER TABLE import_piece RENAME CONSTRAINT import_piece_pkey TO job_piece_pkey;
    ALTER TABLE import_piece RENAME CONSTRAINT import_piece_import_id_fkey TO job_piece_job_id_fkey;
    ALTER TABLE import_row RENAME import_id TO job_id;
    ALTER TABLE import_row RENAME CONSTRAINT import_row_pkey TO job_row_pkey;
    ALTER TABLE import_row RENAME CONSTRAINT import_row_import_id_fkey TO job_row_job_id_fkey;
    ALTER TABLE import RENAME TO job;
    ALTER TABLE import_piece RENAME TO job_piece;
    ALTER TABLE import_row RENAME TO job_row;
    ALTER SEQUENCE import_id_seq RENAME TO job_id_seq;
    ALTER INDEX import_environment_id_id_idx RENAME TO job_environment_id_id_idx;
    ALTER INDEX import_state_id_idx RENAME TO job_state_id_idx;
    ALTER INDEX import_row_import_id_outcome_line_idx RENAME TO job_row_job_id_outcome_line_idx;
    ALTER INDEX IF EXISTS import_row_provided_id_idx RENAME TO job_row_provided_id_idx;
    ALTER INDEX IF EXISTS import_row_import_id_provided_id_idx RENAME TO job_row_job_id_provided_id_idx;
    ALTER TYPE import_state RENAME TO job_state;
    ALTER TYPE job_state RENAME VALUE 'uploading' TO 'receiving';
    ALTER TYPE import_outcome RENAME TO job_outcome;
END $$;
ALTER TYPE job_outcome ADD VALUE IF NOT EXISTS 'delete';
ALTER TYPE job_outcome ADD VALUE IF NOT EXISTS 'deleted';
ALTER TYPE job_outcome ADD VALUE IF NOT EXISTS 'restore';
ALTER TYPE job_outcome ADD VALUE IF NOT EXISTS 'restored';


-- Tables that 0.9.0 lacks. What they were like in between, and those that are gone.
ALTER TABLE IF EXISTS group_use_month ADD COLUMN IF NOT EXISTS active_viewers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE IF EXISTS viewer_key ALTER COLUMN public_jwk DROP NOT NULL;
ALTER TABLE IF EXISTS viewer_revocation
    ADD COLUMN IF NOT EXISTS viewer_key BYTEA NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS before TIMESTAMPTZ(3),
    ADD COLUMN IF NOT EXISTS blocked_until TIMESTAMPTZ(3);
DROP INDEX IF EXISTS viewer_revocation_team_id_viewer_key;
ALTER TABLE IF EXISTS viewer_revocation
    DROP CONSTRAINT viewer_revocation_pkey,
    ADD CONSTRAINT viewer_revocation_pkey PRIMARY KEY (team_id, viewer_key);
ALTER TABLE IF EXISTS definitions
    DROP CONSTRAINT definitions_environment_id_fkey,
    ADD CONSTRAINT definitions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment (id)
        ON DELETE CASCADE ON UPDATE CASCADE;
DROP TABLE IF EXISTS
    lost_writes, group_drift, audit_log_reader, group_finding, finding_state, use_flush, group_check, newest_version;


-- Who made a webhook: the history's entry and the row are of one transaction.
DO $$
BEGIN
    IF to_regclass('webhook') IS NOT NULL THEN
        ALTER TABLE webhook
            ADD COLUMN IF NOT EXISTS maker_type actor_type,
            ADD COLUMN IF NOT EXISTS maker_id TEXT,
            ADD COLUMN IF NOT EXISTS maker_name TEXT;
        UPDATE webhook w SET maker_type = a.actor_type, maker_id = a.actor_id, maker_name = a.actor_name
        FROM audit_entry a
        WHERE w.maker_type IS NULL AND a.environment_id = w.environment_id AND a.action = 'webhook.created'
            AND a.at = w.created_at;
    END IF;
END $$;


-- The feed: migrate() builds the index of each month. Entries from before it stay in epoch 1.
DO $$
DECLARE
    partition REGCLASS;
BEGIN
    IF to_regclass('feed_epoch') IS NULL THEN
        ALTER TABLE ONLY audit_entry ALTER epoch SET DEFAULT 2;
    END IF;
    FOR partition IN SELECT relid FROM pg_partition_tree('audit_entry') WHERE isleaf LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_freeze_min_age = 0)', partition);
    END LOOP;
END $$;
CREATE INDEX IF NOT EXISTS audit_entry_environment_id_epoch_xid_id_idx
    ON ONLY audit_entry (environment_id, epoch, xid, id);


-- What exports searched for is a group's content, which an erasure did not reach: entries keep the names of these
-- parameters alone.
SELECT set_config('user_groups.erases', 'on', true);
UPDATE audit_entry a SET after = ((a.after::jsonb - ARRAY['search', 'filter', 'user_group_id'])
    || CASE WHEN asked.names IS NULL THEN '{}' ELSE jsonb_build_object('narrowed_by', asked.names) END)::text
FROM audit_entry e CROSS JOIN LATERAL (
    SELECT jsonb_agg(key ORDER BY key) FILTER (WHERE value NOT IN ('""', '[]')) AS names
    FROM jsonb_each(e.after::jsonb) WHERE key IN ('search', 'filter', 'user_group_id')
) AS asked
WHERE a.id = e.id AND a.at = e.at AND e.action IN ('user_groups.exported', 'history.exported')
    AND e.after::jsonb ?| ARRAY['search', 'filter', 'user_group_id'];


CREATE INDEX CONCURRENTLY user_group_suspended_idx ON user_group (environment_id, team_id) WHERE state = 'suspended';


CREATE INDEX CONCURRENTLY user_group_access_ends_at_idx ON user_group (environment_id, access_ends_at, team_id)
    WHERE access_ends_at IS NOT NULL;


CREATE INDEX CONCURRENTLY user_group_id_skeleton_idx ON user_group (environment_id, id_skeleton(provided_id))
    WHERE id_skeleton(provided_id) <> provided_id;


CREATE INDEX CONCURRENTLY job_row_job_id_provided_id_idx ON job_row (job_id, provided_id);


CREATE INDEX CONCURRENTLY job_row_provided_id_idx ON job_row (provided_id);


CREATE INDEX CONCURRENTLY group_search_environment_id_updated_at_team_id_idx
    ON group_search (environment_id, updated_at, team_id);


DROP INDEX IF EXISTS user_group_environment_id_updated_at_team_id_idx;
