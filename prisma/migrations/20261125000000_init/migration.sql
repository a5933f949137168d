-- The schema. A database of 0.9.0 runs it too, part by part with upgrade.sql: it leaves alone what exists. Parts are
-- separated by two empty lines; the first has types and functions.

-- Search by part of a name or an id. Any role that may create in the database can install this extension.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

DO $$
BEGIN
    CREATE TYPE environment_tag AS ENUM ('Customer', 'Testing');
    CREATE TYPE access AS ENUM ('read', 'write');
    CREATE TYPE group_state AS ENUM ('active', 'suspended');
    CREATE TYPE actor_type AS ENUM ('api_token', 'member', 'operator', 'visitor');
    -- In descending order of what they may do: require_author compares them.
    CREATE TYPE role AS ENUM ('owner', 'admin', 'viewer');
    CREATE TYPE link_purpose AS ENUM ('setup', 'invite', 'reset_password');
    CREATE TYPE job_state AS ENUM ('receiving', 'checking', 'checked', 'applying', 'done', 'cancelled', 'failed');
    CREATE TYPE job_outcome AS ENUM (
        'create', 'change', 'same', 'error', 'created', 'changed', 'skipped', 'delete', 'deleted', 'restore', 'restored'
    );
EXCEPTION WHEN duplicate_object THEN
    NULL; -- upgrade.sql changes the others.
END $$;

-- Octal escapes for all but ASCII: otherwise the cluster's locale decides which letters have trigrams; in C none has.
CREATE OR REPLACE FUNCTION to_search_text(said TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(decode(replace(lower(said), '\', '\\'), 'escape'), 'escape')
$$;

-- An id as it looks: without characters that have no glyph, in compatible forms, in lower case.
CREATE OR REPLACE FUNCTION id_skeleton(id TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN id ~ '^[-a-z0-9_.:/@]*$' THEN id ELSE lower(normalize(regexp_replace(id,
        U&'[\00AD\034F\061C\115F\1160\17B4\17B5\180B-\180F\200B-\200F\202A-\202E\2060-\206F\2800\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFFB\+01BCA0-\+01BCA3\+01D159\+01D173-\+01D17A\+0E0000-\+0E0FFF]',
        '', 'g'), NFKC)) END
$$;

-- User groups

-- A group stays in its environment, under its number, whatever a statement says.
CREATE OR REPLACE FUNCTION refuse_group_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a user group never changes its environment or its number';
END $$;

-- Statements leave out reserved ids. One that began before a rename, and waited for it at the unique index, does not
-- see the reservation; this sees it, with a snapshot of its own, and has the statement repeated. A token is sealed for
-- its group's id: whatever a statement says, no id changes without it.
CREATE OR REPLACE FUNCTION refuse_reserved_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.provided_id <> OLD.provided_id AND NEW.token_sealed = OLD.token_sealed THEN
            RAISE EXCEPTION 'a user group never changes its environment, its number, or its id without its token';
        END IF;
    END IF;
    IF EXISTS (
        SELECT FROM reserved_id r
        WHERE r.environment_id = NEW.environment_id AND r.provided_id = NEW.provided_id AND r.until > now()
    ) THEN
        RAISE EXCEPTION 'the user group with this id was just renamed' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NULL;
END $$;

-- Every group has its row of use from the first: those never used are a range of an index too. A restored group still
-- has its row.
CREATE OR REPLACE FUNCTION begin_group_use() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO group_use (team_id, environment_id, last_used_at)
    SELECT team_id, environment_id, '-infinity' FROM created ON CONFLICT (team_id) DO NOTHING;
    RETURN NULL;
END $$;

-- By triggers: lists find a group as it is, whatever statement of whatever release writes it. Neither names nor ids
-- hold a line feed.
CREATE OR REPLACE FUNCTION begin_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO group_search (team_id, environment_id, provided_id, sort_name, search_text, properties, updated_at)
    SELECT team_id, environment_id, provided_id, lower(name),
        to_search_text(name || E'\n' || (provided_id COLLATE "default")), properties::jsonb, updated_at
    FROM created;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION change_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE group_search
    SET provided_id = NEW.provided_id, sort_name = lower(NEW.name),
        search_text = to_search_text(NEW.name || E'\n' || (NEW.provided_id COLLATE "default")),
        properties = NEW.properties::jsonb, updated_at = NEW.updated_at
    WHERE environment_id = NEW.environment_id AND team_id = NEW.team_id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION end_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM group_search s USING deleted d WHERE s.environment_id = d.environment_id AND s.team_id = d.team_id;
    RETURN NULL;
END $$;

-- By triggers, so that no statement that raises gen can forget it.
CREATE OR REPLACE FUNCTION note_viewer_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO viewer_revocation AS r (team_id, environment_id, gen) VALUES (NEW.team_id, NEW.environment_id, NEW.gen)
    ON CONFLICT (team_id, viewer_key)
    DO UPDATE SET gen = greatest(r.gen, excluded.gen), at = excluded.at, xid = excluded.xid;
    RETURN NULL;
END $$;

-- A write that was checked against a version of the definitions keeps it current until it commits:
-- PUT /api/definitions takes the same lock exclusively. So nothing that new definitions refuse is written after them.
CREATE OR REPLACE FUNCTION require_definitions(environment INTEGER, known INTEGER)
RETURNS VOID LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('definitions'), environment);
    IF coalesce((SELECT d.version FROM definitions d WHERE d.environment_id = environment), 0) <> known THEN
        RAISE EXCEPTION USING ERRCODE = 'UGD01', MESSAGE = 'the definitions of the environment have changed';
    END IF;
END $$;

-- Authority

-- A change checks its author where it is made, and holds this lock of the author until its transaction ends. Whatever
-- takes authority away waits for that lock, below: once it has returned, no change that was under way can still commit.
-- In READ COMMITTED each query of a volatile function has a snapshot of its own, so this sees what was committed while
-- it waited. Without a session the member's role alone counts. An operator may do everything.
CREATE OR REPLACE FUNCTION require_author(
    kind actor_type, author TEXT, author_session TEXT, environment INTEGER, needed role
) RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    has_access access;
    has_role role;
BEGIN
    IF kind = 'operator' THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext(kind::text), hashtext(author));
    IF kind = 'api_token' THEN
        SELECT t.access INTO has_access FROM api_token t
        WHERE t.id = author::int AND t.environment_id = environment AND t.revoked_at IS NULL
            AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp());
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'UGT01', MESSAGE = 'the API token is no longer valid';
        ELSIF has_access <> 'write' AND needed <> 'viewer' THEN
            RAISE EXCEPTION USING ERRCODE = 'UGT03', MESSAGE = 'the API token may only read';
        END IF;
    ELSE
        IF author_session IS NOT NULL THEN
            PERFORM pg_advisory_xact_lock_shared(hashtext('session'), hashtext(author_session));
        END IF;
        SELECT m.role INTO has_role FROM member m
        WHERE m.id = author AND m.disabled_at IS NULL AND (author_session IS NULL OR EXISTS (
            SELECT FROM session s
            WHERE s.id = author_session AND s.member_id = m.id AND s.expires_at > clock_timestamp()));
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'UGM01', MESSAGE = 'the member or the session is gone';
        ELSIF has_role > needed THEN
            RAISE EXCEPTION USING ERRCODE = 'UGM03', MESSAGE = 'the role of the member does not reach that far';
        END IF;
    END IF;
END $$;

-- As require_author, by an API token's scopes rather than its access; of members it asks the role.
-- Tokens without scopes are of 0.9.0: `access` says what they may do.
CREATE OR REPLACE FUNCTION require_scope(
    kind actor_type, author TEXT, author_session TEXT, environment INTEGER, scope TEXT, needed role
) RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    granted TEXT[];
BEGIN
    IF kind <> 'api_token' THEN
        PERFORM require_author(kind, author, author_session, environment, needed);
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext(kind::text), hashtext(author));
    SELECT coalesce(t.scopes, CASE t.access
        WHEN 'write' THEN ARRAY['tokens:read', 'groups:create', 'groups:write', 'tokens:rotate', 'viewers:ask']
        ELSE ARRAY['tokens:read', 'viewers:ask'] END) INTO granted
    FROM api_token t
    WHERE t.id = author::int AND t.environment_id = environment AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp());
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'UGT01', MESSAGE = 'the API token is no longer valid';
    ELSIF NOT scope = ANY (granted) THEN
        RAISE EXCEPTION USING ERRCODE = 'UGT03', MESSAGE = format('the API token lacks the scope %s', scope);
    END IF;
