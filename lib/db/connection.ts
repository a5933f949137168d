import pg from "pg";
import { leadsToPgBouncer } from "@/lib/config/database-url";
import { isSuitable, optionsOf, REQUIRED, type Settings } from "@/lib/db/session-settings";
import { plainError, StartError } from "@/lib/errors";

export interface ConnectionConfig extends pg.ClientConfig {
  /** for this session, in addition to those of every session */
  settings?: Settings;
}

/**
 * A connection whose settings do not depend on the role, database or server: the service opens no other. PgBouncer
 * refuses settings at login, so {@link requireSettings} reads them there.
 */
export class Connection extends pg.Client {
  constructor(config: ConnectionConfig = {}) {
    super(config);
    // The next statement reports a lost connection; without a listener it would end the process.
    this.on("error", () => undefined);
    if (leadsToPgBouncer(config.connectionString ?? "")) return;
    const { connectionParameters } = this as unknown as { connectionParameters: { options?: string } };
    connectionParameters.options = optionsOf(connectionParameters.options, config.settings ?? {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
    if (callback) return super.connect((error, client) => callback(error && plainError(error), client)) as undefined;
    return super.connect().catch((error: Error) => Promise.reject(plainError(error)));
  }
}

const READ = `
  SELECT name, pg_catalog.current_setting(name, true) AS setting,
    pg_catalog.format('ALTER ROLE %I IN DATABASE %I', session_user, pg_catalog.current_database()) AS alter
  FROM pg_catalog.unnest($1::pg_catalog.text[]) AS asked(name)`;

export const UNTOLD_PGBOUNCER =
  "DATABASE_URL points to PgBouncer. Add ?pgbouncer=true to it, and set DATABASE_OWNER_URL to PostgreSQL itself.";
/** A setting of ours, sent at login; no server defines it. */
const OURS = "user_groups.erases";

/**
 * Refuses a session whose settings would change answers.
 * @throws {StartError} that names the settings and the statements to run
 */
export async function requireSettings(client: pg.ClientBase, url: string) {
  const names = Object.keys(REQUIRED);
  const { rows } = await client.query<{ name: string; setting: string | null; alter: string }>(READ, [names]);
  // A pooler may drop settings sent at login.
  const isDropped = rows.some(({ name, setting }) => name === OURS && setting === null);
  if (isDropped && !leadsToPgBouncer(url)) throw new StartError(UNTOLD_PGBOUNCER);
  // Null: the server does not have this setting.
  const wrong = rows.filter(({ name, setting }) => setting !== null && !isSuitable(name, setting));
  if (wrong.length === 0) return;
  const found = wrong.map(({ name, setting }) => `${name} = '${setting}'`);
  const mends = wrong.map(({ name, alter }) => `${alter} SET ${name} = '${REQUIRED[name]}';`);
  throw new StartError(
    `DATABASE_URL's sessions have settings that the service does not support: ${found.join(", ")}. ` +
      `Run ${mends.join(" ")} ` +
      "Then run RECONNECT on PgBouncer's console, if you use it, and start again.",
  );
}
