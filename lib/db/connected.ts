import { read, type Statement } from "@/lib/db/pool";
import { versionIn } from "@/lib/db/session-name";

// Every role sees the names of all sessions.
const SESSION_NAMES: Statement = {
  name: "session_names",
  text: "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database()",
};

/** The versions of the services and commands that have sessions in this database, without repetition. */
export async function connectedVersions(): Promise<string[]> {
  const sessions = await read<{ name: string }>(SESSION_NAMES, []);
  const versions = new Set(sessions.flatMap(({ name }) => versionIn(name) ?? []));
  return [...versions].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}