END $$;

-- By triggers: nothing that takes authority away, better-auth's own statements included, can forget to wait.
CREATE OR REPLACE FUNCTION await_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext(TG_ARGV[0]), hashtext(OLD.id::text));
    RETURN NULL;
END $$;

-- History

-- Lets erasures through, which set this for themselves alone. The role that serves may not update the history,
-- whatever it sets.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('user_groups.erases', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'audit_entry is append-only' USING ERRCODE = 'insufficient_privilege',
        HINT = 'To prune it as its owner, drop the partition of a month, such as audit_entry_2026_11.';
END
$$;

-- Makes the partitions of the month before, in case a clock is set back, of this month, and of the 13 to come. The
-- service calls it at each start and once a day: an entry without a partition, and the change that it is of, would be
-- refused. The role that serves may make no table, so this runs as the owner, and nothing that its caller chooses
-- reaches a statement.
-- A table is made first and attached then, which holds up neither readers nor writers, as PARTITION OF would.
-- Privileges that new tables get by default are taken away: entries are written and read through audit_entry alone.
-- Entries never change: the first vacuum freezes them, and no later one has to write a whole month again.
CREATE OR REPLACE FUNCTION make_audit_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    place TEXT := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'audit_entry'::regclass);
    first TIMESTAMP;
    partition TEXT;
    grantee TEXT;
