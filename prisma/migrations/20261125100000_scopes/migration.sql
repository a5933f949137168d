-- Scopes and networks of API tokens. Tokens without scopes are from before them: `access` says what they may do.
ALTER TABLE api_token
    ADD COLUMN scopes TEXT[] CONSTRAINT api_token_scopes_check CHECK (cardinality(scopes) BETWEEN 1 AND 64),
    ADD COLUMN allowed_networks TEXT[] NOT NULL DEFAULT '{}'
        CONSTRAINT api_token_allowed_networks_check CHECK (cardinality(allowed_networks) <= 50);

-- As require_author, by what an API token may do rather than by what its access was; of members it asks the role as ever.
CREATE FUNCTION require_scope(kind actor_type, author TEXT, author_session TEXT, environment INTEGER, scope TEXT, needed role)
RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
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
