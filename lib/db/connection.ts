import pg from "pg";
import { parameterOf } from "@/lib/config/database-url";
import { leadsToPgBouncer } from "@/lib/config/pgbouncer";
import { isSuitable, optionsOf, REQUIRED, type Settings } from "@/lib/db/session-settings";
import { StartError } from "@/lib/errors";

export interface ConnectionConfig extends pg.ClientConfig {
  /** of this session, besides those of every session */
  settings?: Settings;
}

/**
 * A connection whose settings do not depend on the role, database or server: the service opens no other. PgBouncer refuses
 * settings at login, so {@link requireSettings} reads them there.
 */
export class Connection extends pg.Client {
  constructor(config: ConnectionConfig = {}) {
    super(config);
    if (leadsToPgBouncer(config.connectionString ?? "")) return;
    const { connectionParameters } = this as unknown as { connectionParameters: { options?: string } };
    connectionParameters.options = optionsOf(connectionParameters.options, config.settings ?? {});
  }
}

const READ = `
  SELECT name, pg_catalog.current_setting(name, true) AS setting,
    pg_catalog.format('ALTER ROLE %I IN DATABASE %I', session_user, pg_catalog.current_database()) AS alter
  FROM pg_catalog.unnest($1::pg_catalog.text[]) AS asked(name)`;

/**
 * Refuses a session whose settings would change answers; the `options` of the given URLs may choose the schema.
 * @throws {StartError} that names the settings and the statements to run
 */
export async function requireSettings(client: pg.ClientBase, ...urls: string[]) {
  const choosesSchema = urls.some((url) => parameterOf(url, "options"));
  const names = Object.keys(REQUIRED).filter((name) => name !== "search_path" || !choosesSchema);
  const { rows } = await client.query<{ name: string; setting: string | null; alter: string }>(READ, [names]);
  // The server does not know a setting that is null.
  const wrong = rows.filter(({ name, setting }) => setting !== null && !isSuitable(name, setting));
  if (wrong.length === 0) return;
  const found = wrong.map(({ name, setting }) => `${name} = '${setting}'`);
  const mends = wrong.map(({ name, alter }) => {
    const value = String(REQUIRED[name]);
    return `${alter} SET ${name} = ${name === "search_path" ? value : `'${value}'`};`;
  });
  throw new StartError(
    `The sessions of DATABASE_URL have ${found.join(" and ")}, which would change answers: run ${mends.join(" ")} ` +
      "and start again, behind PgBouncer after RECONNECT on its console.",
  );
}
