-- The schema of version 0.9.0. Later migrations only add to it.
-- In order: enumerations, tables by subject, what guards them, the history's partitions, and the first rows.

-- Search by part of a name or an id. Any role that may create in the database can install this extension.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TYPE environment_tag AS ENUM ('Customer', 'Testing');
CREATE TYPE access AS ENUM ('read', 'write');
CREATE TYPE group_state AS ENUM ('active', 'suspended');
CREATE TYPE actor_type AS ENUM ('api_token', 'member', 'operator', 'visitor');
-- In descending order of what they may do: require_author compares them.
CREATE TYPE role AS ENUM ('owner', 'admin', 'viewer');
CREATE TYPE link_purpose AS ENUM ('setup', 'invite', 'reset_password');
CREATE TYPE import_state AS ENUM ('uploading', 'checking', 'checked', 'applying', 'done', 'cancelled', 'failed');
CREATE TYPE import_outcome AS ENUM ('create', 'change', 'same', 'error', 'created', 'changed', 'skipped');

-- transaction_timestamp() is now() by a name that Prisma leaves to the database: it fills in now() itself, by the clock of its own machine.


-- Environments and API tokens

CREATE TABLE environment (
    id SERIAL PRIMARY KEY,
    slug TEXT NOT NULL CONSTRAINT environment_slug_check CHECK (slug ~ '^[a-z][a-z0-9-]{0,39}$'),
    name TEXT NOT NULL,
    tag environment_tag NOT NULL,
    embed_template TEXT CONSTRAINT environment_embed_template_check CHECK (octet_length(embed_template) <= 16384),
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);
CREATE UNIQUE INDEX environment_slug_key ON environment (slug);

