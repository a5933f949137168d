/** Selects `since`, from when on entries are kept: months are dropped whole, and the oldest that is left names the time. */
export const OLDEST_MONTH = `
  SELECT min((translate(substring(relname FROM '\\d{4}_\\d{2}$'), '_', '-') || '-01T00:00:00Z')::timestamptz) AS since
  FROM pg_inherits JOIN pg_class partition ON partition.oid = inhrelid WHERE inhparent = 'audit_entry'::regclass AND NOT inhdetachpending`;