BEGIN
    FOR first IN
        SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n)
        FROM generate_series(-1, 13) AS n
    LOOP
        partition := to_char(first, '"audit_entry_"YYYY"_"MM');
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        -- One at a time; whoever waited here finds it made.
        LOCK TABLE ONLY audit_entry IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        partition := format('%s.%I', place, partition);
        EXECUTE format('CREATE TABLE %s (LIKE audit_entry INCLUDING DEFAULTS) WITH (autovacuum_freeze_min_age = 0)',
            partition);
        FOR grantee IN
            SELECT DISTINCT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END
            FROM pg_class, aclexplode(relacl) AS acl WHERE oid = partition::regclass AND acl.grantee <> relowner
        LOOP
            EXECUTE format('REVOKE ALL ON %s FROM %s', partition, grantee);
        END LOOP;
        EXECUTE format(
            'CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %s
             FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', partition);
        EXECUTE format(
            'ALTER TABLE audit_entry ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', partition,
            to_char(first, 'YYYY-MM-DD"T00:00:00Z"'),
            to_char(first + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
    END LOOP;
END $$;

-- Raises the epoch if this is another cluster, or one whose transaction numbers are behind the history; returns the
-- current one. The lock on audit_entry waits for running changes, so that the epoch before is complete once this
-- commits.
CREATE OR REPLACE FUNCTION raise_feed_epoch() RETURNS INTEGER LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    current INTEGER;
    is_over BOOLEAN;
BEGIN
    FOR attempt IN 1..2 LOOP
        SELECT f.epoch, f.system_identifier <> (SELECT c.system_identifier::text FROM pg_control_system() c)
            OR coalesce(last.epoch = f.epoch
                AND last.xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint, false)
        INTO current, is_over
        FROM (SELECT * FROM feed_epoch ORDER BY epoch DESC LIMIT 1) f
        LEFT JOIN LATERAL (SELECT a.epoch, a.xid FROM audit_entry a ORDER BY a.id DESC LIMIT 1) last ON true;
        EXIT WHEN NOT is_over;
        IF attempt = 1 THEN
            -- One at a time: the next to get it looks again.
            LOCK TABLE feed_epoch IN EXCLUSIVE MODE;
        ELSE
            current := current + 1;
            EXECUTE format('ALTER TABLE ONLY audit_entry ALTER epoch SET DEFAULT %s', current);
            INSERT INTO feed_epoch (epoch, system_identifier)
            SELECT current, c.system_identifier::text FROM pg_control_system() c;
        END IF;
    END LOOP;
    RETURN current;
END $$;

-- Use

-- Makes the partitions of group_use_month for the month before, this one and the 13 to come, as make_audit_partitions
-- does for the history, and drops those that ended 13 months ago. Rows are updated in place: pages leave room for it.
CREATE OR REPLACE FUNCTION keep_use_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    place TEXT := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'group_use_month'::regclass);
    this_month TIMESTAMP := date_trunc('month', now() AT TIME ZONE 'UTC');
    first TIMESTAMP;
    partition TEXT;
    grantee TEXT;
BEGIN
    FOR first IN SELECT this_month + make_interval(months => n) FROM generate_series(-1, 13) AS n LOOP
        partition := to_char(first, '"group_use_month_"YYYY"_"MM');
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        -- One at a time; another process that waited here finds it made.
        LOCK TABLE ONLY group_use_month IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        partition := format('%s.%I', place, partition);
        EXECUTE format('CREATE TABLE %s (LIKE group_use_month INCLUDING DEFAULTS) WITH (fillfactor = 70)', partition);
        FOR grantee IN
            SELECT DISTINCT CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END
            FROM pg_class, aclexplode(relacl) AS acl WHERE oid = partition::regclass AND acl.grantee <> relowner
        LOOP
            EXECUTE format('REVOKE ALL ON %s FROM %s', partition, grantee);
        END LOOP;
        EXECUTE format(
            'ALTER TABLE group_use_month ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', partition,
            to_char(first, 'YYYY-MM-DD'), to_char(first + interval '1 month', 'YYYY-MM-DD'));
    END LOOP;
    FOR partition IN
        SELECT format('%s.%I', place, relname) FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'group_use_month'::regclass
            AND relname < to_char(this_month - interval '13 months', '"group_use_month_"YYYY"_"MM')
    LOOP
        EXECUTE format('DROP TABLE IF EXISTS %s', partition);
    END LOOP;
END $$;

-- Erasures

-- Blanks the next entries of a deleted group's history, beyond an entry, and returns the last of them; NULL when there
-- are none. A long history takes longer than a statement may: erase_group blanks what is left. The entry of the
-- deletion keeps its state until then, by which both know that the group was deleted.
CREATE OR REPLACE FUNCTION blank_history(environment INTEGER, team INTEGER, beyond BIGINT, most INTEGER)
RETURNS BIGINT LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    last_id BIGINT;
    last_action TEXT;
    reached BIGINT;
BEGIN
    IF NOT EXISTS (SELECT FROM deleted_group d WHERE d.environment_id = environment AND d.team_id = team)
        OR EXISTS (SELECT FROM user_group g WHERE g.team_id = team) THEN
        RAISE EXCEPTION 'no deleted user group % in this environment', team USING ERRCODE = 'no_data_found';
    END IF;
    SELECT a.id, a.action INTO last_id, last_action FROM audit_entry a
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL)
    ORDER BY a.id DESC LIMIT 1;
    IF last_action <> 'user_group.deleted' THEN
        RAISE EXCEPTION 'the history has no deletion of user group %', team USING ERRCODE = 'no_data_found';
    END IF;
    SELECT max(next.id) INTO reached FROM (
        SELECT a.id FROM audit_entry a
        WHERE a.team_id = team AND a.environment_id = environment AND a.id > beyond AND a.id < last_id
            AND (a.before IS NOT NULL OR a.after IS NOT NULL)
        ORDER BY a.id LIMIT most
    ) AS next;
    IF reached IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM set_config('user_groups.erases', 'on', true);
    UPDATE audit_entry a SET before = NULL, after = NULL
    WHERE a.team_id = team AND a.environment_id = environment AND a.id > beyond AND a.id <= reached
        AND (a.before IS NOT NULL OR a.after IS NOT NULL);
    PERFORM set_config('user_groups.erases', 'off', true);
    RETURN reached;
END $$;

-- Erases a deleted group and its content in the history and in jobs; entries stay, without their states before and
-- after. The role that serves may write user_group, deleted_group, and new entries of the history. So that it cannot
-- pass off a living group as deleted and erase its history, the last state that the history has of the group must be
-- that of its deletion, which stays on record.
CREATE OR REPLACE FUNCTION erase_group(environment INTEGER, team INTEGER)
RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    erased_ids TEXT[];
    last_action TEXT;
    -- All that use is kept or can be counted for. Indexes of use begin with the month: before PostgreSQL 18, a
    -- statement without it reads them whole.
    months DATE[] := ARRAY (SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n))::date
        FROM generate_series(-14, 14) AS n);
BEGIN
    DELETE FROM deleted_group d WHERE d.environment_id = environment AND d.team_id = team
    RETURNING ARRAY[d.provided_id] INTO erased_ids;
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
    -- Rows of jobs have the id that the group had then.
    WITH freed AS (
        DELETE FROM reserved_id i WHERE i.environment_id = environment AND i.team_id = team RETURNING i.provided_id
    )
    SELECT erased_ids || array_agg(freed.provided_id) INTO erased_ids FROM freed;
    PERFORM set_config('user_groups.erases', 'on', true);
    UPDATE audit_entry a SET before = NULL, after = NULL
    WHERE a.team_id = team AND a.environment_id = environment AND (a.before IS NOT NULL OR a.after IS NOT NULL);
    PERFORM set_config('user_groups.erases', 'off', true);
    -- While a job is open, its rows say which groups its file names: a sync would delete a living group that it no
    -- longer finds.
    UPDATE job_row r SET name = NULL, mapping = NULL, properties = NULL, before = NULL, issues = NULL FROM job i
    WHERE i.id = r.job_id AND i.environment_id = environment AND i.ended_at IS NULL AND r.provided_id = ANY (erased_ids)
        AND (r.team_id = team OR (r.team_id IS NULL AND r.outcome IN ('error', 'skipped')));
    DELETE FROM job_row r USING job i
    WHERE i.id = r.job_id AND i.environment_id = environment AND i.ended_at IS NOT NULL
        AND r.provided_id = ANY (erased_ids)
        AND (r.team_id = team OR r.team_id IS NULL);
    -- The group's own revocation, which stays, covers all of its viewer tokens.
    DELETE FROM viewer_revocation r WHERE r.team_id = team AND r.viewer_key <> '';
    -- Flushes that add checks hold the lock, and look for the group after they got it.
    PERFORM pg_advisory_xact_lock(hashtext('group_use_month'));
    DELETE FROM active_viewer v WHERE v.month = ANY (months) AND v.team_id = team;
    DELETE FROM group_use_month u WHERE u.month = ANY (months) AND u.team_id = team;
    DELETE FROM group_use u WHERE u.environment_id = environment AND u.team_id = team;
    DELETE FROM webhook_delivery d WHERE d.team_id = team;
