-- A group can get another id. Its former one stays reserved for a while: a page view with it creates no second group.
CREATE TABLE reserved_id (
    environment_id INTEGER NOT NULL REFERENCES environment (id) ON DELETE CASCADE ON UPDATE CASCADE,
    provided_id TEXT COLLATE "C" NOT NULL,
    team_id INTEGER NOT NULL,
    until TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT reserved_id_pkey PRIMARY KEY (environment_id, provided_id)
);
CREATE INDEX reserved_id_team_id_idx ON reserved_id (team_id);
CREATE INDEX reserved_id_until_idx ON reserved_id (until);

DROP TRIGGER user_group_stays ON user_group;
CREATE OR REPLACE FUNCTION refuse_group_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a user group never changes its environment or its number';
END $$;
CREATE TRIGGER user_group_stays BEFORE UPDATE OF environment_id, team_id ON user_group
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_group_move();

-- Statements leave out reserved ids. One that began before a rename, and waited for it at the unique index, does not
-- see the reservation; this sees it, with a snapshot of its own, and has the statement repeated. A token is sealed for
-- its group's id: whatever a statement says, no id changes without it.
CREATE FUNCTION refuse_reserved_id() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER user_group_reserved AFTER INSERT OR UPDATE OF provided_id ON user_group
    FOR EACH ROW EXECUTE FUNCTION refuse_reserved_id();

CREATE OR REPLACE FUNCTION change_group_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE group_search
    SET provided_id = NEW.provided_id, sort_name = lower(NEW.name),
        search_text = to_search_text(NEW.name || E'\n' || (NEW.provided_id COLLATE "default")),
        properties = NEW.properties::jsonb, updated_at = NEW.updated_at
    WHERE environment_id = NEW.environment_id AND team_id = NEW.team_id;
    RETURN NULL;
END $$;
-- A rename in the transaction of another change sets nothing else that differs.
CREATE TRIGGER user_group_search_rename AFTER UPDATE OF provided_id ON user_group FOR EACH ROW
    EXECUTE FUNCTION change_group_search();

-- Rows of jobs have the id that the group had then.
DO $$
BEGIN
    EXECUTE replace(replace(replace(replace(pg_get_functiondef('erase_group(integer,integer)'::regprocedure),
        'erased_id TEXT', 'erased_ids TEXT[]'),
        'RETURNING d.provided_id INTO erased_id', 'RETURNING ARRAY[d.provided_id] INTO erased_ids'),
        'r.provided_id = erased_id', 'r.provided_id = ANY (erased_ids)'),
        'PERFORM set_config(''user_groups.erases'', ''on'', true);',
        'WITH freed AS (
        DELETE FROM reserved_id i WHERE i.environment_id = environment AND i.team_id = team RETURNING i.provided_id
    )
    SELECT erased_ids || array_agg(freed.provided_id) INTO erased_ids FROM freed;
    PERFORM set_config(''user_groups.erases'', ''on'', true);');
END $$;
