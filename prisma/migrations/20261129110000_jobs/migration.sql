-- Imports become jobs: files, changes of many groups, and undoing.
ALTER TABLE import RENAME TO job;
ALTER TABLE import_piece RENAME TO job_piece;
ALTER TABLE import_row RENAME TO job_row;
ALTER TABLE job RENAME COLUMN file_name TO name;
ALTER TABLE job_piece RENAME COLUMN import_id TO job_id;
ALTER TABLE job_row RENAME COLUMN import_id TO job_id;
ALTER SEQUENCE import_id_seq RENAME TO job_id_seq;
ALTER TABLE job RENAME CONSTRAINT import_pkey TO job_pkey;
ALTER TABLE job_piece RENAME CONSTRAINT import_piece_pkey TO job_piece_pkey;
ALTER TABLE job_piece RENAME CONSTRAINT import_piece_import_id_fkey TO job_piece_job_id_fkey;
ALTER TABLE job_row RENAME CONSTRAINT import_row_pkey TO job_row_pkey;
ALTER TABLE job_row RENAME CONSTRAINT import_row_import_id_fkey TO job_row_job_id_fkey;
ALTER INDEX import_environment_id_id_idx RENAME TO job_environment_id_id_idx;
ALTER INDEX import_state_id_idx RENAME TO job_state_id_idx;
ALTER INDEX import_row_import_id_outcome_line_idx RENAME TO job_row_job_id_outcome_line_idx;
ALTER INDEX import_row_provided_id_idx RENAME TO job_row_provided_id_idx;
ALTER INDEX import_row_import_id_provided_id_idx RENAME TO job_row_job_id_provided_id_idx;
ALTER TYPE import_state RENAME TO job_state;
ALTER TYPE job_state RENAME VALUE 'uploading' TO 'receiving';
ALTER TYPE import_outcome RENAME TO job_outcome;
ALTER TYPE job_outcome ADD VALUE 'restore';
ALTER TYPE job_outcome ADD VALUE 'restored';

-- What it does with its groups, the filter that chose them, whether it is applied without being asked, and whether it was ever applied.
ALTER TABLE job
    DROP CONSTRAINT import_mode_check,
    ADD COLUMN kind TEXT NOT NULL DEFAULT 'import' CONSTRAINT job_kind_check CHECK (kind IN ('import', 'change', 'undo')),
    ADD COLUMN change TEXT,
    ADD COLUMN applies BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN is_begun BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN restores INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN restored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job_row ADD COLUMN state group_state;
-- A fix of a finding is a change; one that has not ended is begun again.
UPDATE job SET state = 'failed', problem = 'The service was upgraded. Begin again to finish.', ended_at = now()
WHERE fix IS NOT NULL AND ended_at IS NULL;
UPDATE job SET kind = 'change', mode = 'merge', change = '{}' WHERE fix IS NOT NULL;
ALTER TABLE job DROP COLUMN fix;
UPDATE job SET kind = 'undo' WHERE undoes IS NOT NULL;
UPDATE job SET is_begun = true WHERE state IN ('applying', 'done');

-- As it is, with the new names: it keeps its owner and its privileges.
DO $$
BEGIN
    EXECUTE regexp_replace(regexp_replace(regexp_replace(pg_get_functiondef('erase_group(integer,integer)'::regprocedure),
        '\mimport_row\M', 'job_row', 'g'), '\mimport_id\M', 'job_id', 'g'), '\m(FROM|USING) import i\M', '\1 job i', 'g');
END $$;