END $$;

-- What runs as the owner finds the tables of this schema alone, and is for the role that serves alone:
-- lib/migrations/privileges.ts grants it. CREATE OR REPLACE keeps owner and privileges, but not the search_path.
DO $$
DECLARE
    signature TEXT;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'make_audit_partitions()', 'raise_feed_epoch()', 'keep_use_partitions()',
        'blank_history(INTEGER, INTEGER, BIGINT, INTEGER)', 'erase_group(INTEGER, INTEGER)'
    ] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', signature, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
    ALTER FUNCTION raise_feed_epoch() SET lock_timeout = '300ms';
END $$;


-- Environments and API tokens

-- transaction_timestamp() is now() by a name that Prisma leaves to the database: it fills in now() itself, by the clock
-- of its own machine.

-- viewer_version rises with every change of the keys and settings: the statement that reads a group for a viewer token
-- returns it, so that no instance signs with a key or setting that has just been changed on another.
CREATE TABLE IF NOT EXISTS environment (
    id SERIAL PRIMARY KEY,
    slug TEXT NOT NULL CONSTRAINT environment_slug_check CHECK (slug ~ '^[a-z][a-z0-9-]{0,39}$'),
    name TEXT NOT NULL,
    tag environment_tag NOT NULL,
    embed_template TEXT CONSTRAINT environment_embed_template_check CHECK (octet_length(embed_template) <= 16384),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    viewer_settings TEXT,
    allowed_origins TEXT[],
    viewer_version INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX IF NOT EXISTS environment_slug_key ON environment (slug);

-- A new database has two; one that had environments keeps those that it has.
INSERT INTO environment (slug, name, tag)
SELECT slug, name, tag::environment_tag
FROM (VALUES ('production', 'Production', 'Customer'), ('testing', 'Testing', 'Testing')) AS first (slug, name, tag)
WHERE (SELECT NOT is_called FROM environment_id_seq);

CREATE TABLE IF NOT EXISTS api_token (
    id SERIAL PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environment ON DELETE RESTRICT ON UPDATE CASCADE,
    name TEXT NOT NULL,
    access access NOT NULL DEFAULT 'write',
    token_index BYTEA NOT NULL CONSTRAINT api_token_token_index_check CHECK (octet_length(token_index) = 32),
    digest_sealed BYTEA NOT NULL,
    binding BYTEA NOT NULL,
    created_by TEXT NOT NULL,
    created_by_id TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    expires_at TIMESTAMPTZ(3),
    revoked_at TIMESTAMPTZ(3),
    last_used_at TIMESTAMPTZ(3),
    scopes TEXT[] CONSTRAINT api_token_scopes_check CHECK (cardinality(scopes) BETWEEN 1 AND 64),
    allowed_networks TEXT[] NOT NULL DEFAULT '{}'
        CONSTRAINT api_token_allowed_networks_check CHECK (cardinality(allowed_networks) <= 50),
    -- A replacement is a row of its own, which names its predecessor.
    replaces INTEGER CONSTRAINT api_token_replaces_key UNIQUE
        CONSTRAINT api_token_replaces_fkey REFERENCES api_token (id) ON UPDATE CASCADE ON DELETE NO ACTION,
    -- Requests refused because of allowed_networks: how many, and the last one.
    refused_count INTEGER NOT NULL DEFAULT 0,
    refused_from TEXT,
    refused_at TIMESTAMPTZ(3),
    -- The days before the expiry of the last entry in the history that announced it.
    expiry_announced INTEGER,
    -- Its first and last characters. Null for tokens of 0.9.0, and for those of an operator's own form.
    hint TEXT,
    -- When it last asked about a viewer's token, and last polled the revocations.
    asked_at TIMESTAMPTZ(3),
    polled_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX IF NOT EXISTS api_token_token_index_key ON api_token (token_index);
CREATE INDEX IF NOT EXISTS api_token_environment_id_idx ON api_token (environment_id);
CREATE INDEX IF NOT EXISTS api_token_created_by_id_idx ON api_token (created_by_id);
CREATE INDEX IF NOT EXISTS api_token_expires_at_idx ON api_token (expires_at);

CREATE OR REPLACE TRIGGER api_token_author
    AFTER UPDATE OF environment_id, access, expires_at, revoked_at OR DELETE ON api_token FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND (OLD.expires_at IS NULL OR OLD.expires_at > now()))
    EXECUTE FUNCTION await_author('api_token');


-- User groups

-- Ids sort bytewise, and their indexes do not depend on the locale of the cluster.
-- Lengths are tested first: a cast to json of what is too long would cost for nothing.
CREATE TABLE IF NOT EXISTS user_group (
    team_id SERIAL PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environment ON DELETE RESTRICT ON UPDATE CASCADE,
    provided_id TEXT COLLATE "C" NOT NULL
        CONSTRAINT user_group_provided_id_check CHECK (char_length(provided_id) BETWEEN 1 AND 255),
    name TEXT NOT NULL CONSTRAINT user_group_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
    mapping TEXT NOT NULL DEFAULT '{}' CONSTRAINT user_group_mapping_check CHECK (
        CASE WHEN octet_length(mapping) <= 65536 THEN json_typeof(mapping::json) = 'object' ELSE false END
    ),
    properties TEXT CONSTRAINT user_group_properties_check CHECK (
        CASE WHEN octet_length(properties) <= 65536
            THEN json_typeof(properties::json) = 'object' ELSE properties IS NULL END
    ),
    token_index BYTEA NOT NULL CONSTRAINT user_group_token_index_check CHECK (octet_length(token_index) = 32),
    token_sealed BYTEA NOT NULL,
    state group_state NOT NULL DEFAULT 'active',
    access_ends_at TIMESTAMPTZ(3),
    version INTEGER NOT NULL DEFAULT 1,
    gen INTEGER NOT NULL DEFAULT 1,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    rotated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Null means the environment's.
    allowed_origins TEXT[]
);
-- By default a vacuum waits for a fifth of the rows: of 10 million groups, 2 million dead versions, each with an entry
-- in every index. A change of properties touches none: its new version stays on the page (HOT), which needs room.
ALTER TABLE user_group
    SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 85);
