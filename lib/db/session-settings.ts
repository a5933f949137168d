/** Settings of a PostgreSQL session by name; times in milliseconds. */
export type Settings = Readonly<Record<string, string | number>>;

/** Sent at login after a URL's own `options`: the service's statements assume these values. */
export const FIXED: Settings = {
  // How values are written and read.
  array_nulls: "on",
  bytea_output: "hex",
  DateStyle: "ISO, MDY",
  extra_float_digits: 1,
  IntervalStyle: "postgres",
  quote_all_identifiers: "off",
  standard_conforming_strings: "on",
  // Prisma's adapter drops the offset of an instant.
  TimeZone: "UTC",
  // Prisma looks there, whatever this setting says.
  search_path: "public",
  // What statements do.
  default_transaction_isolation: "read committed",
  exit_on_error: "off",
  gin_fuzzy_search_limit: 0,
  transform_null_equals: "off",
  // Set by our own functions while they change the history.
  "user_groups.erases": "off",
};

/** Also sent, unless a connection sets its own limits. */
export const UNLIMITED: Settings = {
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
  lock_timeout: 0,
  statement_timeout: 0,
};

/** PostgreSQL's own limits on a request's session: it must not keep locks for a client that has given up. */
export const REQUEST_LIMITS: Settings = {
  statement_timeout: 900,
  lock_timeout: 800,
  idle_in_transaction_session_timeout: 2_000,
};

/** Checked at startup, because PgBouncer drops settings sent at login. */
export const REQUIRED: Settings = {
  ...FIXED,
  // Not sent: only a superuser can set it.
  session_replication_role: "origin",
  // Not sent: the operator chooses which standbys a commit waits for.
  synchronous_commit: "on",
};

/** Other values that are acceptable in a session that could not send its own. */
const SUITABLE: Record<string, (setting: string) => boolean> = {
  // The order of day and month matters only for input, and ours is ISO.
  DateStyle: (style) => style.startsWith("ISO"),
  extra_float_digits: (digits) => Number(digits) >= 1,
  search_path: (path) => /^("?\$user"?, ?)?"?public"?$/.test(path),
  synchronous_commit: (mode) => mode !== "off",
  TimeZone: (zone) => /^(Etc\/)?(UTC|UCT|GMT|Zulu|Universal)$/i.test(zone),
  "user_groups.erases": (setting) => setting !== "on",
};

/** Whether the service's statements work as they should with this value of a {@link REQUIRED} setting. */
export function isSuitable(name: string, setting: string): boolean {
  return SUITABLE[name]?.(setting) ?? setting === String(REQUIRED[name]);
}

/** The `options` of a login (PostgreSQL, 34.1.2): our settings after those that a URL or PGOPTIONS gives. */
export function optionsOf(given: string | undefined, settings: Settings): string {
  const ours = Object.entries({ ...FIXED, ...UNLIMITED, ...settings }).map(
    ([name, value]) => `-c ${name}=${String(value).replace(/[\\\s]/g, "\\$&")}`,
  );
  return [...(given ? [given] : []), ...ours].join(" ");
}
