-- What every group of an environment must have; an environment without a row has version 0, which asks for nothing.
CREATE TABLE definitions (
    environment_id INTEGER PRIMARY KEY REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT definitions_document_check CHECK (document::json IS NOT NULL AND left(document, 1) = '{')
);

-- A write that was checked against a version of the definitions keeps it current until it commits: PUT /api/definitions takes the
-- same lock exclusively. So nothing that new definitions refuse is written after them.
CREATE FUNCTION require_definitions(environment INTEGER, known INTEGER) RETURNS VOID LANGUAGE plpgsql VOLATILE STRICT AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtext('definitions'), environment);
    IF coalesce((SELECT d.version FROM definitions d WHERE d.environment_id = environment), 0) <> known THEN
        RAISE EXCEPTION USING ERRCODE = 'UGD01', MESSAGE = 'the definitions of the environment have changed';
    END IF;
END $$;