CREATE UNIQUE INDEX IF NOT EXISTS user_group_token_index_key ON user_group (token_index);
CREATE UNIQUE INDEX IF NOT EXISTS user_group_environment_id_provided_id_key ON user_group (environment_id, provided_id);
CREATE INDEX IF NOT EXISTS user_group_environment_id_team_id_idx ON user_group (environment_id, team_id);
-- Names sort without regard to case, and bytewise beyond that: no update of a locale library reorders them.
CREATE INDEX IF NOT EXISTS user_group_sort_name_idx ON user_group (environment_id, (lower(name) COLLATE "C"), team_id);
-- Whether a search reads on in order or sorts all that it finds depends on how many the planner expects. The default
-- sample may miss a word that one name in a hundred has.
ALTER INDEX user_group_sort_name_idx ALTER COLUMN 2 SET STATISTICS 400;
CREATE INDEX IF NOT EXISTS user_group_suspended_idx ON user_group (environment_id, team_id) WHERE state = 'suspended';
CREATE INDEX IF NOT EXISTS user_group_access_ends_at_idx ON user_group (environment_id, access_ends_at, team_id)
    WHERE access_ends_at IS NOT NULL;
-- If two ids look alike, at least one differs from its skeleton: an index of only those is enough.
CREATE INDEX IF NOT EXISTS user_group_id_skeleton_idx ON user_group (environment_id, id_skeleton(provided_id))
    WHERE id_skeleton(provided_id) <> provided_id;


-- A group can get another id. Its former one stays reserved for a while: no other group can have it, and calls with it
-- name the new one, so that a page view with it creates no second group.
CREATE TABLE IF NOT EXISTS reserved_id (
    environment_id INTEGER NOT NULL REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    provided_id TEXT COLLATE "C" NOT NULL,
    team_id INTEGER NOT NULL,
    until TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT reserved_id_pkey PRIMARY KEY (environment_id, provided_id)
);
CREATE INDEX IF NOT EXISTS reserved_id_team_id_idx ON reserved_id (team_id);
CREATE INDEX IF NOT EXISTS reserved_id_until_idx ON reserved_id (until);

