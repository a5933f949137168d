-- A change checks its author where it is made, and holds this lock of the author until its transaction ends. Whatever takes authority
-- away waits for that lock, below: once it has returned, no change that was under way can still commit.
-- In READ COMMITTED each query of a volatile function has a snapshot of its own, so this sees what was committed while it waited.
-- Without a session the member's role alone counts. An operator may do everything.
CREATE FUNCTION "require_author"("kind" "actor_type", "author" TEXT, "author_session" TEXT, "environment" INTEGER, "needed" "role")
RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    "has_access" "access";
    "has_role" "role";
BEGIN
    IF "kind" = 'operator' THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext("kind"::text), hashtext("author"));
    IF "kind" = 'api_token' THEN
        SELECT t."access" INTO "has_access" FROM "api_token" t
        WHERE t."id" = "author"::int AND t."environment_id" = "environment" AND t."revoked_at" IS NULL
            AND (t."expires_at" IS NULL OR t."expires_at" > clock_timestamp());
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'UGT01', MESSAGE = 'the API token is no longer valid';
        ELSIF "has_access" <> 'write' AND "needed" <> 'viewer' THEN
            RAISE EXCEPTION USING ERRCODE = 'UGT03', MESSAGE = 'the API token may only read';
        END IF;
    ELSE
        IF "author_session" IS NOT NULL THEN
            PERFORM pg_advisory_xact_lock_shared(hashtext('session'), hashtext("author_session"));
        END IF;
        SELECT m."role" INTO "has_role" FROM "member" m
        WHERE m."id" = "author" AND m."disabled_at" IS NULL AND ("author_session" IS NULL OR EXISTS (
            SELECT FROM "session" s
            WHERE s."id" = "author_session" AND s."member_id" = m."id" AND s."expires_at" > clock_timestamp()));
        IF NOT FOUND THEN
            RAISE EXCEPTION USING ERRCODE = 'UGM01', MESSAGE = 'the member or the session is gone';
        ELSIF "has_role" > "needed" THEN
            RAISE EXCEPTION USING ERRCODE = 'UGM03', MESSAGE = 'the role of the member does not reach that far';
        END IF;
    END IF;
END $$;

-- By triggers: nothing that takes authority away, better-auth's own statements included, can forget to wait.
CREATE FUNCTION "await_author"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext(TG_ARGV[0]), hashtext(OLD."id"::text));
    RETURN NULL;
END $$;

CREATE TRIGGER "api_token_author" AFTER UPDATE OF "environment_id", "access", "expires_at", "revoked_at" OR DELETE ON "api_token" FOR EACH ROW
    WHEN (OLD."revoked_at" IS NULL AND (OLD."expires_at" IS NULL OR OLD."expires_at" > now()))
    EXECUTE FUNCTION "await_author"('api_token');

CREATE TRIGGER "member_author" AFTER UPDATE OF "role", "disabled_at" OR DELETE ON "member" FOR EACH ROW
    WHEN (OLD."disabled_at" IS NULL)
    EXECUTE FUNCTION "await_author"('member');

CREATE TRIGGER "session_author" AFTER DELETE ON "session" FOR EACH ROW
    WHEN (OLD."expires_at" > now())
    EXECUTE FUNCTION "await_author"('session');
