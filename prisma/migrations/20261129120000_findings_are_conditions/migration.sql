-- Findings are conditions of lists: what is kept is how many groups each had at the last check.
DROP TABLE group_finding, finding_state;
CREATE TABLE findings (
    environment_id INTEGER NOT NULL PRIMARY KEY REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    definitions_version INTEGER,
    checked_at TIMESTAMPTZ(3),
    next_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    claimed_until TIMESTAMPTZ(3),
    result TEXT
);

-- An id as it looks: without characters that have no glyph, in compatible forms, in lower case.
CREATE FUNCTION id_skeleton(id TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN id ~ '^[-a-z0-9_.:/@]*$' THEN id ELSE lower(normalize(regexp_replace(id,
        U&'[\00AD\034F\061C\115F\1160\17B4\17B5\180B-\180F\200B-\200F\202A-\202E\2060-\206F\2800\3164\FE00-\FE0F\FEFF\FFA0\FFF0-\FFFB\+01BCA0-\+01BCA3\+01D159\+01D173-\+01D17A\+0E0000-\+0E0FFF]',
        '', 'g'), NFKC)) END
$$;

-- As it is, without the lists of findings: it keeps its owner and its privileges.
DO $$
BEGIN
    EXECUTE regexp_replace(pg_get_functiondef('erase_group(integer,integer)'::regprocedure),
        '\n[^\n]*?The lease''s row orders.*?(?=\n[^\n]*?group_use_month)', '');
END $$;
