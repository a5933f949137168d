-- The command `events` keeps its place in a file.
DROP TABLE audit_log_reader;
