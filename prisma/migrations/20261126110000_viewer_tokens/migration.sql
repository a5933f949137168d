-- Viewer tokens: signed, short-lived, verifiable without this service.

-- viewer_version rises with every change of the keys and settings: the statement that reads a group for a viewer token returns it,
-- so that no instance signs with a key or setting that has just been changed on another.
ALTER TABLE environment
    ADD COLUMN viewer_settings TEXT,
    ADD COLUMN allowed_origins TEXT[],
    ADD COLUMN viewer_version INTEGER NOT NULL DEFAULT 1;
-- Null means the environment's.
ALTER TABLE user_group ADD COLUMN allowed_origins TEXT[];
ALTER TABLE deleted_group ADD COLUMN allowed_origins TEXT[];

CREATE TABLE viewer_key (
    kid TEXT PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    template TEXT,
    private_sealed BYTEA NOT NULL,
    public_jwk TEXT NOT NULL,
    published_at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    signs_from TIMESTAMPTZ(3) NOT NULL,
    ends_at TIMESTAMPTZ(3),
    revoked_at TIMESTAMPTZ(3),
    CONSTRAINT viewer_key_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_key_environment_id_idx ON viewer_key (environment_id);

-- The last revocation of each group. A poller's place is a transaction id: times and ids of rows are not in commit order.
CREATE TABLE viewer_revocation (
    team_id INTEGER PRIMARY KEY,
    environment_id INTEGER NOT NULL,
    gen INTEGER NOT NULL,
    at TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    xid BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint
);
CREATE INDEX viewer_revocation_environment_id_xid_team_id_idx ON viewer_revocation (environment_id, xid, team_id);
CREATE INDEX viewer_revocation_at_idx ON viewer_revocation (at);

-- By triggers, so that no statement that raises gen can forget it.
CREATE FUNCTION note_viewer_revocation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO viewer_revocation AS r (team_id, environment_id, gen) VALUES (NEW.team_id, NEW.environment_id, NEW.gen)
    ON CONFLICT (team_id) DO UPDATE SET gen = greatest(r.gen, excluded.gen), at = excluded.at, xid = excluded.xid;
    RETURN NULL;
END $$;

CREATE TRIGGER user_group_views_end AFTER UPDATE OF gen ON user_group FOR EACH ROW
    WHEN (NEW.gen > OLD.gen) EXECUTE FUNCTION note_viewer_revocation();
CREATE TRIGGER user_group_views_end_restored AFTER INSERT ON user_group FOR EACH ROW
    WHEN (NEW.gen > 1) EXECUTE FUNCTION note_viewer_revocation();
CREATE TRIGGER deleted_group_views_end AFTER INSERT ON deleted_group FOR EACH ROW
    EXECUTE FUNCTION note_viewer_revocation();