-- The token that a group's current one replaced, while both are valid. No foreign key: a deleted group keeps it for its
-- restoration. replaced_at is the group's rotated_at of then: a later rotation ends the overlap, also one by 0.9.0,
-- which does not know this table.
CREATE TABLE IF NOT EXISTS previous_token (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    provided_id TEXT COLLATE "C" NOT NULL,
    token_index BYTEA NOT NULL,
    token_sealed BYTEA NOT NULL,
    replaced_at TIMESTAMPTZ(3) NOT NULL,
    valid_until TIMESTAMPTZ(3) NOT NULL,
    last_used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX IF NOT EXISTS previous_token_token_index_key ON previous_token (token_index);
CREATE INDEX IF NOT EXISTS previous_token_valid_until_idx ON previous_token (valid_until);


-- When a group was last used; -infinity before the first time. A trigger creates the row with the group. No foreign
-- key: it would make each row lock its group, and an undone deletion lose the use.
CREATE TABLE IF NOT EXISTS group_use (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    last_used_at TIMESTAMPTZ(3) NOT NULL,
    -- The first use of the current token, and which token that was: the one issued at first_used_of. No clock is
    -- compared.
    first_used_at TIMESTAMPTZ(3),
    first_used_of TIMESTAMPTZ(3)
);
ALTER TABLE group_use SET (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX IF NOT EXISTS group_use_environment_id_last_used_at_team_id_idx
    ON group_use (environment_id, last_used_at, team_id);


-- What lists search, filter and sort by, for indexes that a rotation does not write to. Triggers keep it in sync with
-- user_group. sort_name is the name in lower case; search_text is the name, a line feed and the id, as its index has
-- them.
CREATE TABLE IF NOT EXISTS group_search (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    provided_id TEXT COLLATE "C" NOT NULL,
    sort_name TEXT COLLATE "C" NOT NULL,
    search_text TEXT COLLATE "C" NOT NULL,
    properties JSONB,
    updated_at TIMESTAMPTZ(3) NOT NULL
);
-- A change of a mapping, state or end of access touches none of its indexes: with room on the page it stays there.
ALTER TABLE group_search
    SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02),
    ALTER COLUMN sort_name SET STATISTICS 400;
-- The service empties the lists of entries that wait to be sorted every half second; a change does so only if one
-- overflows, so there is room for what comes in between.
CREATE INDEX IF NOT EXISTS group_search_search_text_idx ON group_search USING GIN (search_text gin_trgm_ops)
    WITH (gin_pending_list_limit = 4096);
CREATE INDEX IF NOT EXISTS group_search_properties_idx ON group_search USING GIN (properties jsonb_path_ops)
    WITH (gin_pending_list_limit = 4096);
-- Lists by change: group_search is written with each change anyway.
CREATE INDEX IF NOT EXISTS group_search_environment_id_updated_at_team_id_idx
    ON group_search (environment_id, updated_at, team_id);

-- Only the owner of an index may clear its pending list, and the role that serves does not own it: it may do this much.
CREATE OR REPLACE FUNCTION clean_pending_lists() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    SELECT gin_clean_pending_list('group_search_search_text_idx'), gin_clean_pending_list('group_search_properties_idx')
$$;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION clean_pending_lists() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION clean_pending_lists() FROM PUBLIC;
END $$;


-- Viewer tokens: signed, short-lived, verifiable without this service.

-- A template that signs with its renderer's secret keeps it as a key without a public half.
CREATE TABLE IF NOT EXISTS viewer_key (
    kid TEXT PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    template TEXT,
    private_sealed BYTEA NOT NULL,
    public_jwk TEXT,
    published_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    signs_from TIMESTAMPTZ(3) NOT NULL,
    ends_at TIMESTAMPTZ(3),
    revoked_at TIMESTAMPTZ(3),
    CONSTRAINT viewer_key_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment (id)
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX IF NOT EXISTS viewer_key_environment_id_idx ON viewer_key (environment_id);

-- The last revocation of each group, which triggers write, and of its viewers: a group's tokens that have this
-- viewer_key (lib/crypto/viewer-key.ts) and were issued until `before`; until blocked_until, none are minted for the
-- person. An empty viewer_key revokes the group's tokens of a lower gen; a person's row has gen 0. A row is deleted 25
-- hours after `at`, when no token that it revokes is left, and no block. A poller's place is a transaction id: times
-- and ids of rows are not in commit order.
CREATE TABLE IF NOT EXISTS viewer_revocation (
    team_id INTEGER NOT NULL,
    environment_id INTEGER NOT NULL,
    gen INTEGER NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    xid BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    viewer_key BYTEA NOT NULL DEFAULT '',
    before TIMESTAMPTZ(3),
    blocked_until TIMESTAMPTZ(3),
    PRIMARY KEY (team_id, viewer_key)
);
CREATE INDEX IF NOT EXISTS viewer_revocation_environment_id_xid_team_id_idx
    ON viewer_revocation (environment_id, xid, team_id);
CREATE INDEX IF NOT EXISTS viewer_revocation_at_idx ON viewer_revocation (at);


CREATE OR REPLACE TRIGGER user_group_stays BEFORE UPDATE OF environment_id, team_id ON user_group
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_group_move();
CREATE OR REPLACE TRIGGER user_group_reserved AFTER INSERT OR UPDATE OF provided_id ON user_group
    FOR EACH ROW EXECUTE FUNCTION refuse_reserved_id();
CREATE OR REPLACE TRIGGER user_group_use AFTER INSERT ON user_group REFERENCING NEW TABLE AS created
    FOR EACH STATEMENT EXECUTE FUNCTION begin_group_use();
CREATE OR REPLACE TRIGGER user_group_search_insert AFTER INSERT ON user_group REFERENCING NEW TABLE AS created
    FOR EACH STATEMENT EXECUTE FUNCTION begin_group_search();
CREATE OR REPLACE TRIGGER user_group_search_update AFTER UPDATE OF name, properties, updated_at ON user_group
    FOR EACH ROW
    WHEN ((OLD.name, OLD.properties, OLD.updated_at) IS DISTINCT FROM (NEW.name, NEW.properties, NEW.updated_at))
    EXECUTE FUNCTION change_group_search();
-- A rename in the transaction of another change sets nothing else that differs.
CREATE OR REPLACE TRIGGER user_group_search_rename AFTER UPDATE OF provided_id ON user_group
    FOR EACH ROW EXECUTE FUNCTION change_group_search();
CREATE OR REPLACE TRIGGER user_group_search_delete AFTER DELETE ON user_group REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION end_group_search();
CREATE OR REPLACE TRIGGER user_group_views_end AFTER UPDATE OF gen ON user_group FOR EACH ROW
    WHEN (NEW.gen > OLD.gen) EXECUTE FUNCTION note_viewer_revocation();
CREATE OR REPLACE TRIGGER user_group_views_end_restored AFTER INSERT ON user_group FOR EACH ROW
    WHEN (NEW.gen > 1) EXECUTE FUNCTION note_viewer_revocation();


-- Deleted groups are kept for days: restored by id or number, listed newest first, found by token, and erased for good.
CREATE TABLE IF NOT EXISTS deleted_group (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    provided_id TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    mapping TEXT NOT NULL,
    properties TEXT,
    token_index BYTEA NOT NULL,
    token_sealed BYTEA NOT NULL,
    state group_state NOT NULL DEFAULT 'active',
    access_ends_at TIMESTAMPTZ(3),
    version INTEGER NOT NULL,
    gen INTEGER NOT NULL DEFAULT 1,
    created_at TIMESTAMPTZ(3) NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL,
    rotated_at TIMESTAMPTZ(3) NOT NULL,
    deleted_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    allowed_origins TEXT[]
);
CREATE INDEX IF NOT EXISTS deleted_group_deleted_at_idx ON deleted_group (deleted_at);
CREATE INDEX IF NOT EXISTS deleted_group_environment_id_deleted_at_team_id_idx
    ON deleted_group (environment_id, deleted_at, team_id);
CREATE INDEX IF NOT EXISTS deleted_group_environment_id_provided_id_deleted_at_idx
    ON deleted_group (environment_id, provided_id, deleted_at);
CREATE INDEX IF NOT EXISTS deleted_group_token_index_idx ON deleted_group (token_index);
CREATE OR REPLACE TRIGGER deleted_group_views_end AFTER INSERT ON deleted_group FOR EACH ROW
    EXECUTE FUNCTION note_viewer_revocation();


-- Definitions

-- What every group of an environment must have; an environment without a row has version 0, which asks for nothing.
CREATE TABLE IF NOT EXISTS definitions (
    environment_id INTEGER PRIMARY KEY REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT definitions_document_check CHECK (document::json IS NOT NULL AND left(document, 1) = '{')
);

-- Findings are conditions of lists: what is kept is how many groups each had at the last check, as JSON text
-- (lib/definitions/findings.ts), by which definitions, and when the next check is due. The process that checks has
-- until claimed_until.
CREATE TABLE IF NOT EXISTS findings (
    environment_id INTEGER NOT NULL PRIMARY KEY REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    definitions_version INTEGER,
    checked_at TIMESTAMPTZ(3),
    next_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    claimed_until TIMESTAMPTZ(3),
    result TEXT
);


-- Use

-- Checks of each group per day: one row per group and month, whose days begin with the first and end with the last one
-- counted. size is the binary logarithm of the month's checks, rounded down. It is indexed to find the groups used
-- most, and rarely changes: most updates touch no index.
CREATE TABLE IF NOT EXISTS group_use_month (
    month DATE,
    team_id INTEGER,
    environment_id INTEGER NOT NULL,
    checks BIGINT NOT NULL,
    size SMALLINT NOT NULL,
    days INTEGER[] NOT NULL,
    active_viewers INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (month, team_id)
) PARTITION BY RANGE (month);
CREATE INDEX IF NOT EXISTS group_use_month_environment_id_size_team_id_idx
    ON group_use_month (environment_id, size, team_id);
SELECT keep_use_partitions();

-- Keyed hashes that count distinct viewers per group until the month is over.
CREATE TABLE IF NOT EXISTS active_viewer (
    month DATE,
    team_id INTEGER,
    viewer BYTEA,
    PRIMARY KEY (month, team_id, viewer)
);

-- Checks per day of all groups of an environment, and calls per day of an API token.
CREATE TABLE IF NOT EXISTS environment_use_month (
    environment_id INTEGER REFERENCES environment ON DELETE CASCADE ON UPDATE CASCADE,
    month DATE,
    days BIGINT[] NOT NULL,
    PRIMARY KEY (month, environment_id)
);
CREATE TABLE IF NOT EXISTS api_token_use_month (
    api_token_id INTEGER REFERENCES api_token ON DELETE CASCADE ON UPDATE CASCADE,
    month DATE,
    days BIGINT[] NOT NULL,
    PRIMARY KEY (month, api_token_id)
);


-- Members: better-auth's tables under names of ours, and links that let somebody in once

CREATE TABLE IF NOT EXISTS member (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_verified BOOLEAN NOT NULL DEFAULT false,
    image TEXT,
    role role NOT NULL DEFAULT 'viewer',
    disabled_at TIMESTAMPTZ(3),
    two_factor_enabled BOOLEAN DEFAULT false,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX IF NOT EXISTS member_email_key ON member (email);
CREATE OR REPLACE TRIGGER member_author AFTER UPDATE OF role, disabled_at OR DELETE ON member FOR EACH ROW
    WHEN (OLD.disabled_at IS NULL)
    EXECUTE FUNCTION await_author('member');


CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES member ON DELETE CASCADE ON UPDATE CASCADE,
    token TEXT NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    ip_address TEXT,
    user_agent TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    signed_in_at TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX IF NOT EXISTS session_token_key ON session (token);
CREATE INDEX IF NOT EXISTS session_member_id_idx ON session (member_id);
CREATE INDEX IF NOT EXISTS session_expires_at_idx ON session (expires_at);
CREATE INDEX IF NOT EXISTS session_signed_in_at_idx ON session (signed_in_at);
CREATE OR REPLACE TRIGGER session_author AFTER DELETE ON session FOR EACH ROW
    WHEN (OLD.expires_at > now())
    EXECUTE FUNCTION await_author('session');


CREATE TABLE IF NOT EXISTS account (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES member ON DELETE CASCADE ON UPDATE CASCADE,
    account_id TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    password TEXT,
    access_token TEXT,
    refresh_token TEXT,
    id_token TEXT,
    access_token_expires_at TIMESTAMPTZ(3),
    refresh_token_expires_at TIMESTAMPTZ(3),
    scope TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    issuer TEXT,
    second_factor_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX IF NOT EXISTS account_provider_id_account_id_key ON account (provider_id, account_id);
-- A member has one account at a provider.
CREATE UNIQUE INDEX IF NOT EXISTS account_member_id_provider_id_key ON account (member_id, provider_id);

CREATE TABLE IF NOT EXISTS verification (
    id TEXT PRIMARY KEY,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS verification_identifier_idx ON verification (identifier);

CREATE TABLE IF NOT EXISTS two_factor (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES member ON DELETE CASCADE ON UPDATE CASCADE,
    secret TEXT NOT NULL,
    backup_codes TEXT NOT NULL,
    verified BOOLEAN DEFAULT true,
    failed_verification_count INTEGER DEFAULT 0,
    locked_until TIMESTAMPTZ(3)
);
CREATE INDEX IF NOT EXISTS two_factor_member_id_idx ON two_factor (member_id);

CREATE TABLE IF NOT EXISTS one_time_link (
    id SERIAL PRIMARY KEY,
    digest BYTEA NOT NULL CONSTRAINT one_time_link_digest_check CHECK (octet_length(digest) = 32),
    purpose link_purpose NOT NULL,
    email TEXT,
    role role,
    member_id TEXT REFERENCES member ON DELETE CASCADE ON UPDATE CASCADE,
    created_by TEXT NOT NULL,
    created_by_id TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    expires_at TIMESTAMPTZ(3) NOT NULL,
    used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX IF NOT EXISTS one_time_link_digest_key ON one_time_link (digest);
CREATE INDEX IF NOT EXISTS one_time_link_member_id_idx ON one_time_link (member_id);
CREATE INDEX IF NOT EXISTS one_time_link_created_by_id_idx ON one_time_link (created_by_id);
CREATE INDEX IF NOT EXISTS one_time_link_expires_at_idx ON one_time_link (expires_at);

-- Consecutive failed attempts to sign in to an account, which is a keyed hash of the typed address.
CREATE TABLE IF NOT EXISTS sign_in_attempt (
    account BYTEA PRIMARY KEY,
    failures INTEGER NOT NULL DEFAULT 1,
    last_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX IF NOT EXISTS sign_in_attempt_last_at_idx ON sign_in_attempt (last_at);

-- A minute's failed sign-ins that are not in the history yet; member_id is empty for unknown addresses.
CREATE TABLE IF NOT EXISTS sign_in_failure (
    member_id TEXT,
    reason TEXT,
    minute TIMESTAMPTZ(3),
    attempts INTEGER NOT NULL DEFAULT 0,
    addresses TEXT[] DEFAULT ARRAY[]::TEXT[],
    PRIMARY KEY (member_id, reason, minute)
);


-- Jobs: files, changes of many groups, and undoing. No foreign key leads to their environment: they are cleared away
-- after it.

CREATE TABLE IF NOT EXISTS job (
    id SERIAL PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    state job_state NOT NULL DEFAULT 'receiving',
    problem TEXT,
    actor_type actor_type NOT NULL,
    actor_id TEXT,
    actor_name TEXT NOT NULL,
    request_id TEXT,
    pieces_read INTEGER NOT NULL DEFAULT 0,
    creates INTEGER NOT NULL DEFAULT 0,
    changes INTEGER NOT NULL DEFAULT 0,
    same INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL DEFAULT 0,
    changed INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0,
    leased_by UUID,
    leased_until TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ended_at TIMESTAMPTZ(3),
    mode TEXT NOT NULL DEFAULT 'upsert',
    max_deletions TEXT,
    existing INTEGER NOT NULL DEFAULT 0,
    deletes INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    unnamed INTEGER NOT NULL DEFAULT 0,
    swept INTEGER NOT NULL DEFAULT 0,
    -- Without a file: what it undoes, and how many rows to expect.
    undoes INTEGER,
    expected INTEGER,
    -- What it does with its groups, the filter that chose them, whether it is applied without being asked, and whether
    -- it was ever applied.
    kind TEXT NOT NULL DEFAULT 'import' CONSTRAINT job_kind_check CHECK (kind IN ('import', 'change', 'undo')),
    change TEXT,
    applies BOOLEAN NOT NULL DEFAULT false,
    is_begun BOOLEAN NOT NULL DEFAULT false,
    restores INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS job_environment_id_id_idx ON job (environment_id, id);
CREATE INDEX IF NOT EXISTS job_state_id_idx ON job (state, id);

CREATE TABLE IF NOT EXISTS job_piece (
    job_id INTEGER REFERENCES job ON DELETE CASCADE ON UPDATE CASCADE,
    n INTEGER,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (job_id, n)
);
-- Read once, soon after they were written: not worth the time to compress them.
ALTER TABLE job_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE IF NOT EXISTS job_row (
    job_id INTEGER REFERENCES job ON DELETE CASCADE ON UPDATE CASCADE,
    line INTEGER,
    outcome job_outcome NOT NULL,
    provided_id TEXT COLLATE "C",
    name TEXT,
    mapping TEXT,
    properties TEXT,
    team_id INTEGER,
    version INTEGER,
    before TEXT,
    issues TEXT,
    state group_state,
    PRIMARY KEY (job_id, line)
);
CREATE INDEX IF NOT EXISTS job_row_job_id_outcome_line_idx ON job_row (job_id, outcome, line);
-- Whether a file names a group.
CREATE INDEX IF NOT EXISTS job_row_job_id_provided_id_idx ON job_row (job_id, provided_id);
-- An erasure removes what jobs hold of the group.
CREATE INDEX IF NOT EXISTS job_row_provided_id_idx ON job_row (provided_id);


-- Webhooks

CREATE TABLE IF NOT EXISTS webhook (
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
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    -- Who made it, which outlives its maker.
    maker_type actor_type,
    maker_id TEXT,
    maker_name TEXT
);
CREATE INDEX IF NOT EXISTS webhook_environment_id_id_idx ON webhook (environment_id, id);

-- What was sent, or waits to be sent again. Events that have not been tried yet are in the history alone.
CREATE TABLE IF NOT EXISTS webhook_delivery (
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
CREATE UNIQUE INDEX IF NOT EXISTS webhook_delivery_webhook_id_message_id_key
    ON webhook_delivery (webhook_id, message_id);
CREATE INDEX IF NOT EXISTS webhook_delivery_webhook_id_id_idx ON webhook_delivery (webhook_id, id);
CREATE INDEX IF NOT EXISTS webhook_delivery_webhook_id_next_at_idx ON webhook_delivery (webhook_id, next_at)
    WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS webhook_delivery_webhook_id_failed_idx ON webhook_delivery (webhook_id, id)
    WHERE state = 'failed';
CREATE INDEX IF NOT EXISTS webhook_delivery_team_id_idx ON webhook_delivery (team_id);


-- What the service itself keeps

CREATE TABLE IF NOT EXISTS idempotency_key (
    actor TEXT,
    key TEXT,
    body_digest BYTEA NOT NULL,
    answer_sealed BYTEA,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    PRIMARY KEY (actor, key)
);
CREATE INDEX IF NOT EXISTS idempotency_key_created_at_idx ON idempotency_key (created_at);

-- viewers_sealed is the key of viewers' hashes. It is random and a rekey keeps it: with another one all blocks would be
-- lifted.
CREATE TABLE IF NOT EXISTS secret_key (
    id TEXT PRIMARY KEY,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    viewers_sealed BYTEA
);

-- Counts for limits per minute, until `expire` in milliseconds. Not in the write-ahead log: a crash may empty it, and
-- then a minute is counted anew.
CREATE UNLOGGED TABLE IF NOT EXISTS rate_count (
    key VARCHAR(255) PRIMARY KEY,
    points INTEGER NOT NULL DEFAULT 0,
    expire BIGINT
);
CREATE INDEX IF NOT EXISTS rate_count_expire_idx ON rate_count (expire);


-- History: only added to, and in a partition for each month, so that a month can be dropped. No foreign key: entries
-- outlive what they tell of.

-- Ids are not in the order of commits: the feed goes by (epoch, xid, id), and shows what is below the oldest running
-- transaction.
CREATE TABLE IF NOT EXISTS audit_entry (
    id BIGSERIAL,
    at TIMESTAMPTZ(3) DEFAULT transaction_timestamp(),
    environment_id INTEGER,
    team_id INTEGER,
    action TEXT NOT NULL,
    actor_type actor_type NOT NULL,
    actor_id TEXT,
    actor_name TEXT NOT NULL,
    request_id TEXT,
    before TEXT,
    after TEXT,
    ended_token BYTEA,
    xid BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    epoch INTEGER NOT NULL DEFAULT 2,
    PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE INDEX IF NOT EXISTS audit_entry_environment_id_id_idx ON audit_entry (environment_id, id);
CREATE INDEX IF NOT EXISTS audit_entry_team_id_id_idx ON audit_entry (team_id, id);
CREATE INDEX IF NOT EXISTS audit_entry_actor_type_actor_id_id_idx ON audit_entry (actor_type, actor_id, id);
CREATE INDEX IF NOT EXISTS audit_entry_action_id_idx ON audit_entry (action, id);
CREATE INDEX IF NOT EXISTS audit_entry_at_idx ON audit_entry (at);
-- Whose token this was, and when it stopped.
CREATE INDEX IF NOT EXISTS audit_entry_ended_token_idx ON audit_entry (ended_token, id) WHERE ended_token IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_entry_environment_id_epoch_xid_id_idx ON audit_entry (environment_id, epoch, xid, id);
CREATE OR REPLACE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
SELECT make_audit_partitions();


-- Transaction numbers restart when a dump is restored into another cluster. Then the epoch rises, so that new entries
-- follow the old. Entries of 0.9.0 may come from several clusters: they are in an epoch of their own, which is over.
CREATE TABLE IF NOT EXISTS feed_epoch (
    epoch INTEGER PRIMARY KEY,
    system_identifier TEXT NOT NULL,
    began_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);
INSERT INTO feed_epoch (epoch, system_identifier)
SELECT epoch, identifier
FROM (SELECT 1, 'unknown' UNION ALL SELECT 2, system_identifier::text FROM pg_control_system()) AS f (epoch, identifier)
WHERE NOT EXISTS (SELECT FROM feed_epoch);

-- The last place in each environment's feed that was dropped with a month of its history: a consumer that had read this
-- far continues. Environment 0 is for entries without one.
CREATE TABLE IF NOT EXISTS history_dropped (
    environment_id INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    xid BIGINT NOT NULL,
    id BIGINT NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL
);
