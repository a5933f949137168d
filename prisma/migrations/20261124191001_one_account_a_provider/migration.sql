-- A member has one account at a provider. A unique index would refuse databases in which older releases linked several:
-- which of them is the member's own, only an owner knows.
CREATE FUNCTION "refuse_second_account"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM "member" WHERE "id" = NEW."member_id" FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM "account" WHERE "member_id" = NEW."member_id" AND "provider_id" = NEW."provider_id") THEN
        RAISE EXCEPTION 'this member has an account at this provider' USING ERRCODE = 'unique_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER "account_one_a_provider" BEFORE INSERT ON "account"
    FOR EACH ROW EXECUTE FUNCTION "refuse_second_account"();