CREATE TABLE api_token (
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
    last_used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX api_token_token_index_key ON api_token (token_index);
CREATE INDEX api_token_environment_id_idx ON api_token (environment_id);
CREATE INDEX api_token_created_by_id_idx ON api_token (created_by_id);


-- User groups

-- Ids sort bytewise, and their indexes do not depend on the locale of the cluster.
-- Lengths are tested first: a cast to json of what is too long would cost for nothing.
CREATE TABLE user_group (
    team_id SERIAL PRIMARY KEY,
    environment_id INTEGER NOT NULL REFERENCES environment ON DELETE RESTRICT ON UPDATE CASCADE,
    provided_id TEXT COLLATE "C" NOT NULL CONSTRAINT user_group_provided_id_check CHECK (char_length(provided_id) BETWEEN 1 AND 255),
    name TEXT NOT NULL CONSTRAINT user_group_name_check CHECK (char_length(name) BETWEEN 1 AND 255),
    mapping TEXT NOT NULL DEFAULT '{}' CONSTRAINT user_group_mapping_check CHECK (
        CASE WHEN octet_length(mapping) <= 65536 THEN json_typeof(mapping::json) = 'object' ELSE false END
    ),
    properties TEXT CONSTRAINT user_group_properties_check CHECK (
        CASE WHEN octet_length(properties) <= 65536 THEN json_typeof(properties::json) = 'object' ELSE properties IS NULL END
    ),
    token_index BYTEA NOT NULL CONSTRAINT user_group_token_index_check CHECK (octet_length(token_index) = 32),
    token_sealed BYTEA NOT NULL,
    state group_state NOT NULL DEFAULT 'active',
    access_ends_at TIMESTAMPTZ(3),
    version INTEGER NOT NULL DEFAULT 1,
    gen INTEGER NOT NULL DEFAULT 1,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    rotated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX user_group_token_index_key ON user_group (token_index);
CREATE UNIQUE INDEX user_group_environment_id_provided_id_key ON user_group (environment_id, provided_id);
CREATE INDEX user_group_environment_id_team_id_idx ON user_group (environment_id, team_id);
CREATE INDEX user_group_environment_id_updated_at_team_id_idx ON user_group (environment_id, updated_at, team_id);

-- Names sort without regard to case, and bytewise beyond that: no update of a locale library reorders them under the index.
CREATE INDEX user_group_sort_name_idx ON user_group (environment_id, (lower(name) COLLATE "C"), team_id);
-- Whether a search reads on in order or sorts all that it finds depends on how many the planner expects. By the usual sample of a
-- hundred names what one in a hundred has is in it by chance.
ALTER INDEX user_group_sort_name_idx ALTER COLUMN 2 SET STATISTICS 400;

CREATE TABLE deleted_group (
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
    deleted_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX deleted_group_deleted_at_idx ON deleted_group (deleted_at);

CREATE TABLE group_use (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    last_used_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX group_use_environment_id_last_used_at_team_id_idx ON group_use (environment_id, last_used_at, team_id);

CREATE TABLE group_search (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    provided_id TEXT COLLATE "C" NOT NULL,
    sort_name TEXT COLLATE "C" NOT NULL,
    search_text TEXT COLLATE "C" NOT NULL,
    properties JSONB,
    updated_at TIMESTAMPTZ(3) NOT NULL
);
ALTER TABLE group_search ALTER COLUMN sort_name SET STATISTICS 400;
-- The service clears the lists of entries that wait to be sorted in each half second: a change does only where that is too seldom,
-- so there is room for what comes in between.
CREATE INDEX group_search_search_text_idx ON group_search USING GIN (search_text gin_trgm_ops) WITH (gin_pending_list_limit = 4096);
CREATE INDEX group_search_properties_idx ON group_search USING GIN (properties jsonb_path_ops) WITH (gin_pending_list_limit = 4096);

-- A group stays in its environment, under its id: whatever a statement says that should not.
CREATE FUNCTION refuse_group_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a user group never changes its environment, its id or its number';
END $$;

CREATE TRIGGER user_group_stays BEFORE UPDATE OF environment_id, provided_id, team_id ON user_group
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_group_move();

-- Every group has its row of use from the first, so that those which were never used are a range of an index as well. A group that
-- is restored still has the one it had.
CREATE FUNCTION begin_group_use() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO group_use (team_id, environment_id, last_used_at)
    SELECT team_id, environment_id, '-infinity' FROM created ON CONFLICT (team_id) DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER user_group_use AFTER INSERT ON user_group REFERENCING NEW TABLE AS created
    FOR EACH STATEMENT EXECUTE FUNCTION begin_group_use();

-- What is not ASCII stands in it as octal escapes: which letters have trigrams depends on the locale of the cluster otherwise, and
-- in the locale C none has that is not ASCII.
CREATE FUNCTION to_search_text(said TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(decode(replace(lower(said), '\', '\\'), 'escape'), 'escape')
$$;

-- By triggers: whatever statement writes a group, and of whatever release, lists find it as it is. Neither names nor ids hold a line feed.
CREATE FUNCTION begin_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO group_search (team_id, environment_id, provided_id, sort_name, search_text, properties, updated_at)
    SELECT team_id, environment_id, provided_id, lower(name),
        to_search_text(name || E'\n' || (provided_id COLLATE "default")), properties::jsonb, updated_at
    FROM created;
    RETURN NULL;
END $$;

CREATE FUNCTION change_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE group_search
    SET sort_name = lower(NEW.name), search_text = to_search_text(NEW.name || E'\n' || (NEW.provided_id COLLATE "default")),
        properties = NEW.properties::jsonb, updated_at = NEW.updated_at
    WHERE environment_id = NEW.environment_id AND team_id = NEW.team_id;
    RETURN NULL;
END $$;

CREATE FUNCTION end_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM group_search s USING deleted d WHERE s.environment_id = d.environment_id AND s.team_id = d.team_id;
    RETURN NULL;
END $$;

CREATE TRIGGER user_group_search_insert AFTER INSERT ON user_group REFERENCING NEW TABLE AS created
    FOR EACH STATEMENT EXECUTE FUNCTION begin_group_search();

CREATE TRIGGER user_group_search_update AFTER UPDATE OF name, properties, updated_at ON user_group FOR EACH ROW
    WHEN ((OLD.name, OLD.properties, OLD.updated_at) IS DISTINCT FROM (NEW.name, NEW.properties, NEW.updated_at))
    EXECUTE FUNCTION change_group_search();

CREATE TRIGGER user_group_search_delete AFTER DELETE ON user_group REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION end_group_search();

-- PostgreSQL lets the owner of an index alone clear its pending list, and the role that serves is not the owner: it may do this much.
CREATE FUNCTION clean_pending_lists() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    SELECT gin_clean_pending_list('group_search_search_text_idx'), gin_clean_pending_list('group_search_properties_idx')
$$;


-- Members: better-auth's tables under names of ours, and links that let somebody in once

CREATE TABLE member (
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
CREATE UNIQUE INDEX member_email_key ON member (email);

CREATE TABLE session (
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
CREATE UNIQUE INDEX session_token_key ON session (token);
CREATE INDEX session_member_id_idx ON session (member_id);
CREATE INDEX session_expires_at_idx ON session (expires_at);
CREATE INDEX session_signed_in_at_idx ON session (signed_in_at);

CREATE TABLE account (
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
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX account_provider_id_account_id_key ON account (provider_id, account_id);
-- A member has one account at a provider.
CREATE UNIQUE INDEX account_member_id_provider_id_key ON account (member_id, provider_id);

CREATE TABLE verification (
    id TEXT PRIMARY KEY,
    identifier TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX verification_identifier_idx ON verification (identifier);

CREATE TABLE two_factor (
    id TEXT PRIMARY KEY,
    member_id TEXT NOT NULL REFERENCES member ON DELETE CASCADE ON UPDATE CASCADE,
    secret TEXT NOT NULL,
    backup_codes TEXT NOT NULL,
    verified BOOLEAN DEFAULT true,
    failed_verification_count INTEGER DEFAULT 0,
    locked_until TIMESTAMPTZ(3)
);
CREATE INDEX two_factor_member_id_idx ON two_factor (member_id);

CREATE TABLE one_time_link (
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
CREATE UNIQUE INDEX one_time_link_digest_key ON one_time_link (digest);
CREATE INDEX one_time_link_member_id_idx ON one_time_link (member_id);
CREATE INDEX one_time_link_created_by_id_idx ON one_time_link (created_by_id);
CREATE INDEX one_time_link_expires_at_idx ON one_time_link (expires_at);

CREATE TABLE sign_in_attempt (
    account BYTEA PRIMARY KEY,
    failures INTEGER NOT NULL DEFAULT 1,
    last_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX sign_in_attempt_last_at_idx ON sign_in_attempt (last_at);

CREATE TABLE sign_in_failure (
    member_id TEXT,
    reason TEXT,
    minute TIMESTAMPTZ(3),
    attempts INTEGER NOT NULL DEFAULT 0,
    addresses TEXT[] DEFAULT ARRAY[]::TEXT[],
    PRIMARY KEY (member_id, reason, minute)
);


-- Imports. No foreign key leads to their environment: they are cleared away after it.

CREATE TABLE import (
    id SERIAL PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    file_name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    state import_state NOT NULL DEFAULT 'uploading',
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
    ended_at TIMESTAMPTZ(3)
);
CREATE INDEX import_environment_id_id_idx ON import (environment_id, id);
CREATE INDEX import_state_id_idx ON import (state, id);

CREATE TABLE import_piece (
    import_id INTEGER REFERENCES import ON DELETE CASCADE ON UPDATE CASCADE,
    n INTEGER,
    bytes BYTEA NOT NULL,
    PRIMARY KEY (import_id, n)
);
-- Read once, soon after they were written: not worth the time to compress them.
ALTER TABLE import_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE import_row (
    import_id INTEGER REFERENCES import ON DELETE CASCADE ON UPDATE CASCADE,
    line INTEGER,
    outcome import_outcome NOT NULL,
    provided_id TEXT COLLATE "C",
    name TEXT,
    mapping TEXT,
    properties TEXT,
    team_id INTEGER,
    version INTEGER,
    before TEXT,
    issues TEXT,
    PRIMARY KEY (import_id, line)
);
CREATE INDEX import_row_import_id_outcome_line_idx ON import_row (import_id, outcome, line);


-- What the service itself keeps

CREATE TABLE idempotency_key (
    actor TEXT,
    key TEXT,
    body_digest BYTEA NOT NULL,
    answer_sealed BYTEA,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    PRIMARY KEY (actor, key)
);
CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE TABLE secret_key (
    id TEXT PRIMARY KEY,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp()
);

-- Not in the write-ahead log: a crash may empty it, and then a minute is counted anew.
CREATE UNLOGGED TABLE rate_count (
    key VARCHAR(255) PRIMARY KEY,
    points INTEGER NOT NULL DEFAULT 0,
    expire BIGINT
);
CREATE INDEX rate_count_expire_idx ON rate_count (expire);


-- History: only added to, and in a partition for each month, so that a month can be dropped. No foreign key: entries outlive what they tell of.

-- Ids are not in the order of commits. A feed goes by (epoch, xid, id), and shows what is below the oldest running transaction. It has no
-- index yet: which columns its index begins with is for the feed to say, every change would pay for it until then, and months that
-- are over can be indexed without keeping anybody waiting.
CREATE TABLE audit_entry (
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
    epoch INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
CREATE INDEX audit_entry_environment_id_id_idx ON audit_entry (environment_id, id);
CREATE INDEX audit_entry_team_id_id_idx ON audit_entry (team_id, id);
CREATE INDEX audit_entry_actor_type_actor_id_id_idx ON audit_entry (actor_type, actor_id, id);
CREATE INDEX audit_entry_action_id_idx ON audit_entry (action, id);
CREATE INDEX audit_entry_at_idx ON audit_entry (at);
-- Whose token this was, and when it stopped.
CREATE INDEX audit_entry_ended_token_idx ON audit_entry (ended_token, id) WHERE ended_token IS NOT NULL;

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_entry is append-only' USING ERRCODE = 'insufficient_privilege',
        HINT = 'To prune it as its owner, drop the partition of a month, such as audit_entry_2026_11.';
END
$$;

CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Makes the partitions of the month before, in case a clock is set back, of this month, and of the 13 to come. The service calls it at each
-- start and once a day: an entry without a partition, and the change that it is of, would be refused. The role that serves may make
-- no table, so this runs as the owner, and nothing that its caller chooses reaches a statement.
-- A table is made first and attached then, which holds up neither readers nor writers, as PARTITION OF would. Privileges that new
-- tables get by default are taken away from it: entries are written and read through audit_entry alone.
CREATE FUNCTION make_audit_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    place TEXT := (SELECT relnamespace::regnamespace FROM pg_class WHERE oid = 'audit_entry'::regclass);
    first TIMESTAMP;
    partition TEXT;
    grantee TEXT;
BEGIN
    FOR first IN
        SELECT date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n) FROM generate_series(-1, 13) AS n
    LOOP
        partition := to_char(first, '"audit_entry_"YYYY"_"MM');
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        -- One at a time; whoever waited here finds it made.
        LOCK TABLE ONLY audit_entry IN SHARE UPDATE EXCLUSIVE MODE;
        CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = partition AND relnamespace = place::regnamespace);
        partition := format('%s.%I', place, partition);
        EXECUTE format('CREATE TABLE %s (LIKE audit_entry INCLUDING DEFAULTS)', partition);
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
            to_char(first, 'YYYY-MM-DD"T00:00:00Z"'), to_char(first + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"'));
    END LOOP;
END $$;


-- Who may change something

-- A change checks its author where it is made, and holds this lock of the author until its transaction ends. Whatever takes authority
-- away waits for that lock, below: once it has returned, no change that was under way can still commit.
-- In READ COMMITTED each query of a volatile function has a snapshot of its own, so this sees what was committed while it waited.
-- Without a session the member's role alone counts. An operator may do everything.
CREATE FUNCTION require_author(kind actor_type, author TEXT, author_session TEXT, environment INTEGER, needed role)
RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
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

-- By triggers: nothing that takes authority away, better-auth's own statements included, can forget to wait.
CREATE FUNCTION await_author() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext(TG_ARGV[0]), hashtext(OLD.id::text));
    RETURN NULL;
END $$;

CREATE TRIGGER api_token_author AFTER UPDATE OF environment_id, access, expires_at, revoked_at OR DELETE ON api_token FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND (OLD.expires_at IS NULL OR OLD.expires_at > now()))
    EXECUTE FUNCTION await_author('api_token');

CREATE TRIGGER member_author AFTER UPDATE OF role, disabled_at OR DELETE ON member FOR EACH ROW
    WHEN (OLD.disabled_at IS NULL)
    EXECUTE FUNCTION await_author('member');

CREATE TRIGGER session_author AFTER DELETE ON session FOR EACH ROW
    WHEN (OLD.expires_at > now())
    EXECUTE FUNCTION await_author('session');


-- What runs as the owner finds the tables of this schema alone, and is for the role that serves alone: lib/db/privileges.ts grants it.
DO $$
DECLARE
    signature TEXT;
BEGIN
    FOREACH signature IN ARRAY ARRAY['clean_pending_lists()', 'make_audit_partitions()'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', signature, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
END $$;


-- The first rows

SELECT make_audit_partitions();

INSERT INTO environment (slug, name, tag) VALUES ('production', 'Production', 'Customer'), ('testing', 'Testing', 'Testing');
