-- Whether a file names a group.
CREATE INDEX CONCURRENTLY import_row_import_id_provided_id_idx ON import_row (import_id, provided_id);
